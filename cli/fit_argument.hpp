#pragma once

#include "cli/command.hpp"
#include "devices/kernels/opencl_device.hpp"
#include "devices/profile/device_profile.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace texelscope::cli {

/// `--fit FILE.xml`: the profile fitted to the device that runs.
struct FitArgument {
    std::string file; ///< empty: the profile as it is

    void add_to(CLI::App& parser);
    /// The profile; with --fit that of the file, which is measured and written where it is not
    /// there. Throws bad_input where there is no device (null), or the file is of another one.
    [[nodiscard]] DeviceProfile of(DeviceProfile profile, const OpenClDevice* device,
                                   const GlobalOptions& global) const;
};

} // namespace texelscope::cli
