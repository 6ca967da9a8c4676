#pragma once

#include "devices/profile/device_profile.hpp"
#include "devices/runners/job_runner_options.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>

#include <string>
#include <variant>

// Devices as arguments of Python's functions: simulated ones (profiles) and OpenCL devices.
namespace texelscope::python {
using namespace experiments;
namespace nb = nanobind;

/// A device profile as Python's code has it: an object, or what find_profile() takes.
using GivenDevice = std::variant<const DeviceProfile*, std::string>;
/// Throws bad_input as find_profile() does.
[[nodiscard]] DeviceProfile profile_of(const GivenDevice& device);

/// The OpenCL device of the one who runs: an object, a number, or a text as `--on` takes it.
using GivenOn = std::variant<const DevicePlace*, std::string, int>;
[[nodiscard]] DevicePlace place_of(const GivenOn& on);
inline constexpr const char* default_on = "pocl";

void add_devices(nb::module_& module);

} // namespace texelscope::python
