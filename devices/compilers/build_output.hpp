#pragma once

#include "base/layers.hpp"

#include <string>
#include <vector>

namespace texelscope::devices {

/// What texelscope-build-kernel printed, the compiler's own words within.
struct BuildOutput {
    std::string driver;             ///< its version; empty where it did not come so far
    std::vector<std::string> files; ///< behind the mark of each file that was begun, in order
    bool ended = false;             ///< else the last file was not done with

    [[nodiscard]] std::size_t complete() const { return files.size() - (ended || files.empty() ? 0 : 1); }
};

[[nodiscard]] BuildOutput parse_build_output(const std::string& output);

} // namespace texelscope::devices
