#include "workbench/space/operator_space.hpp"

#include "base/error.hpp"
#include "base/lists.hpp"
#include "codegen/nest/schedule_parts.hpp"
#include "workbench/space/group_choices.hpp"
#include "workbench/space/image_limits.hpp"
#include "workbench/space/narrowed.hpp"
#include "workbench/space/part_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace texelscope::workbench::space {
namespace {

/// The values of further parts, by key.
using PartValues = std::map<char, std::vector<std::string>>;

PartValues further_values(const Operator& op, const SpaceOptions& options)
{
    PartValues values = options.values;
    for (const char key : options.parts) {
        if (std::string(paper_parts).find(key) == std::string::npos && !values.contains(key)) {
            values[key] = part_values(op, key);
        }
    }
    return values;
}

/// Whether work-groups depend on a part. Kernels with values of such parts are listed, each with
/// its own work-groups; other parts are factors.
bool is_listed(char key)
{
    return key == 'N' || key == 'R' || key == 'S';
}

/// The base with each value of a part, those that the operator takes with some tile.
std::vector<KernelChoice> legal_choices(const Operator& op, char key,
                                        const std::vector<std::string>& texts,
                                        const KernelChoice& base)
{
    std::vector<KernelChoice> kernels;
    for (const std::string& text : texts) {
        KernelChoice kernel = base;
        if (!text.empty()) {
            schedule_part(key).read(kernel, text, fmt::format("choices of part {}", key));
        }
        // C, V and S ask for more than a tile: they are checked below, together with other parts.
        if (key == 'C' || key == 'V' || key == 'S' ||
            is_legal_with_some_tile(op, schedule_of(kernel, {}))) {
            kernels.push_back(std::move(kernel));
        }
    }
    return kernels;
}

/// The base with all orders of axes, splits and blocks (N, R, S), with the work-groups that they
/// can have.
ConfigurationSpace listed_kernels(const Operator& op, const DeviceProfile& device,
                                  const SpaceOptions& options, const PartValues& values,
                                  const KernelChoice& base)
{
    std::vector<KernelChoice> kernels{base};
    for (const char key : {'N', 'R', 'S'}) {
        if (const auto texts = values.find(key); texts != values.end()) {
            std::vector<KernelChoice> longer;
            for (const KernelChoice& kernel : kernels) {
                std::ranges::move(legal_choices(op, key, texts->second, kernel),
                                  std::back_inserter(longer));
            }
            kernels = std::move(longer);
        }
    }
    ConfigurationSpace space;
    for (const KernelChoice& kernel : kernels) {
        std::vector<GroupChoice> groups = group_choices(op, device, options, kernel);
        if (!groups.empty()) {
            space.add_kernel(kernel, space.add_groups(std::move(groups)));
        }
    }
    return space;
}

SpaceFactor pattern_factor(const Operator& op, const SpaceOptions& options,
                           const KernelChoice& base)
{
    if (options.parts.find('A') == std::string::npos) {
        return {"A", {base}};
    }
    const auto choices = pattern_choices(options.patterns, op.inputs.size());
    return {"A", mapped(choices, [&](const auto& patterns) {
                KernelChoice kernel = base;
                kernel.patterns = patterns;
                return kernel;
            })};
}

} // namespace

ConfigurationSpace configuration_space(const Operator& op, const DeviceProfile& device,
                                       const SpaceOptions& options)
{
    const KernelChoice base = kernel_of(op.default_schedule);
    const PartValues values = further_values(op, options);
    ConfigurationSpace space = listed_kernels(op, device, options, values, base);
    // A legal work-group for each size of the blocks that are copied: for conditions that need some
    // group.
    std::map<std::int32_t, GroupChoice> groups;
    for (std::size_t k = 0; k < space.kernel_count(); ++k) {
        groups.try_emplace(space.listed()[k].stage,
                           GroupChoice{{1, 1}, space.groups(k).front().group});
    }
    space.add_factor(pattern_factor(op, options, base));
    space.add_factor({"T", mapped(tile_choices(op, options), [&](const auto& tile) {
                          KernelChoice kernel = base;
                          kernel.tile = tile;
                          return kernel;
                      })});
    for (const auto& [key, texts] : values) {
        if (!is_listed(key)) {
            space.add_factor({{key}, legal_choices(op, key, texts, base)});
        }
    }
    // What parts have to do with each other: vectors with the tile, loops with how they are shared,
    // copied and written out.
    const auto keep = [&](const char* parts, std::function<bool(const KernelChoice&)> holds) {
        space = narrowed(std::move(space), {condition_on_kernels(parts, std::move(holds))}).space;
    };
    if (values.contains('V')) {
        keep("TV", [&](const KernelChoice& kernel) {
            KernelChoice vectors = base;
            vectors.tile = kernel.tile;
            vectors.vector = kernel.vector;
            return is_legal(op, schedule_of(vectors, {}));
        });
    }
    if (values.contains('C')) {
        keep("CPR", [&](const KernelChoice& kernel) {
            KernelChoice sums = base;
            sums.sums = kernel.sums;
            sums.storage = kernel.storage;
            sums.split = kernel.split;
            return is_legal_with_some_tile(op, schedule_of(sums, {}));
        });
    }
    if (values.contains('F')) {
        keep("TF", [&](const KernelChoice& kernel) {
            KernelChoice layouts = base;
            layouts.tile = kernel.tile;
            layouts.frameworks = kernel.frameworks;
            return is_legal(op, schedule_of(layouts, {}));
        });
    }
    space = within_image_limits(std::move(space), op, device);
    if (values.contains('L') || values.contains('U')) {
        keep("LURS", [&](const KernelChoice& kernel) {
            KernelChoice loops = base;
            loops.order = kernel.order;
            loops.unroll = kernel.unroll;
            loops.split = kernel.split;
            loops.stage = kernel.stage;
            return is_legal_with_some_tile(op, schedule_of(loops, groups.at(kernel.stage)));
        });
    }
    if (space.size() == 0) {
        throw bad_input("no configuration fits the device",
                        fmt::format("{} on {}", to_string(op), device.name), "use a smaller shape");
    }
    return space;
}

} // namespace texelscope::workbench::space
