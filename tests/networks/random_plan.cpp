#include "tests/networks/random_plan.hpp"

#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/text/kernel_source.hpp"
#include "tests/codegen/random_schedule.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace texelscope::networks::test {
namespace {

using texelscope::test::Random;

/// Now and then along sides of the image that were drawn, in place of the pattern.
void lay_by_sides(Random& random, codegen::TensorLayout& layout)
{
    layout.across.clear();
    layout.down.clear();
    if (random.one_in(3)) {
        std::vector<int> dims(layout.asked.size());
        std::iota(dims.begin(), dims.end(), 0);
        random.shuffle(dims);
        for (const int d : dims) {
            (random.one_in(2) ? layout.across : layout.down).push_back(d);
        }
    }
}

void draw_layout(Random& random, codegen::TensorLayout& layout, codegen::Storage storage)
{
    layout.pattern = random.pick(
        std::vector(codegen::all_access_patterns.begin(), codegen::all_access_patterns.end()));
    layout.memory = random.one_in(3) ? codegen::Memory::buffer : codegen::Memory::image;
    layout.storage = storage;
    lay_by_sides(random, layout);
}

void draw_schedule(Random& random, PlannedKernel& kernel, codegen::Storage storage)
{
    kernel.schedule = texelscope::test::random_schedule(random, kernel.kernel.op, 32);
    kernel.schedule.storage = storage;
}

/// Lowers the plan; whether it is legal, and no compiler takes minutes for it, as they do for many
/// values of wide vectors.
bool lowered(Plan& plan)
{
    constexpr std::size_t most_values = 200;
    try {
        lower(plan);
    } catch (const Error&) {
        return false; // a schedule does not go with a layout
    }
    return std::ranges::all_of(plan.kernels, [](const auto& each) {
        return each.nest.values.size() * static_cast<std::size_t>(each.schedule.vector) <
               4 * most_values;
    });
}

} // namespace

std::optional<Plan> drawn_plan(Random& random, const Graph& graph, codegen::Storage storage)
{
    const Plan start = starting_plan(graph, random.one_in(2));
    for (int draw = 0; draw < 400; ++draw) {
        Plan plan = start;
        for (std::optional<codegen::TensorLayout>& layout : plan.layouts) {
            if (layout) {
                draw_layout(random, *layout, storage);
            }
        }
        for (PlannedKernel& each : plan.kernels) {
            draw_schedule(random, each, storage);
        }
        if (lowered(plan)) {
            return plan;
        }
    }
    return std::nullopt;
}

std::optional<Plan> varied_plan(Random& random, const Graph& graph, codegen::Storage storage)
{
    Plan plan = starting_plan(graph, random.one_in(2), storage);
    int changes = 0;
    int legal = 0;
    const auto change = [&](auto draw) {
        ++changes;
        for (int trial = 0; trial < 3; ++trial) {
            Plan changed = plan;
            draw(changed);
            if (lowered(changed)) {
                plan = std::move(changed);
                ++legal;
                return;
            }
        }
    };
    for (int round = 0; round < 2; ++round) {
        for (std::size_t i = 0; i < plan.layouts.size(); ++i) {
            if (plan.layouts[i]) {
                change([&](Plan& changed) { draw_layout(random, *changed.layouts[i], storage); });
            }
        }
        for (std::size_t i = 0; i < plan.kernels.size(); ++i) {
            change([&](Plan& changed) { draw_schedule(random, changed.kernels[i], storage); });
        }
    }
    return 2 * legal >= changes ? std::optional(std::move(plan)) : std::nullopt;
}

std::string kernels_text(const Plan& plan)
{
    std::string text;
    for (const PlannedKernel& each : plan.kernels) {
        text += each.kernel.op.name + " " + to_string(each.schedule) + "\n" +
                codegen::opencl_text(each.nest, codegen::TexelBackend::native);
    }
    return text;
}

} // namespace texelscope::networks::test
