// Gradients of random nodes and networks, in double precision, against differences of the loss; and
// their kernels on PoCL.

#include "base/error.hpp"
#include "networks/operators/node_operator.hpp"
#include "networks/passes/simplify.hpp"
#include "networks/training/gradients.hpp"
#include "tests/networks/device_run.hpp"
#include "tests/networks/random_network.hpp"
#include "tests/networks/random_node.hpp"
#include "tests/random_cases.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <set>

using namespace texelscope;
using namespace texelscope::networks;
using texelscope::test::Random;

namespace {

/// Numbers that no function has a kink at, and no window twice.
Reals drawn(Random& random, const Shape& shape)
{
    Reals numbers{shape, {}};
    for (std::int64_t i = 0; i < element_count(shape); ++i) {
        numbers.values.push_back(
            static_cast<double>(static_cast<float>(random.between(-1000000, 1000000)) / 1e6F));
    }
    return numbers;
}

/// The graph whose parameters are inputs, and the sum of all its outputs, each number times one
/// that was drawn.
Graph with_loss(Random& random, Graph graph, ValueId& loss)
{
    for (const ValueId id : parameters(graph)) {
        graph.constants.erase(id);
        graph.inputs.push_back(id);
    }
    loss = no_value;
    for (const ValueId output : graph.outputs) {
        const Shape shape = graph.value(output).shape;
        const Reals weights = drawn(random, shape);
        const ValueId by =
            graph.add_constant("by", shape, {weights.values.begin(), weights.values.end()});
        const ValueId product = graph.add_value("product", shape);
        const ValueId sum = graph.add_value("sum", {});
        Attributes whole;
        whole.set("keepdims", std::int64_t{0});
        graph.nodes.push_back({"product", "Mul", {output, by}, {product}, {}});
        graph.nodes.push_back({"sum", "ReduceSum", {product}, {sum}, whole});
        if (loss != no_value) {
            const ValueId both = graph.add_value("both", {});
            graph.nodes.push_back({"both", "Add", {loss, sum}, {both}, {}});
            loss = both;
        } else {
            loss = sum;
        }
    }
    graph.outputs = {loss};
    return graph;
}

double loss_of(const Graph& graph, ValueId loss, const std::vector<Reals>& inputs)
{
    return reference_values(graph, inputs)[static_cast<std::size_t>(loss)].values.front();
}

/// Some numbers of each gradient against central differences.
void check_differences(Random& random, const Graph& graph)
{
    ValueId loss = no_value;
    const Graph forward = with_loss(random, graph, loss);
    std::vector<Reals> inputs;
    for (const ValueId id : forward.inputs) {
        inputs.push_back(drawn(random, forward.value(id).shape));
    }
    const Gradients gradients = with_gradients(forward, loss, forward.inputs);
    check_graph(gradients.graph);
    const std::vector<Reals> values = reference_values(gradients.graph, inputs, true);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const auto found = gradients.of.find(forward.inputs[i]);
        std::vector<double> zeros(inputs[i].values.size(), 0.0);
        const std::vector<double>& gradient =
            found == gradients.of.end() ? zeros
                                        : values[static_cast<std::size_t>(found->second)].values;
        REQUIRE(gradient.size() == inputs[i].values.size());
        double largest = 1e-3;
        for (const double number : gradient) {
            largest = std::max(largest, std::abs(number));
        }
        constexpr std::int64_t looked_at = 6;
        constexpr double step = 1e-6;
        for (std::int64_t k = 0; k < std::min<std::int64_t>(looked_at, std::ssize(gradient)); ++k) {
            const auto at = static_cast<std::size_t>(random.between(0, std::ssize(gradient) - 1));
            std::vector<Reals> moved = inputs;
            moved[i].values[at] += step;
            const double up = loss_of(forward, loss, moved);
            moved[i].values[at] -= 2 * step;
            const double difference = (up - loss_of(forward, loss, moved)) / (2 * step);
            CAPTURE(forward.value(forward.inputs[i]).name, at, gradient[at], difference, largest);
            CHECK(std::abs(gradient[at] - difference) <= 1e-6 * largest + 1e-8);
        }
    }
}

/// What has no gradient yet, by the name that is said.
std::string refused(const Graph& graph)
{
    Random random(1);
    ValueId loss = no_value;
    const Graph forward = with_loss(random, graph, loss);
    try {
        (void)with_gradients(forward, loss, forward.inputs);
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

} // namespace

TEST_CASE("Gradients of random nodes are what differences of the loss say")
{
    std::set<std::string> without;
    int checked = 0;
    for (const std::string& kind : networks::test::node_kinds()) {
        const int seeds = texelscope::test::random_cases(8, 60);
        for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(seeds); ++seed) {
            Random random(seed);
            const Graph graph = networks::test::random_node(random, kind);
            CAPTURE(kind, seed);
            if (const std::string why = refused(graph); !why.empty()) {
                without.insert(why.substr(0, why.find(';')));
                continue;
            }
            check_differences(random, graph);
            ++checked;
        }
    }
    // And what backward passes alone have: there are no second derivatives.
    std::erase_if(without, [](const std::string& why) {
        return why.find("Gradient") != std::string::npos || why.find("Tap") != std::string::npos ||
               why.find("AddScaled") != std::string::npos;
    });
    const auto is_named = [](const std::string& why) {
        return std::ranges::any_of(
            std::vector<std::string>{"a Slice with steps", "a Pad that cuts or repeats",
                                     "a Gather whose indices are not constant", "of LRN"},
            [&](const std::string& known) { return why.find(known) != std::string::npos; });
    };
    CAPTURE(without);
    CHECK(std::ranges::all_of(without, is_named)); // all others have one
    CHECK(checked > 60);
}

TEST_CASE("Gradients where a function has no slope or two are those that PyTorch takes")
{
    // PRelu: the slope at zero, and a small one to all of its digits; the length of a row of zeros
    // has none.
    for (const bool length : {false, true}) {
        Graph graph;
        const ValueId x = graph.add_value("x", {1, 4}),
                      y = graph.add_value("y", length ? Shape{1, 1} : Shape{1, 4});
        graph.inputs = {x};
        Attributes along;
        along.set("axes", std::vector<std::int64_t>{1});
        if (length) {
            graph.nodes.push_back({"y", "ReduceL2", {x}, {y}, along});
        } else {
            graph.nodes.push_back(
                {"y", "PRelu", {x, graph.add_constant("slope", {1}, {1e-6F})}, {y}, {}});
        }
        const ValueId loss = graph.add_value("loss", {});
        Attributes whole;
        whole.set("keepdims", std::int64_t{0});
        graph.nodes.push_back({"loss", "ReduceSum", {y}, {loss}, whole});
        graph.outputs = {loss};
        const Gradients gradients = with_gradients(graph, loss, {x});
        const Reals given{
            {1, 4}, length ? std::vector<double>(4, 0.0) : std::vector<double>{-2, 0, 3, -0.5}};
        const auto values = reference_values(gradients.graph, {given}, true);
        const double slope = 1e-6F;
        CHECK(values[static_cast<std::size_t>(gradients.of.at(x))].values ==
              (length ? std::vector<double>(4, 0.0) : std::vector<double>{slope, slope, 1, slope}));
    }
}

TEST_CASE("Gradients of networks whose values are read several times")
{
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        Random random(seed);
        CAPTURE(seed);
        check_differences(random, simplified(networks::test::random_network(seed)));
    }
}
