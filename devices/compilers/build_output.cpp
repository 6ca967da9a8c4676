#include "devices/compilers/build_output.hpp"

#include <fmt/format.h>

#include <sstream>

namespace texelscope::devices {

BuildOutput parse_build_output(const std::string& output)
{
    constexpr std::string_view driver = "driver ";
    BuildOutput read;
    std::istringstream in(output);
    for (std::string line; std::getline(in, line);) {
        if (line == fmt::format("file {}", read.files.size())) {
            read.files.emplace_back();
        } else if (line == "end") {
            read.ended = true;
        } else if (!read.files.empty()) {
            read.files.back() += line + "\n";
        } else if (line.starts_with(driver)) {
            read.driver = line.substr(driver.size());
        }
    }
    return read;
}

} // namespace texelscope::devices
