// Names of a model from elsewhere, and the kernels that are made of it.

#include "codegen/text/kernel_source.hpp"
#include "networks/plan/plan.hpp"
#include "tests/networks/random_network.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace texelscope;
using namespace texelscope::networks;

namespace {

std::vector<std::string> texts_of(const Graph& graph)
{
    Plan plan = starting_plan(graph);
    lower(plan);
    std::vector<std::string> texts;
    for (const PlannedKernel& each : plan.kernels) {
        texts.push_back(each.kernel.op.name + "\n" +
                        codegen::opencl_text(each.nest, codegen::TexelBackend::native));
    }
    return texts;
}

} // namespace

TEST_CASE("The text of kernels, and their names, do not depend on the names of a model")
{
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const Graph graph = networks::test::random_network(seed);
        Graph renamed = graph;
        renamed.name = "*/ kernel void f() {} /*";
        for (Value& value : renamed.values) {
            value.name += "\"); } kernel void g(global int *p) { p[0";
        }
        for (Node& node : renamed.nodes) {
            node.name += "../../${x}`y`\\";
        }
        CHECK_FALSE(texts_of(graph).empty());
        CHECK(texts_of(renamed) == texts_of(graph));
    }
}
