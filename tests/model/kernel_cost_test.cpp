#include "base/error.hpp"
#include "model/tmmodel/kernel_cost.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <set>
#include <string>

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
    kernel.warp_items = 32;
    const ModelDevice device{
        .cache_lines = 16, .cores = 3, .warp_size = 64, .occupancy = 8, .executing = 2};

    const KernelCost literal = predict(kernel, device, small_calibration(), ModelVariant::literal);
    REQUIRE(literal.thread.size() == 2);
    CHECK(literal.thread[0].value == Approx(2 * 4 + 3 * 1 + 10 * 5)); // 61
    CHECK(literal.thread[1].value == Approx(3 * 7 + 10 * 8));         // 101
    // 8*1 + 8*4 = 40 lines: ceil(24 / 16)
    CHECK(literal.exponent == 2);
    CHECK(literal.warp.value == Approx(162 * 4));
    CHECK(literal.occupancy_groups == 5); // ceil(100 / 24)
    CHECK(literal.kernel.value == Approx(162 * 4 * 5));
    CHECK(literal.at(ModelLevel::thread).value == Approx(162));
    CHECK(literal.at(ModelLevel::warp) == literal.warp);
    CHECK(literal.at(ModelLevel::integrated) == literal.kernel);

    const KernelCost refined = predict(kernel, device, small_calibration(), ModelVariant::refined);
    CHECK(refined.thread == literal.thread);
    CHECK(refined.exponent == 9); // 32*1 + 32*4 = 160 lines: ceil(144 / 16)
    CHECK(refined.warp.value == Approx(162 * 512));
    // ceil(100 / 3) = 34 work-groups on a core, 136 warps, two at a time
    CHECK(refined.occupancy_groups == 68);
    CHECK(refined.kernel.value == Approx(162 * 512 * 68));

    const KernelCost reuse =
        predict(kernel, device, small_calibration(), ModelVariant::reuse_aware);
    CHECK(reuse.thread[0].value == Approx(5 * 2 + 10 * 5));
    CHECK(reuse.thread[1].value == Approx(10 * 8));
    CHECK(reuse.occupancy_groups == 68);
    CHECK(reuse.kernel.value == Approx((60 + 80) * 512 * 68));
}

TEST_CASE(
    "literal and refined agree where a work-group is one warp, and one group of warps is the least")
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

TEST_CASE("each symbol's other readings, by hand")
{
    ModelKernel kernel;
    kernel.inputs = {input(4, 1, 5, {8, 1}), input(0, 7, 8, {8, 4})};
    kernel.inputs[1].tile = 3;
    kernel.work_groups = 100;
    kernel.warps_per_group = 4;
    kernel.warp_items = 32;
    const ModelDevice device{
        .cache_lines = 16, .cores = 3, .warp_size = 64, .occupancy = 8, .executing = 2};
    const auto cost = [&](const Reading& reading) {
        return predict(kernel, device, small_calibration(), reading);
    };

    CHECK(cost({.strides = Reading::Strides::average}).thread[0].value == Approx(61.0 / 5));
    // ceil(400 / 24)
    CHECK(cost({.counted = Reading::Counted::warps}).occupancy_groups == 17);
    // ceil(34 * 4 / 8)
    CHECK(cost({.counted = Reading::Counted::warps_of_core}).occupancy_groups == 17);
    // ceil(100 / (3 * 2))
    CHECK(cost({.fits = Reading::Fits::registers_and_units}).occupancy_groups == 17);
    // 32*1 + 32*4 = 160
    CHECK(cost({.width = Reading::Width::warp}).exponent == 9);
    // 8 warps: 8 * 40 = 320
    CHECK(cost({.sharing = Reading::Sharing::occupancy_group}).exponent == 19);
    // 8*1 + 8*4*3 = 104: ceil(88 / 16)
    CHECK(cost({.distance = Reading::Distance::tile}).exponent == 6);
    // Fewer warps than would fit: those that there are share the lines. ceil(3 / 3) = 1 work-group
    // of 4 warps.
    kernel.work_groups = 3;
    CHECK(cost({.sharing = Reading::Sharing::occupancy_group}).exponent == 9); // 4 * 40 = 160
}

