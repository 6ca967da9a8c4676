#include "devices/driver_footprint.hpp"

#include <regex>

namespace texelscope {

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

} // namespace texelscope
