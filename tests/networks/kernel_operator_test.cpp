// A kernel of a network as an operator of its own: random nodes in random layouts.

#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/text/kernel_source.hpp"
#include "networks/plan/kernel_operator.hpp"
#include "tests/codegen/random_schedule.hpp"
#include "tests/networks/random_node.hpp"
#include "tests/random_cases.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace texelscope;
using namespace texelscope::networks;
using namespace texelscope::networks::test;
using codegen::LoopNest;
using codegen::Memory;
using codegen::Operand;
using codegen::Schedule;

namespace {

/// Kernel text without the line that names the configuration.
std::string text_of(LoopNest nest)
{
    nest.schedule_text.clear();
    return opencl_text(nest, codegen::TexelBackend::native);
}

/// The network with every value anywhere; some schedules of kernels may be illegal there, which
/// lower() says.
Plan laid_anywhere(texelscope::test::Random& random, const Graph& graph)
{
    Plan plan = starting_plan(graph, random.one_in(2));
    for (std::optional<codegen::TensorLayout>& layout : plan.layouts) {
        if (layout) {
            layout->pattern = random.pick(std::vector(codegen::all_access_patterns.begin(),
                                                      codegen::all_access_patterns.end()));
            layout->memory = random.one_in(3) ? Memory::buffer : Memory::image;
        }
    }
    lower(plan);
    return plan;
}

} // namespace

TEST_CASE("A kernel that is studied alone is the one that its network runs")
{
    int kernels = 0;
    for (int seed = 0; seed < texelscope::test::random_cases(2, 50); ++seed) {
        texelscope::test::Random random(static_cast<std::uint64_t>(seed));
        for (const std::string& kind : node_kinds()) {
            CAPTURE(kind, seed);
            const Plan plan = laid_anywhere(random, random_node(random, kind));
            for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
                const codegen::Operator op = kernel_operator(plan, k);
                const LoopNest nest = op.nest(op.default_schedule);
                const LoopNest& planned = plan.kernels[k].nest;
                CAPTURE(kind, to_string(op), to_string(op.default_schedule));
                CHECK(text_of(nest) == text_of(planned));
                CHECK(nest.output.layout == planned.output.layout);
                for (std::size_t i = 0; i < planned.inputs.size(); ++i) {
                    CHECK(nest.inputs[i].layout == planned.inputs[i].layout);
                    CHECK(op.default_schedule.patterns[i] == planned.inputs[i].layout->pattern);
                    CHECK(op.default_schedule.memory_of(i) == planned.inputs[i].layout->memory);
                }
                ++kernels;
            }
        }
    }
    CHECK(kernels > 50);
}

TEST_CASE("Under another schedule its values lie as that says, with the texels and at least the "
          "gaps of the plan")
{
    int legal = 0;
    for (int seed = 0; seed < texelscope::test::random_cases(4, 50); ++seed) {
        texelscope::test::Random random(static_cast<std::uint64_t>(seed));
        for (const std::string& kind : node_kinds()) {
            const Plan plan = laid_anywhere(random, random_node(random, kind));
            const std::size_t k = plan.kernels.size() - 1;
            const NodeKernel& kernel = plan.kernels[k].kernel;
            const codegen::Operator op = kernel_operator(plan, k);
            const Schedule schedule = texelscope::test::random_schedule(random, kernel.op, 32);
            CAPTURE(kind, to_string(op), to_string(schedule));
            LoopNest nest;
            try {
                nest = op.nest(schedule);
            } catch (const Error&) { // as it may be
                continue;
            }
            ++legal;
            const auto check = [&](const Operand& operand, ValueId value,
                                   codegen::AccessPattern pattern, Memory memory) {
                CHECK(operand.layout->pattern == pattern);
                CHECK(operand.memory == memory);
                CHECK(operand.storage == schedule.storage);
                if (is_made(plan, value)) {
                    const codegen::TensorLayout& planned =
                        *plan.layouts[static_cast<std::size_t>(value)];
                    CHECK(operand.layout->packed == planned.packed);
                    CHECK(operand.layout->answers(planned));
                }
            };
            for (std::size_t i = 0; i < kernel.inputs.size(); ++i) {
                check(nest.inputs[i], kernel.inputs[i], schedule.patterns[i],
                      schedule.memory_of(i));
            }
            check(nest.output, kernel.output, schedule.output,
                  schedule.memory_of(kernel.inputs.size()));
        }
    }
    CHECK(legal > 20);
}
