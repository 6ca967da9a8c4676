#include "devices/jobs/driver_footprint.hpp"

#include "codegen/nest/kernel_launch.hpp"

#include <regex>

namespace texelscope::devices {

std::string telling_build_options(const std::string& vendor)
{
    const bool nvidia = vendor.find("NVIDIA") != std::string::npos;
    return std::string(kernel_build_options) + (nvidia ? " -cl-nv-verbose" : "");
}

DriverFootprint footprint_from_log(const std::string& log)
{
    DriverFootprint footprint;
    std::smatch match;
    if (std::regex_search(log, match, std::regex("Used ([0-9]+) registers"))) {
        footprint.registers = std::stoi(match[1]);
    }
    if (std::regex_search(log, match, std::regex("([0-9]+) bytes spill stores, ([0-9]+) bytes spill loads"))) {
        footprint.spilled_bytes = std::stoll(match[1]) + std::stoll(match[2]);
    }
    return footprint;
}

} // namespace texelscope::devices
