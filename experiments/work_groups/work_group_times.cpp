#include "experiments/work_groups/work_group_times.hpp"

#include "base/error.hpp"
#include "base/progress.hpp"
#include "base/random.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/launch/launch_options.hpp"
#include "devices/launch/limits.hpp"
#include "devices/registers/register_estimate.hpp"
#include "experiments/shared/choices.hpp"
#include "sim/sampled_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

namespace texelscope::experiments {
// Each size is simulated with a sample of the launch, or run. There are thousands of sizes, so some
// are drawn, and for each rule more of those that follow it, which random ones seldom do.
namespace {

/// A size that is to be measured.
struct Drawn {
    std::int64_t index = 0; ///< in the space
    std::optional<WorkGroupRule> drawn_for;
};

/// Some sizes of all, then for each rule some of the others that follow it; ascending.
std::vector<Drawn> draw_sizes(const Operator& op, const DeviceProfile& device,
                              const ConfigurationSpace& space, const WorkGroupOptions& options)
{
    std::mt19937_64 random(options.seed);
    std::vector<Drawn> drawn;
    std::vector<std::int64_t> left;
    for (const std::size_t index :
         shuffled_indices(random, static_cast<std::size_t>(space.size()))) {
        if (std::ssize(drawn) < options.draws) {
            drawn.push_back({static_cast<std::int64_t>(index), {}});
        } else {
            left.push_back(static_cast<std::int64_t>(index));
        }
    }
    // of the kernel, whatever its group
    const int registers = estimated_registers(loop_nest(op, space.at(0)), device);
    for (const WorkGroupRule rule : all_work_group_rules) {
        std::int64_t found = 0;
        for (auto index = left.begin(); index != left.end() && found < options.followers;) {
            if (follows(rule, rule_terms(op, space.at(*index), device, registers))) {
                drawn.push_back({*index, rule});
                index = left.erase(index);
                ++found;
            } else {
                ++index;
            }
        }
    }
    std::ranges::sort(drawn, {}, &Drawn::index);
    return drawn;
}

/// The share of the cycles of all cores in which instructions other than reads hold the issue port.
double computing(const std::vector<StallStatistics>& cores)
{
    StallStatistics all;
    for (const StallStatistics& core : cores) {
        all += core;
    }
    return static_cast<double>(all.alu_busy) / static_cast<double>(all.total());
}

/// One size: its simulated time, and how busy it keeps the ALUs.
WorkGroupTime simulated(const Operator& op, const Schedule& schedule, const DeviceProfile& device,
                        std::int64_t sample, const StopToken& stop)
{
    const LoopNest nest = loop_nest(op, schedule);
    // Throws for a size that the device does not run; the caller leaves it out.
    check_limits(nest, device);
    SimulationOptions options = options_for(nest, device);
    options.mode.miss_kinds = false;
    const SampledTime sampled = sampled_time(launch_of(nest), options, sample, stop);
    WorkGroupTime group{schedule, sampled.time, {}, {}, {}};
    if (options.machine.timing.alu_lanes) {
        group.alu_utilisation = computing(sampled.stalls);
    }
    return group;
}

/// Which rules a size follows, with the registers of its kernel by the profile.
std::array<bool, all_work_group_rules.size()> followed(const Operator& op, const Schedule& schedule,
                                                       const DeviceProfile& device)
{
    const SimulationOptions options = options_for(loop_nest(op, schedule), device);
    const RuleTerms terms = rule_terms(op, schedule, device, options.kernel.registers_per_item);
    std::array<bool, all_work_group_rules.size()> rules{};
    for (std::size_t r = 0; r < all_work_group_rules.size(); ++r) {
        rules[r] = follows(all_work_group_rules[r], terms);
    }
    return rules;
}

} // namespace

std::string group_text(const Operator& op, const WorkGroupTime& group)
{
    // Neither cores nor registers matter to the sides of a work-group, so any device will do.
    const auto [x, y, z] = rule_terms(op, group.schedule, DeviceProfile{}, {}).group;
    return fmt::format("{}-{}-{}", x, y, z);
}

const WorkGroupTime& WorkGroupTimes::fastest() const
{
    return *std::ranges::min_element(groups, {}, &WorkGroupTime::time);
}

const WorkGroupTime& WorkGroupTimes::slowest() const
{
    return *std::ranges::max_element(groups, {}, &WorkGroupTime::time);
}

std::vector<RuledKernel> ruled_kernels()
{
    return {{"Conv", parse_operator("conv2d", "1,56,56,256,256,3,3,1")},
            {"Dw-Conv", parse_operator("dwconv2d", "1,56,56,128,3,3,1")}};
}

WorkGroupTimes measure_work_groups(const RuledKernel& kernel, const ExperimentDevice& device,
                                   const WorkGroupOptions& options, const Progress& progress,
                                   const StopToken& stop)
{
    const ConfigurationSpace space = work_group_space(kernel.op, device.profile);
    const std::vector<Drawn> drawn = draw_sizes(kernel.op, device.profile, space, options);
    WorkGroupTimes times{kernel.name, device.name(), space.size(), {}, device.real()};
    KernelTimes runs(kernel.op, device, options.sample, stop); // of a real device
    for (std::size_t i = 0; i < drawn.size(); ++i) {
        if (i % 8 == 0) {
            tell(progress, fmt::format("{} on {}", kernel.name, times.device), i, drawn.size());
        }
        const Schedule schedule = space.at(drawn[i].index);
        std::optional<WorkGroupTime> group;
        if (device.real()) {
            if (const auto time = runs.time(schedule)) {
                group = WorkGroupTime{schedule, *time, {}, {}, {}};
            }
        } else {
            try {
                group = simulated(kernel.op, schedule, device.profile, options.sample, stop);
            } catch (const Error&) { // its images are too large for the device
            }
        }
        if (group) {
            group->follows = followed(kernel.op, schedule, device.profile);
            group->drawn_for = drawn[i].drawn_for;
            times.groups.push_back(std::move(*group));
        }
    }
    if (times.groups.empty()) {
        throw bad_input("no work-group can run", to_string(kernel.op) + " on " + times.device);
    }
    return times;
}

std::string coverage_text(const WorkGroupTimes& times)
{
    return fmt::format("{}: {} of {} sizes{}", times.kernel, times.groups.size(), times.space,
                       std::ssize(times.groups) < times.space ? ", drawn" : "");
}

} // namespace texelscope::experiments
