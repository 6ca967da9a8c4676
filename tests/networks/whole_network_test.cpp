// Whole networks on a device, every tensor against the reference.

#include "networks/models/models.hpp"
#include "networks/passes/simplify.hpp"
#include "tests/networks/device_run.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>

using namespace texelscope;
using namespace texelscope::networks;
using namespace texelscope::networks::test;

namespace {

std::vector<Reals> drawn_inputs(const Graph& graph, unsigned seed)
{
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> number(-1, 1);
    std::vector<Reals> inputs;
    for (const ValueId id : graph.inputs) {
        Reals input{graph.value(id).shape, {}};
        for (std::int64_t i = 0; i < element_count(input.shape); ++i) {
            input.values.push_back(static_cast<float>(number(random)));
        }
        inputs.push_back(std::move(input));
    }
    return inputs;
}

void check_network(const devices::OpenClDevice& device, const std::string& name)
{
    const Graph graph = simplified(find_model(name)->make(1, 1));
    const std::vector<Reals> inputs = drawn_inputs(graph, 5);
    const std::vector<Reals> wanted = reference_values(graph, inputs, true);
    const Plan plan = starting_plan(graph);
    const std::vector<Reals> found = run_on(device, plan, inputs);
    CAPTURE(name);
    for (const PlannedKernel& planned : plan.kernels) {
        const auto id = static_cast<std::size_t>(planned.kernel.output);
        if (id >= wanted.size()) {
            continue; // a conversion's
        }
        double largest = 0;
        double error = 0;
        for (std::size_t i = 0; i < wanted[id].values.size(); ++i) {
            largest = std::max(largest, std::abs(wanted[id].values[i]));
            const double difference = std::abs(found[id].values[i] - wanted[id].values[i]);
            error = std::isnan(difference) ? HUGE_VAL : std::max(error, difference);
        }
        CAPTURE(planned.kernel.op.name, graph.value(planned.kernel.output).name, error, largest);
        CHECK(error <= 1e-4 * largest);
    }
}

} // namespace

TEST_CASE("Small networks on PoCL compute every tensor as the reference does", "[opencl]")
{
    const devices::OpenClDevice device("pocl");
    for (const char* name : {"mlp-784-256-128-16", "lenet-5", "fsrcnn"}) {
        check_network(device, name);
    }
}

TEST_CASE("Larger networks on PoCL compute every tensor as the reference does", "[opencl][long]")
{
    const devices::OpenClDevice device("pocl");
    for (const char* name : {"squeezenet-1.0", "vit-tiny", "mobilenet-v2", "resnet-18"}) {
        check_network(device, name);
    }
}
