#include "base/error.hpp"
#include "base/random.hpp"
#include "model/tmmodel/kernel_interval.hpp"
#include "small_device.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

using namespace texelscope::model;
using namespace texelscope::test;

namespace {

Calibration calibrated()
{
    return calibrate_simulated(small_device(), short_walks(240, 3));
}

/// A kernel whose images are read as the walks of these numbers read theirs.
ModelKernel kernel_of(const Calibration& calibration, const std::vector<std::size_t>& walks)
{
    ModelKernel kernel;
    for (const std::size_t walk : walks) {
        ModelKernel::Input input;
        input.histogram = calibration.walks.at(walk).histogram;
        input.fresh = calibration.fresh_walks.at(walk).histogram;
        input.warp = {.w = 16, .s = 4};
        kernel.inputs.push_back(input);
    }
    kernel.work_groups = 100;
    kernel.warps_per_group = 4;
    kernel.warp_items = 16;
    return kernel;
}

const ModelDevice device{.cache_lines = 16, .cores = 2, .occupancy = 4};

} // namespace

TEST_CASE("the interval of a kernel adds up those of its images and scales as the prediction does")
{
    const Calibration calibration = calibrated();
    const KernelIntervals intervals(calibration);
    const HeldOutErrors errors(calibration.walks, calibration.held_out);
    const HeldOutErrors fresh_errors(calibration.fresh_walks, calibration.fresh_held_out);
    const ModelKernel kernel = kernel_of(calibration, {5, 6});
    for (const ModelVariant variant :
         {ModelVariant::literal, ModelVariant::refined, ModelVariant::reuse_aware}) {
        CAPTURE(to_string(variant));
        const bool fresh = variant == ModelVariant::reuse_aware;
        const LinearModel& model = fresh ? calibration.reuse_thread : calibration.thread;
        double low = 0;
        double high = 0;
        for (const ModelKernel::Input& input : kernel.inputs) {
            const CrossBlockHistogram& histogram = fresh ? input.fresh : input.histogram;
            // 5 % for each of two
            const double bound = (fresh ? fresh_errors : errors).bound(histogram, 0.95).log_error;
            low += model.predict(histogram).value / std::exp(bound);
            high += model.predict(histogram).value * std::exp(bound);
        }
        // Both images: 2 * 16 * 4 lines in use, 16 there, exponent 7; 100 work-groups of 4 warps on
        // 2 cores of 4 warps.
        const double factor =
            std::pow(calibration.thrash.d, 7) * (variant == ModelVariant::literal ? 13 : 50);
        const KernelCost cost = predict(kernel, device, calibration, variant);
        const KernelInterval interval = intervals.of(kernel, cost, variant).value();
        CHECK(interval.level == 0.9);
        CHECK(interval.low.value == Approx(low * factor));
        CHECK(interval.high.value == Approx(high * factor));
        CHECK(interval.low < cost.kernel);
        CHECK(cost.kernel < interval.high);
        CHECK_FALSE(interval.outside);
        CHECK(intervals.of(kernel, cost, variant, 0.5)->high < interval.high);
    }
}

TEST_CASE("what was not calibrated has no interval, and what lies outside has no bounds")
{
    const Calibration calibration = calibrated();
    const KernelIntervals intervals(calibration);
    ModelKernel kernel = kernel_of(calibration, {5, 6});
    const KernelCost cost = predict(kernel, device, calibration, ModelVariant::literal);
    CHECK_FALSE(intervals.of(kernel, cost, ModelVariant::bottleneck));
    CHECK_FALSE(intervals.of(kernel_of(calibration, {}), KernelCost{}, ModelVariant::literal));
    Calibration without = calibration;
    without.held_out.clear();
    without.fresh_held_out.clear();
    CHECK_FALSE(KernelIntervals(without).of(kernel, cost, ModelVariant::literal));

    KernelCost negative = cost;
    negative.thread[1] = Nanoseconds{-1};
    CHECK(intervals.of(kernel, negative, ModelVariant::literal)->outside);
    for (CrossBlockHistogram::Bin& bin : kernel.inputs[1].histogram.bins) {
        bin.x = 10 * kernel.inputs[1].histogram.accesses;
    }
    const KernelInterval open =
        intervals
            .of(kernel, predict(kernel, device, calibration, ModelVariant::literal),
                ModelVariant::literal)
            .value();
    CHECK(open.outside);
    CHECK_FALSE(open.bounded());
    CHECK(open.low.value == 0);
}

TEST_CASE("too few walks leave more images open than fewer")
{
    const Calibration few = calibrate_simulated(small_device(), short_walks(12, 3));
    const KernelIntervals intervals(few);
    const auto interval = [&](const std::vector<std::size_t>& walks) {
        const ModelKernel kernel = kernel_of(few, walks);
        return intervals
            .of(kernel, predict(kernel, device, few, ModelVariant::literal), ModelVariant::literal)
            .value();
    };
    // 0.9 takes 9 walks, 0.95 takes 19.
    CHECK(interval({1}).bounded());
    const KernelInterval open = interval({1, 2});
    CHECK_FALSE(open.bounded());
    CHECK_FALSE(open.outside);
    CHECK(open.low.value == 0);
}

TEST_CASE("nine of ten sums of two unseen walks lie within their interval")
{
    const Calibration unseen = calibrate_simulated(small_device(), short_walks(800, 17));
    std::mt19937_64 random(5);
    for (const int count : {40, 240}) {
        const Calibration calibration = calibrate_simulated(small_device(), short_walks(count, 23));
        const KernelIntervals intervals(calibration);
        for (const ModelVariant variant : {ModelVariant::literal, ModelVariant::reuse_aware}) {
            int bounded = 0;
            int inside = 0;
            for (int i = 0; i < 800; ++i) {
                const std::size_t a = uniform_below(random, 800);
                const std::size_t b = uniform_below(random, 800);
                const ModelKernel kernel = kernel_of(unseen, {a, b});
                const KernelCost cost = predict(kernel, device, calibration, variant);
                const KernelInterval interval = intervals.of(kernel, cost, variant).value();
                // Read one after the other by one work-item at a time, the walks take what each of
                // them takes.
                const double factor = cost.kernel.value / (cost.thread[0] + cost.thread[1]).value;
                const double measured =
                    200 * factor * (unseen.walks[a].per_access + unseen.walks[b].per_access).value;
                if (interval.bounded()) {
                    ++bounded;
                    inside +=
                        interval.low.value <= measured && measured <= interval.high.value ? 1 : 0;
                }
            }
            CAPTURE(count, to_string(variant), bounded, inside);
            CHECK(inside >= 0.85 * bounded);
            CHECK(bounded >= 600);
        }
    }
}
