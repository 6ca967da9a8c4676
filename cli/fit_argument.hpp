#pragma once

#include "cli/command.hpp"
#include "devices/kernels/opencl_device.hpp"
#include "devices/profile/device_profile.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace texelscope::cli {

/// `--fit FILE.xml`: the profile fitted to the device that runs. For crosscheck and tune: where the
/// profile describes another device than the one that runs, agreement says nothing about the
/// profile.
struct FitArgument {
    std::string file; ///< empty: the profile as it is

    void add_to(CLI::App& parser);
    /// The profile to use: without --fit the given one, else that of the file. If the file is
    /// missing, the device is measured and the file written. Throws bad_input where there is no
    /// device (null), or the file is for another device.
    [[nodiscard]] DeviceProfile of(DeviceProfile profile, const OpenClDevice* device,
                                   const GlobalOptions& global) const;
};

} // namespace texelscope::cli