TEST_CASE("over random kernels: units never make fewer groups, warps of all cores never more than "
          "of the fullest")
{
    std::mt19937_64 random(5);
    const auto draw = [&](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(random);
    };
    for (int i = 0; i < 2000; ++i) {
        ModelKernel kernel;
        kernel.inputs = {input(draw(1, 9), draw(1, 9), draw(9, 20), {draw(1, 64), draw(0, 8)})};
        kernel.inputs.front().tile = draw(1, 8);
        kernel.work_groups = draw(1, 500);
        kernel.warps_per_group = draw(1, 16);
        kernel.warp_items = draw(1, 64);
        const ModelDevice device{.cache_lines = draw(1, 64),
                                 .cores = draw(1, 12),
                                 .occupancy = draw(1, 16),
                                 .executing = draw(0, 8)};
        CAPTURE(i, kernel.work_groups, kernel.warps_per_group, device.cores, device.occupancy,
                device.executing);
        for (Reading reading : all_readings()) {
            const KernelCost cost = predict(kernel, device, small_calibration(), reading);
            if (!(cost.kernel.value > 0) || cost.occupancy_groups < 1) {
                FAIL(to_string(reading));
            }
            Reading other = reading;
            other.fits = Reading::Fits::registers_and_units;
            if (predict(kernel, device, small_calibration(), other).occupancy_groups <
                cost.occupancy_groups) {
                FAIL(to_string(reading));
            }
            if (reading.counted == Reading::Counted::warps) {
                other = reading;
                other.counted = Reading::Counted::warps_of_core;
                if (predict(kernel, device, small_calibration(), other).occupancy_groups <
                    cost.occupancy_groups) {
                    FAIL(to_string(reading));
                }
            }
        }
        // Where nothing is known of the units, registers alone decide.
        const ModelDevice unknown{.cache_lines = device.cache_lines,
                                  .cores = device.cores,
                                  .occupancy = device.occupancy,
                                  .executing = 0};
        Reading by_registers = best_reading();
        by_registers.fits = Reading::Fits::registers;
        CHECK(predict(kernel, unknown, small_calibration(), best_reading()).kernel ==
              predict(kernel, unknown, small_calibration(), by_registers).kernel);
    }
}

TEST_CASE("every reading has words of its own")
{
    std::set<std::string> texts;
    for (const Reading& reading : all_readings()) {
        texts.insert(to_string(reading));
    }
    CHECK(texts.size() == all_readings().size());
    CHECK(all_readings().front() == Reading{});
    CHECK(std::ranges::count(all_readings(), best_reading()) == 1);
    CHECK(to_string(Reading{}) == "as printed");
}

TEST_CASE("a histogram of many work-items counts as their mean")
{
    ModelKernel kernel;
    kernel.inputs = {input(40, 10, 50, {8, 1})};
    kernel.inputs.front().items = 10;
    const ModelDevice device{.cache_lines = 16};
    CHECK(
        predict(kernel, device, small_calibration(), ModelVariant::literal).thread.front().value ==
        Approx(61));
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
    options.machine.cores = 6;
    options.machine.warp_size = 32;
    options.machine.l1().geometry = {.capacity = Bytes{2048}, .line = Bytes{64}};
    options.machine.registers_per_core = 32 * 1024;
    options.kernel.registers_per_item = 100;
    const ModelDevice device = model_device(options);
    CHECK(device.cache_lines == 32);
    CHECK(device.cores == 6);
    CHECK(device.warp_size == 32);
    CHECK(device.occupancy == 10); // floor(32768 / (100 * 32))
    CHECK(device.executing == 0);
    options.machine.timing.alu_lanes = 120.9; // as measured, of 128
    CHECK(model_device(options).executing == 4);
    options.machine.timing.alu_lanes = 4;
    CHECK(model_device(options).executing == 1);
    options.machine.l1().geometry.line = Bytes{0};
    CHECK_THROWS_AS(model_device(options), Error);
}

TEST_CASE("names of the variants read back")
{
    for (const ModelVariant variant : all_model_variants) {
        CHECK(parse_model_variant(to_string(variant)) == variant);
    }
    CHECK_THROWS_AS(parse_model_variant("best"), Error);
}
