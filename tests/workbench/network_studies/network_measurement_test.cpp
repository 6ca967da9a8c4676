// Networks on a device, their tensors against the reference.

#include "devices/kernels/opencl_device.hpp"
#include "networks/models/builder.hpp"
#include "networks/plan/plan.hpp"
#include "tests/base/random.hpp"
#include "workbench/network_studies/network_measurement.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

using namespace texelscope;
using namespace texelscope::workbench::network_studies;
using texelscope::test::Random;

namespace {

constexpr int rows = 64;
constexpr int columns = 12;

/// y + scale times the sum of the rows of x: one kernel makes both.
networks::Graph sums_of_rows(double scale)
{
    networks::Builder builder("sums", 1);
    const networks::ValueId x = builder.input("x", {rows, columns});
    const networks::ValueId y = builder.input("y", {1, columns});
    networks::Attributes over;
    over.set("axes", std::vector<std::int64_t>{0});
    networks::Attributes by;
    by.set("scale", scale);
    return std::move(builder).finish(
        builder.node("AddScaled", {y, builder.node("ReduceSum", {x}, over)}, by));
}

/// The second half of the rows is the first with its sign changed, in another order: their sums are
/// zero.
networks::TensorNumbers cancelling_rows(const networks::Graph& graph, Random& random)
{
    std::vector<float> x(rows * columns);
    for (int c = 0; c < columns; ++c) {
        std::vector<float> half(rows / 2);
        std::ranges::generate(
            half, [&] { return static_cast<float>(random.between(1, 1'000'000)) / 997.0F; });
        for (int r = 0; r < rows / 2; ++r) {
            x[static_cast<std::size_t>(r * columns + c)] = half[static_cast<std::size_t>(r)];
            x[static_cast<std::size_t>((rows - 1 - (r * 5 + 3) % (rows / 2)) * columns + c)] =
                -half[static_cast<std::size_t>(r)];
        }
    }
    return {{graph.inputs[0], std::move(x)}, {graph.inputs[1], std::vector<float>(columns, 0)}};
}

} // namespace

TEST_CASE("Sums that cancel are held to the sizes of what they add up", "[opencl]")
{
    const devices::OpenClDevice device("pocl");
    Random random(4);
    for (const double scale : {1.0, -0.25, 3.0}) {
        const networks::Graph graph = sums_of_rows(scale);
        const networks::Plan plan = networks::starting_plan(graph);
        REQUIRE(plan.kernels.size() == 1);
        const NetworkMeasurement run =
            measure_network(graph, plan, cancelling_rows(graph, random), device, {}, true);
        const std::vector<float>& found = run.found.at(graph.outputs.front());
        const auto size = [](float number) { return std::abs(number); };
        CAPTURE(scale, size(*std::ranges::max_element(found, {}, size)));
        // as single precision has it
        CHECK(std::ranges::any_of(found, [](float number) { return number != 0; }));
        CHECK(run.failed() == 0);
    }
}

TEST_CASE(
    "What is to be infinite or no number is right as such, and wrong in the place of a number",
    "[opencl]")
{
    const devices::OpenClDevice device("pocl");
    networks::Builder builder("logarithms", 1);
    const networks::ValueId x = builder.input("x", {1, 8});
    const networks::Graph graph = std::move(builder).finish(builder.node("Log", {x}, {}));
    const networks::Plan plan = networks::starting_plan(graph);
    const NetworkMeasurement run = measure_network(
        graph, plan, {{graph.inputs[0], {0, 1, -1, 2, 0.5F, 0, -3, 4}}}, device, {}, true);
    const std::vector<float>& found = run.found.at(graph.outputs.front());
    CHECK(std::isinf(found.at(0)));
    CHECK(std::isnan(found.at(2)));
    CHECK(run.failed() == 0);
    CHECK(run.checked.at(graph.outputs.front()).error < 1e-5);
}
