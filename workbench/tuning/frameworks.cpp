#include "workbench/tuning/frameworks.hpp"

#include "base/error.hpp"
#include "workbench/space/operator_space.hpp"
#include "workbench/tuning/baseline_rules.hpp"
#include "workbench/tuning/reuse_model.hpp"
#include "workbench/tuning/work_group_rules.hpp"

#include <algorithm>
#include <vector>

namespace texelscope::workbench::tuning {
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
    space.add_kernel(framework_kernel(op, device),
                     space.add_groups(natural_groups(whole.groups(0))));
    return space;
}

} // namespace

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
        throw bad_input("no tile of these patterns fits the device",
                        to_string(op) + " on " + device.name, "use a smaller shape");
    }
    return space;
}

std::span<const FrameworkRow> frameworks()
{
    using Device = const DeviceProfile&;
    static constexpr std::array rows{
        FrameworkRow{"MNN", "mnn", [](const Operator& op) { return op.name != "conv3d"; },
                     [](const Operator& op, Device device) {
                         return has_rules(op)
                                    ? space_of(baseline_schedules(Baseline::mnn, op, device))
                                    : group_space(op, device);
                     },
                     [](const Operator&) { return "simulate"; }},
        FrameworkRow{
            "CLML", "clml",
            [](const Operator& op) { return op.name != "conv3d" && op.name != "layernorm"; },
            local_size_space, [](const Operator&) { return "local-size"; }},
        FrameworkRow{"TVM", "tvm", [](const Operator&) { return true; },
                     [](const Operator& op, Device device) {
                         return tile_space(op, device, framework_kernel(op, device).patterns);
                     },
                     [](const Operator&) { return "learned"; }},
        FrameworkRow{"TFLite", "tflite", [](const Operator& op) { return op.name != "conv3d"; },
                     [](const Operator& op, Device device) {
                         return has_rules(op)
                                    ? space_of(baseline_schedules(Baseline::tflite, op, device))
                                    : tile_space(op, device, framework_kernel(op, device).patterns);
                     },
                     [](const Operator& op) { return has_rules(op) ? "simulate" : "random"; }},
        FrameworkRow{"PPT-GPU", "ppt-gpu", [](const Operator&) { return true; }, pattern_space,
                     [](const Operator&) { return "reuse-distance"; }},
    };
    return rows;
}

std::string to_string(Framework framework)
{
    return frameworks()[static_cast<std::size_t>(framework)].name;
}

bool runs(Framework framework, const Operator& op)
{
    return frameworks()[static_cast<std::size_t>(framework)].runs(op);
}

FrameworkSearch framework_search(Framework framework, const Operator& op,
                                 const DeviceProfile& device)
{
    const FrameworkRow& row = frameworks()[static_cast<std::size_t>(framework)];
    FrameworkSearch search{row.space(op, device), parse_strategy(row.strategy(op)), {}};
    search.budget.runs = search.strategy.runs.value_or(search.space.size());
    return search;
}

} // namespace texelscope::workbench::tuning
