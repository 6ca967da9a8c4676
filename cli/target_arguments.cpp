#include "cli/target_arguments.hpp"

#include "base/error.hpp"
#include "devices/targets/job_target.hpp"
#include "devices/targets/probe_kernels.hpp"
#include "devices/targets/simulated_target.hpp"

#include <CLI/CLI.hpp>

#include <cmath>
#include <string_view>

namespace texelscope::cli {

void TargetArguments::add_to(CLI::App& parser, const std::string& name)
{
    parser.add_option(
        name, on,
        "sim:NAME, the simulator with a profile; an OpenCL device of this machine: index, or part "
        "of a name; "
        "agent:[DEVICE], adb:[SERIAL][/DEVICE], ssh:HOST[/DEVICE]: one that texelscope-agent "
        "opens");
    place.add_to(parser);
    parser.add_option("--noise", noise, "of a simulated device's times, relative: 0.05 is 5 %")
        ->check(CLI::Range(0.0, 0.99));
    parser
        .add_option("--cool-down", cool_down,
                    "seconds of rest between two kernels of a batch, for phones")
        ->check(CLI::Range(0.0, 600.0));
    parser
        .add_option("--max-temperature", max_temperature,
                    "degrees Celsius: rest until the device is no hotter, where that can be read")
        ->check(CLI::Range(0.0, 200.0));
}

std::optional<std::string> TargetArguments::simulated_profile() const
{
    constexpr std::string_view prefix = "sim:";
    return on.starts_with(prefix) ? std::optional(on.substr(prefix.size())) : std::nullopt;
}

void TargetArguments::check() const
{
    if (simulated_profile()) {
        place.refuse("to a simulated device");
    } else {
        (void)parse_job_place(on);
    }
}

std::unique_ptr<Target> TargetArguments::open(std::uint64_t seed, const StopToken& stop) const
{
    check();
    if (const auto profile = simulated_profile()) {
        return std::make_unique<SimulatedTarget>(find_profile(*profile), noise, seed, stop);
    }
    return open_target(on, runner_options(), stop);
}

JobRunnerOptions TargetArguments::runner_options() const
{
    JobRunnerOptions options = place.runner_options();
    options.watched = watched;
    options.cool_down.seconds = cool_down;
    if (max_temperature) {
        options.cool_down.max_millidegrees = std::llround(1000 * *max_temperature);
    }
    return options;
}

} // namespace texelscope::cli
