#include "base/error.hpp"
#include "model/tmmodel/kernel_cost.hpp"

#include <catch2/catch.hpp>

using namespace texelscope::model;

namespace {

/// 2 ns for a stride along x, 3 along y, 10 for an access; over fresh blocks 5 and 10. D = 2.
Calibration small_calibration()
{
    Calibration calibration;
    calibration.thread.shapes = {{1, 1}};
    calibration.thread.beta = {2, 3, 10};
    calibration.reuse_thread.shapes = {{1, 1}};
    calibration.reuse_thread.beta = {5, 0, 10};
    calibration.thrash.d = 2;
    return calibration;
}

ModelKernel::Input input(std::int64_t x, std::int64_t y, std::int64_t accesses, WarpInput warp)
{
    return {.image = "A",
            .pattern = "",
            .histogram = {{{{1, 1}, x, y}}, accesses},
            .fresh = {{{{1, 1}, x / 2, 0}}, accesses},
            .warp = warp};
}

} // namespace

TEST_CASE("a kernel with two inputs, level by level, by hand")
{
    ModelKernel kernel;
    kernel.inputs = {input(4, 1, 5, {8, 1}), input(0, 7, 8, {8, 4})};
    kernel.work_groups = 100;
    kernel.warps_per_group = 4;
    const ModelDevice device{.cache_lines = 16, .cores = 3, .warp_size = 64, .occupancy = 8};

    const KernelCost literal = predict(kernel, device, small_calibration(), ModelVariant::literal);
    REQUIRE(literal.thread.size() == 2);
    CHECK(literal.thread[0].value == Approx(2 * 4 + 3 * 1 + 10 * 5)); // 61
    CHECK(literal.thread[1].value == Approx(3 * 7 + 10 * 8));         // 101
    CHECK(literal.exponent == 2);                                     // 8*1 + 8*4 = 40 lines: ceil(24 / 16)
    CHECK(literal.warp.value == Approx(162 * 4));
    CHECK(literal.occupancy_groups == 5); // ceil(100 / 24)
    CHECK(literal.kernel.value == Approx(162 * 4 * 5));

    const KernelCost refined = predict(kernel, device, small_calibration(), ModelVariant::refined);
    CHECK(refined.warp == literal.warp);
    CHECK(refined.occupancy_groups == 17); // ceil(400 / 24)
    CHECK(refined.kernel.value == Approx(162 * 4 * 17));

    const KernelCost reuse = predict(kernel, device, small_calibration(), ModelVariant::reuse_aware);
    CHECK(reuse.thread[0].value == Approx(5 * 2 + 10 * 5));
    CHECK(reuse.thread[1].value == Approx(10 * 8));
    CHECK(reuse.occupancy_groups == 17);
    CHECK(reuse.kernel.value == Approx((60 + 80) * 4 * 17));
}

TEST_CASE("literal and refined agree where a work-group is one warp, and one group of warps is the least")
{
    ModelKernel kernel;
    kernel.inputs = {input(1, 1, 2, {4, 1})};
    const ModelDevice device{.cache_lines = 16, .cores = 4, .warp_size = 64, .occupancy = 16};
    for (const ModelVariant variant : {ModelVariant::literal, ModelVariant::refined}) {
        CHECK(predict(kernel, device, small_calibration(), variant).occupancy_groups == 1);
        kernel.work_groups = 129;
        CHECK(predict(kernel, device, small_calibration(), variant).occupancy_groups == 3);
        kernel.work_groups = 1;
    }
}

TEST_CASE("a histogram of many work-items counts as their mean")
{
    ModelKernel kernel;
    kernel.inputs = {input(40, 10, 50, {8, 1})};
    kernel.inputs.front().items = 10;
    const ModelDevice device{.cache_lines = 16};
    CHECK(predict(kernel, device, small_calibration(), ModelVariant::literal).thread.front().value == Approx(61));
}

TEST_CASE("a prediction refuses counts that are not positive and histograms that do not fit")
{
    ModelKernel kernel;
    kernel.inputs = {input(1, 1, 2, {4, 1})};
    const ModelDevice device{.cache_lines = 16};
    const auto cost = [&](const ModelKernel& k, const ModelDevice& d) {
        return predict(k, d, small_calibration(), ModelVariant::literal);
    };
    CHECK_NOTHROW(cost(kernel, device));
    CHECK_THROWS_AS(cost(kernel, {.cache_lines = 0}), Error);
    CHECK_THROWS_AS(cost(kernel, {.cache_lines = 16, .cores = 0}), Error);
    CHECK_THROWS_AS(cost(kernel, {.cache_lines = 16, .occupancy = 0}), Error);
    ModelKernel bad = kernel;
    bad.work_groups = 0;
    CHECK_THROWS_AS(cost(bad, device), Error);
    bad = kernel;
    bad.inputs.front().items = 0;
    CHECK_THROWS_AS(cost(bad, device), Error);
    bad = kernel;
    bad.inputs.front().histogram.bins.front().block = {2, 2};
    CHECK_THROWS_AS(cost(bad, device), Error);
    bad = kernel;
    bad.inputs.front().fresh = {};
    CHECK_THROWS_AS(predict(bad, device, small_calibration(), ModelVariant::reuse_aware), Error);
    Calibration paper_only = small_calibration();
    paper_only.reuse_thread = {};
    CHECK_THROWS_AS(predict(kernel, device, paper_only, ModelVariant::reuse_aware), Error);
}

TEST_CASE("the model's view of a simulated device")
{
    SimulationOptions options;
    options.cores = 6;
    options.warp_size = 32;
    options.l1 = {.capacity = Bytes{2048}, .line = Bytes{64}};
    options.registers_per_core = 32 * 1024;
    options.registers_per_item = 100;
    const ModelDevice device = model_device(options);
    CHECK(device.cache_lines == 32);
    CHECK(device.cores == 6);
    CHECK(device.warp_size == 32);
    CHECK(device.occupancy == 10); // floor(32768 / (100 * 32))
    options.l1.line = Bytes{0};
    CHECK_THROWS_AS(model_device(options), Error);
}

TEST_CASE("names of the variants read back")
{
    for (const ModelVariant variant : all_model_variants) {
        CHECK(parse_model_variant(to_string(variant)) == variant);
    }
    CHECK_THROWS_AS(parse_model_variant("best"), Error);
}
