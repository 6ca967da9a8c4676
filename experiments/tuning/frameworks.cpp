#include "experiments/tuning/frameworks.hpp"

#include "base/error.hpp"
#include "experiments/tuning/baseline_rules.hpp"
#include "experiments/tuning/local_sizes.hpp"
#include "experiments/tuning/reuse_model.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace texelscope::experiments {
namespace {

bool has_rules(const Operator& op)
{
    return op.name == "matmul" || op.name == "conv2d";
}

/// The groups, each size once, with lanes in their natural order.
std::vector<GroupChoice> natural_groups(std::span<const GroupChoice> groups)
{
    std::vector<GroupChoice> natural;
    for (const GroupChoice& group : groups) {
        const auto same = [&](const GroupChoice& other) { return other.group == group.group; };
        if (std::none_of(natural.begin(), natural.end(), same)) {
            natural.push_back({{group.group[0], group.group[1]}, group.group});
        }
    }
    return natural;
}

ConfigurationSpace group_space(const Operator& op, const DeviceProfile& device)
{
    const ConfigurationSpace whole = configuration_space(op, device);
    ConfigurationSpace space;
    space.add_kernel(framework_kernel(op, device), space.add_groups(natural_groups(whole.groups(0))));
    return space;
}

} // namespace

std::string to_string(Framework framework)
{
    constexpr std::array names{"MNN", "CLML", "TVM", "TFLite", "PPT-GPU"};
    return names[static_cast<std::size_t>(framework)];
}

bool runs(Framework framework, const Operator& op)
{
    switch (framework) {
    case Framework::mnn:
    case Framework::tflite:
        return op.name != "conv3d";
    case Framework::clml:
        return op.name != "conv3d" && op.name != "layernorm";
    case Framework::tvm:
    case Framework::ppt_gpu:
        return true;
    }
    return true;
}

ConfigurationSpace tile_space(const Operator& op, const DeviceProfile& device,
                              const std::vector<AccessPattern>& patterns)
{
    const ConfigurationSpace whole = configuration_space(op, device);
    ConfigurationSpace space;
    const std::size_t groups = space.add_groups(natural_groups(whole.groups(0)));
    for (const KernelChoice& kernel : whole.kernels()) {
        if (kernel.patterns == patterns) {
            space.add_kernel(kernel, groups);
        }
    }
    if (space.size() == 0) {
        throw bad_input("no tile of these patterns fits the device", to_string(op) + " on " + device.name,
                        "use a smaller shape");
    }
    return space;
}

FrameworkSearch framework_search(Framework framework, const Operator& op, const DeviceProfile& device)
{
    const auto searched = [](const char* strategy, ConfigurationSpace space) {
        FrameworkSearch search{std::move(space), parse_strategy(strategy), {}};
        search.budget.runs = search.strategy.runs.value_or(search.space.size());
        return search;
    };
    switch (framework) {
    case Framework::mnn:
        return searched("simulate", has_rules(op) ? space_of(baseline_schedules(Baseline::mnn, op, device))
                                                  : group_space(op, device));
    case Framework::clml:
        return searched("local-size", local_size_space(op, device));
    case Framework::tvm:
        return searched("learned", tile_space(op, device, framework_kernel(op, device).patterns));
    case Framework::tflite:
        return has_rules(op) ? searched("simulate", space_of(baseline_schedules(Baseline::tflite, op, device)))
                             : searched("random", tile_space(op, device, framework_kernel(op, device).patterns));
    case Framework::ppt_gpu:
        return searched("reuse-distance", pattern_space(op, device));
    }
    return {};
}

} // namespace texelscope::experiments
