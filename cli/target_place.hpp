#pragma once

#include "devices/target.hpp"

#include <memory>
#include <optional>
#include <string>

namespace texelscope::cli {

/// The profile's name or file where `on` is "sim:NAME"; nothing where it names a real device.
[[nodiscard]] std::optional<std::string> simulated_profile(const std::string& on);

/// An OpenCL device of this machine, by index or part of a name. Throws missing where nothing fits or it cannot be opened. A
/// driver does not survive a fork, so open it in the process that measures.
[[nodiscard]] std::unique_ptr<Target> open_target(const std::string& selector);

/// Throws bad_input where `on` names a device of another machine.
void require_here(const std::string& on);

} // namespace texelscope::cli
