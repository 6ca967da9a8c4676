// Functions of numbers, as kernels have them: their expressions by the rows of the table of
// functions against the operators' references, which are written without it, and their counts
// against what Mesa's compilers make of them.

#include "codegen/nest/arithmetic.hpp"
#include "codegen/nest/kernel_launch.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/text/kernel_source.hpp"
#include "devices/compilers/mesa_compilers.hpp"
#include "networks/lowering/lower_families.hpp"
#include "networks/models/builder.hpp"
#include "networks/operators/families.hpp"
#include "networks/plan/plan.hpp"
#include "tests/base/random.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

using namespace texelscope;
using namespace texelscope::networks;

namespace {

/// Operators whose kernels are one function of one or two numbers.
struct Tested {
    NodeOperator op;
    Node node;
    ElementFunction function;
    std::size_t inputs = 1;
};

std::vector<Tested> tested_operators()
{
    std::vector<NodeOperator> operators = elementwise_operators();
    std::ranges::move(gradient_operators(), std::back_inserter(operators));
    std::vector<Tested> all;
    for (NodeOperator& op : operators) {
        for (const char* variant : {"none", "tanh"}) {
            Node node{
                .name = op.name, .op = op.name, .inputs = {}, .outputs = {}, .attributes = {}};
            if (op.name.starts_with("Gelu")) {
                node.attributes.set("approximate", std::string(variant));
            } else if (variant == std::string("tanh")) {
                continue;
            }
            if (const auto unary = element_function(node)) {
                all.push_back({op, node, *unary, 1});
            } else if (const auto binary = binary_function(node); binary && op.name != "Mean") {
                all.push_back({op, node, *binary, 2});
            }
        }
    }
    return all;
}

} // namespace

TEST_CASE("Functions of numbers are those of the operators' references")
{
    texelscope::test::Random random(77);
    const std::vector<Tested> all = tested_operators();
    CHECK(all.size() > 55);
    for (const Tested& tested : all) {
        CAPTURE(tested.op.name);
        for (int i = 0; i < 100; ++i) {
            const bool positive = tested.op.name == "Sqrt" || tested.op.name == "Log" ||
                                  tested.op.name == "Pow" || tested.op.name == "SqrtGradient";
            const auto draw = [&] {
                return (static_cast<double>(random.between(positive ? 1 : -400, 400)) + 0.5) / 100;
            };
            const std::vector<double> arguments{draw(), draw()};
            const Reals a{{1}, {arguments[0]}}, b{{1}, {arguments[1]}};
            NodeOperator::Operands operands{&a};
            if (tested.inputs == 2) {
                operands.push_back(&b);
            }
            const double wanted = tested.op.reference(tested.node, operands).front().values.front();
            CAPTURE(arguments[0], arguments[1]);
            // Constants have nine digits.
            CHECK(evaluate(tested.function.value, arguments) ==
                  Approx(wanted).epsilon(1e-6).margin(1e-7));
        }
    }
}

TEST_CASE("Whether functions keep zero is what they make of it")
{
    for (const Tested& tested : tested_operators()) {
        CAPTURE(tested.op.name);
        const double at_zero = evaluate(tested.function.value, std::vector<double>{0, 0});
        if (tested.function.keeps_zero) {
            CHECK(at_zero == 0);
        }
    }
}

TEST_CASE("What functions of numbers cost is what Mesa's compilers make of them")
{
    const devices::CompilerGpu& gpu = devices::find_compiler_gpu("adreno-740");
    const devices::MesaCompilers compilers;
    if (!compilers.has(gpu.family)) {
        WARN("skipped: there is no compiler for Adreno; texelscope compile --setup brings it");
        return;
    }
    const std::vector<Tested> all = tested_operators();
    std::vector<std::string> texts;
    std::vector<double> counted; // of a number
    constexpr double exponential = 30, numbers = 4;
    const auto add = [&](const std::string& op, const Attributes& attributes, std::size_t inputs) {
        Builder builder(op, 1);
        std::vector<ValueId> values;
        for (std::size_t i = 0; i < inputs; ++i) {
            values.push_back(builder.input("x" + std::to_string(i), {64, 64}));
        }
        const Plan plan =
            starting_plan(std::move(builder).finish(builder.node(op, values, attributes)));
        REQUIRE(plan.kernels.size() == 1);
        codegen::Schedule schedule = plan.kernels[0].schedule;
        schedule.tile = {4, 1};
        const codegen::LoopNest nest = loop_nest(plan.kernels[0].kernel.op, schedule);
        texts.push_back(opencl_text(nest, codegen::TexelBackend::native));
        double operations = 0;
        for (const traces::Statement& statement : launch_of(nest).body) {
            if (const auto* work = std::get_if<traces::Work>(&statement)) {
                operations += work->operations + exponential * work->exponentials;
            }
        }
        counted.push_back(operations / numbers);
    };
    add("Identity", {}, 1); // reads and writes alone
    add("Add", {}, 2);      // an operation beside
    for (const Tested& tested : all) {
        add(tested.op.name, tested.node.attributes, tested.inputs);
    }
    const std::vector<devices::Compiled> compiled =
        compilers.compile_all(gpu, texts, codegen::kernel_build_options, 2);
    const auto instructions = [&](std::size_t i) {
        const auto& kernel = std::get<devices::CompiledKernel>(compiled[i]);
        return static_cast<double>(kernel.instructions -
                                   kernel.count(devices::InstructionClass::wait));
    };
    int within = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Tested& tested = all[i];
        CAPTURE(tested.op.name);
        REQUIRE(std::holds_alternative<devices::CompiledKernel>(compiled[i + 2]));
        const double around = tested.inputs == 1 ? instructions(0) : instructions(1) - numbers;
        const double made = (instructions(i + 2) - around) / numbers;
        const double said = counted[i + 2];
        CAPTURE(made, said);
        const std::string& name = tested.op.name;
        if (name.starts_with("Sin") ||
            name.starts_with("Cos")) { // the listing has the way for large arguments, too
            CHECK(said < made);
            continue;
        }
        // Saturation takes a clamp on the way, and small differences are moves.
        CHECK(said >= 0.6 * made - 3);
        CHECK(said <= 1.45 * made + 3);
        within += std::abs(said - made) <= 2 + 0.15 * made ? 1 : 0;
    }
    CHECK(within >= static_cast<int>(all.size()) * 4 / 5);
}
