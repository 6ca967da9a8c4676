#pragma once

#include "base/stop.hpp"
#include "cli/command.hpp"
#include "cli/place_arguments.hpp"
#include "devices/runners/job_runner_options.hpp"
#include "devices/targets/target.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace texelscope::cli {

/// `--on TARGET --agent FILE --opencl LIBRARY --noise SHARE --cool-down SECONDS
/// --max-temperature DEGREES`: what microbenchmarks run on. "sim:NAME" is the simulator with a
/// profile (name or file), anything else a place where jobs run: an OpenCL device of this machine,
/// or behind agent:, adb: or ssh:. Used by probe, calibrate, identify, experiment and phone.
struct TargetArguments {
    std::string on = "sim:adreno-740";
    PlaceArguments place{};
    double noise = 0;     ///< relative noise of a simulated device's times
    double cool_down = 0; ///< seconds between two kernels of a real device
    /// Degrees Celsius above which a real device rests before the next kernel, where its
    /// temperature can be read.
    std::optional<double> max_temperature{};
    WatchedDevices watched = WatchedDevices::gpus; ///< no option

    /// `name`: of the option that takes the target.
    void add_to(CLI::App& parser, const std::string& name = "--on");
    /// The profile's name where the device is simulated.
    [[nodiscard]] std::optional<std::string> simulated_profile() const;
    /// Throws bad_input for text that names no place, and where `place` was given for a simulated
    /// device; whether anything is there is not asked.
    void check() const;
    /// Throws bad_input for text that names no place or profile, missing where there is no such
    /// device. What the target does throws Interrupted where `stop` answers true.
    [[nodiscard]] std::unique_ptr<Target> open(std::uint64_t seed, const StopToken& stop) const;
    /// How jobs run on a real device.
    [[nodiscard]] JobRunnerOptions runner_options() const;
};

} // namespace texelscope::cli
