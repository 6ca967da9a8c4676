#include "experiments/shared/experiment_device.hpp"

#include "base/error.hpp"
#include "devices/jobs/described_device.hpp"
#include "devices/kernels/opencl_device.hpp"
#include "devices/profile/device_profile.hpp"
#include "devices/targets/job_target.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

namespace texelscope::experiments {

std::string ExperimentDevice::name() const
{
    return real() ? on->info().name : profile.name;
}

std::string ExperimentDevice::word() const
{
    return real() ? "measured" : "simulated";
}

std::string ExperimentDevice::text() const
{
    if (!real()) {
        return profile.name + ", simulated";
    }
    // A profile of another device still gives a space to choose from; who reads the result has to
    // know.
    const bool other = !describes(profile, on->info()).value_or(true);
    return fmt::format("{}, measured{}; spaces, rules and models by the profile {}{}", name(),
                       on->info().cpu ? " (a CPU: images are plain memory)" : "", profile.name,
                       other ? ", which describes another device" : "");
}

std::string ExperimentDevice::both_text() const
{
    return profile.name + ", simulated" +
           (real() ? "; measured on " + name() + ", medians" : std::string{});
}

std::string ExperimentDevice::times_text(const std::string& simulated) const
{
    if (!real()) {
        return simulated;
    }
    const RunOptions runs = experiment_runs();
    return fmt::format("measured, the median of {} runs after {} that does not count, of fewer "
                       "where these take {} s; outputs are checked",
                       runs.samples, runs.warm_up, runs.budget_seconds);
}

std::string sampled_text(std::int64_t most_accesses)
{
    return fmt::format("simulated from samples of {} warp accesses", most_accesses);
}

RunOptions experiment_runs(const StopToken& stop)
{
    return {.warm_up = 1, .samples = 3, .budget_seconds = 0.5, .stop = stop};
}

std::unique_ptr<Target> gpu_target(const OpenClDevice& device, const StopToken& stop)
{
    const OpenClDeviceInfo& info = device.info();
    if (info.cpu) {
        throw missing("it is a CPU, which has neither a texture unit nor warps", info.name,
                      "choose a GPU");
    }
    return std::make_unique<JobTarget>(
        target_info(info),
        [&device, stop](const std::vector<Job>& batch) { return device.run(batch, stop); });
}

std::string gpu_family(const std::string& name)
{
    std::string lower = name;
    std::ranges::transform(lower, lower.begin(), [](unsigned char letter) {
        return static_cast<char>(std::tolower(letter));
    });
    constexpr std::array<std::string_view, 2> families{"adreno", "mali"};
    const auto found = std::ranges::find_if(
        families, [&](std::string_view family) { return lower.find(family) != std::string::npos; });
    return found == families.end() ? std::string{} : std::string(*found);
}

std::vector<Finding> decided_on(const ExperimentDevice& device, std::vector<Finding> findings)
{
    for (Finding& finding : findings) {
        if (device.real()) {
            finding.explanation.clear();
        }
    }
    return findings;
}

void LeftOut::run(const std::function<void()>& part)
{
    try {
        part();
    } catch (const Error& error) {
        if (!device_.real() || error.kind() != Error::Kind::bad_input) {
            throw;
        }
        reasons_.emplace_back(error.what());
    }
}

void LeftOut::require(bool some) const
{
    if (!some && !reasons_.empty()) {
        throw bad_input("nothing of the experiment runs there", device_.name(),
                        "the first reason: " + reasons_.front());
    }
}

void add_left_out(ExperimentResult::Conditions& conditions, const std::vector<std::string>& reasons)
{
    if (!reasons.empty()) {
        conditions.emplace_back("left out", fmt::format("{}", fmt::join(reasons, "; ")));
    }
}

} // namespace texelscope::experiments
