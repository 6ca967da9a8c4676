// Random nodes and networks under random schedules and in random layouts: what their kernels
// compute is what the reference does, on PoCL and on rusticl, which has another compiler; and what
// they read is the generated trace.

#include "codegen/nest/loop_nest.hpp"
#include "networks/passes/simplify.hpp"
#include "tests/devices/rusticl.hpp"
#include "tests/networks/device_run.hpp"
#include "tests/networks/random_network.hpp"
#include "tests/networks/random_node.hpp"
#include "tests/networks/random_plan.hpp"
#include "tests/random_cases.hpp"
#include "tests/traces/generated_reads.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

using namespace texelscope;
using namespace texelscope::networks;
using namespace texelscope::networks::test;

namespace {

/// Numbers that half precision has, too.
std::vector<Reals> drawn_inputs(texelscope::test::Random& random, const Graph& graph)
{
    std::vector<Reals> inputs;
    for (const ValueId id : graph.inputs) {
        Reals input{graph.value(id).shape, {}};
        for (std::int64_t i = 0; i < element_count(input.shape); ++i) {
            input.values.push_back(static_cast<double>(random.between(-8, 8)) / 8);
        }
        inputs.push_back(std::move(input));
    }
    return inputs;
}

struct Case {
    Graph graph;
    Plan plan;
    std::vector<Reals> inputs;
    std::vector<Reals> wanted;
};

std::optional<Case> drawn_case(const std::string& kind, std::uint64_t seed,
                               codegen::Storage storage)
{
    texelscope::test::Random random(seed);
    const bool network = kind == "network";
    Graph graph = network ? simplified(random_network(seed)) : random_node(random, kind);
    std::optional<Plan> plan =
        network ? varied_plan(random, graph, storage) : drawn_plan(random, graph, storage);
    if (!plan) {
        return std::nullopt;
    }
    std::vector<Reals> inputs = drawn_inputs(random, graph);
    std::vector<Reals> wanted = reference_values(graph, inputs, true);
    return Case{std::move(graph), std::move(*plan), std::move(inputs), std::move(wanted)};
}

void check_values(const Case& c, const devices::OpenClDevice& device, double tolerance)
{
    const std::vector<Reals> found = run_on(device, c.plan, c.inputs);
    for (const PlannedKernel& planned : c.plan.kernels) {
        const auto id = static_cast<std::size_t>(planned.kernel.output);
        if (planned.conversion) {
            continue; // of a value that the reference does not know
        }
        REQUIRE(found[id].values.size() == c.wanted[id].values.size());
        double largest = 1;
        for (const double number : c.wanted[id].values) {
            largest = std::max(largest, std::abs(number));
        }
        for (std::size_t i = 0; i < found[id].values.size(); ++i) {
            CAPTURE(i, found[id].values[i], c.wanted[id].values[i]);
            REQUIRE(std::abs(found[id].values[i] - c.wanted[id].values[i]) <= tolerance * largest);
        }
    }
}

/// What each kernel reads of the values that come to it.
void check_reads(const Case& c, const devices::OpenClDevice& device)
{
    for (const PlannedKernel& planned : c.plan.kernels) {
        const NodeKernel& kernel = planned.kernel;
        std::vector<std::vector<float>> inputs;
        for (std::size_t i = 0; i < kernel.inputs.size(); ++i) {
            const auto id = static_cast<std::size_t>(kernel.inputs[i]);
            std::vector<float> numbers =
                kernel.inputs[i] == no_value ? kernel.made.at(i) : std::vector<float>();
            if (kernel.inputs[i] != no_value && id < c.wanted.size()) {
                numbers.assign(c.wanted[id].values.begin(), c.wanted[id].values.end());
            }
            const codegen::Operand& operand = planned.nest.inputs[i];
            // a conversion's: zeros
            numbers.resize(static_cast<std::size_t>(operand.tensor.size()));
            inputs.push_back(codegen::pack(operand, numbers));
        }
        const auto generated = texelscope::test::generated_reads(launch_of(planned.nest), 7);
        CHECK(device.record(planned.nest, inputs) == generated);
    }
}

void check_kind(const std::string& kind)
{
    const devices::OpenClDevice pocl("pocl");
    const devices::OpenClDevice other(texelscope::test::rusticl());
    const bool network = kind == "network";
    const int kernels = network ? 4 : 1; // at least, of each case
    const int cases = (texelscope::test::kernel_cases(7, 100) + kernels - 1) / kernels;
    int checked = 0;
    for (int i = 0; i < cases; ++i) {
        const bool half = network ? i % 2 == 1 : i % 7 == 6;
        const codegen::Storage storage = half ? codegen::Storage::fp16 : codegen::Storage::fp32;
        const std::optional<Case> c = drawn_case(kind, static_cast<std::uint64_t>(i) + 1, storage);
        if (!c) {
            continue;
        }
        ++checked;
        CAPTURE(kind, i, kernels_text(c->plan));
        check_values(*c, pocl, half ? 2e-2 : 1e-5);
        if (i % 4 == 0 || texelscope::test::kernel_cases_are_asked()) {
            check_values(*c, other, half ? 2e-2 : 1e-5);
        }
        if (i % 2 == 0 && !half) {
            check_reads(*c, pocl);
        }
    }
    CHECK(checked >= cases * 3 / 4);
}

} // namespace

