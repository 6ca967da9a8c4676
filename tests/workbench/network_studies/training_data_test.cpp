// Samples of training: which of them make a batch, and what cannot be divided into batches.

#include "networks/models/builder.hpp"
#include "workbench/network_studies/network_training.hpp"

#include <catch2/catch.hpp>

#include <utility>
#include <vector>

using namespace texelscope;
using namespace texelscope::workbench::network_studies;

TEST_CASE("Batches take samples one after the other, and again from the first")
{
    networks::Builder net("rows", 1);
    const networks::ValueId x = net.input("x", {4, 3});
    const networks::TrainingStep step =
        networks::training_step(std::move(net).finish(net.gemm(x, 2)), {});
    for (const std::int64_t samples : {4, 6, 7, 3}) {
        const TrainingData data = drawn_data(step, networks::Loss::cross_entropy, samples, 5);
        const networks::ValueId input = step.graph.inputs.front();
        REQUIRE(data.numbers.at(input).size() == static_cast<std::size_t>(3 * samples));
        for (std::int64_t run = 0; run < 9; ++run) {
            const std::vector<float> batch = batch_of(step, data, input, run);
            REQUIRE(batch.size() == 12);
            for (std::int64_t i = 0; i < 12; ++i) {
                const std::int64_t sample = (4 * run + i / 3) % samples;
                CHECK(batch[static_cast<std::size_t>(i)] ==
                      data.numbers.at(input)[static_cast<std::size_t>(3 * sample + i % 3)]);
            }
        }
    }
}

TEST_CASE("A network whose batch is not in front is told so")
{
    networks::Builder net("turned", 1);
    const networks::ValueId x = net.input("x", {4, 3});
    const networks::Graph graph = std::move(net).finish(net.transpose(net.gemm(x, 2), {1, 0}));
    const networks::TrainingStep step = networks::training_step(graph, {});
    CHECK_THROWS_WITH(drawn_data(step, networks::Loss::cross_entropy, 8, 1),
                      Catch::Contains("turned: its input x is 4x3, its output 2x4") &&
                          Catch::Contains("batch first"));
}