TEST_CASE("Random kernels of convolutions compute them, and read what is said", "[opencl]")
{
    check_kind("conv");
}

TEST_CASE("Random kernels of depthwise convolutions compute them, and read what is said",
          "[opencl]")
{
    check_kind("depthwise");
}

TEST_CASE("Random kernels of convolutions of one and three dimensions compute them, and read what "
          "is said",
          "[opencl]")
{
    check_kind("conv of rank");
}

TEST_CASE("Random kernels of transposed convolutions compute them, and read what is said",
          "[opencl]")
{
    check_kind("conv transpose");
}

TEST_CASE("Random kernels of general matrix products compute them, and read what is said",
          "[opencl]")
{
    check_kind("gemm");
}

TEST_CASE("Random kernels of stacks of matrix products compute them, and read what is said",
          "[opencl]")
{
    check_kind("matmul");
}

TEST_CASE("Random kernels of pools compute them, and read what is said", "[opencl]")
{
    check_kind("pool");
}

TEST_CASE("Random kernels of pools of everything compute them, and read what is said", "[opencl]")
{
    check_kind("global pool");
}

TEST_CASE("Random kernels of reductions compute them, and read what is said", "[opencl]")
{
    check_kind("reduction");
}

TEST_CASE("Random kernels of functions of elements compute them, and read what is said", "[opencl]")
{
    check_kind("elementwise");
}

TEST_CASE("Random kernels of softmax and layer normalisation compute them, and read what is said",
          "[opencl]")
{
    check_kind("sweep");
}

TEST_CASE("Random kernels of batch normalisation compute them, and read what is said", "[opencl]")
{
    check_kind("batch norm");
}

TEST_CASE("Random kernels of nodes that move numbers compute them, and read what is said",
          "[opencl]")
{
    check_kind("movement");
}

TEST_CASE("Random kernels of depth to space compute them, and read what is said", "[opencl]")
{
    check_kind("depth to space");
}

TEST_CASE("Random kernels of weights' gradients compute them, and read what is said", "[opencl]")
{
    check_kind("weight gradient");
}

TEST_CASE("Random kernels of pools' gradients compute them, and read what is said", "[opencl]")
{
    check_kind("pool gradient");
}

TEST_CASE("Random kernels of functions' gradients compute them, and read what is said", "[opencl]")
{
    check_kind("slope");
}

TEST_CASE("Random kernels of training's sums compute them, and read what is said", "[opencl]")
{
    check_kind("training sums");
}

TEST_CASE("Random kernels that resize compute it, and read what is said", "[opencl]")
{
    check_kind("resize");
}

TEST_CASE("Random kernels that pad with a tensor's own numbers compute it, and read what is said",
          "[opencl]")
{
    check_kind("own padding");
}

TEST_CASE("Random kernels that take rows by number compute it, and read what is said", "[opencl]")
{
    check_kind("look up");
}

TEST_CASE("Random kernels of local response normalisation compute it, and read what is said",
          "[opencl]")
{
    check_kind("local response");
}

TEST_CASE("Random kernels that quantize compute it, and read what is said", "[opencl]")
{
    check_kind("quantized");
}

TEST_CASE("Every kind of random node has a test")
{
    CHECK(node_kinds().size() == 23);
}

TEST_CASE("Random networks under random schedules compute what they are, and read what is said",
          "[opencl]")
{
    check_kind("network");
}
