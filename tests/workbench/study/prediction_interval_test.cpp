#include "base/random.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "model/tmmodel/confidence.hpp"
#include "model/tmmodel/kernel_interval.hpp"
#include "workbench/space/operator_space.hpp"
#include "workbench/study/launch_result.hpp"
#include "workbench/study/prediction.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>

using namespace texelscope::workbench::study;

TEST_CASE("A kernel has no bounds exactly where an image is farther from the walks than any walk "
          "is from the others")
{
    const DeviceProfile device = find_profile("adreno-750");
    const Calibration calibration = calibrate_profile(device, 1);
    const KernelIntervals intervals(calibration);
    const auto farthest = [](const CalibratedRegion& region) {
        return *std::max_element(region.walk_distances().begin(), region.walk_distances().end());
    };
    const CalibratedRegion region(calibration.walks);
    const CalibratedRegion fresh_region(calibration.fresh_walks);
    int bounded = 0;
    int outside = 0;
    std::mt19937_64 random(1);
    for (const Operator& op :
         {parse_operator("matmul", "64,64,64"), parse_operator("conv2d", "1,14,14,16,16,3,3,1")}) {
        const ConfigurationSpace space = configuration_space(op, device);
        for (int i = 0; i < 20; ++i) {
            const Schedule schedule = space.at(static_cast<std::int64_t>(
                uniform_below(random, static_cast<std::uint64_t>(space.size()))));
            CAPTURE(op.name, to_string(schedule));
            const Prediction prediction = predict(op, schedule, device, calibration);
            CHECK_FALSE(
                intervals.of(prediction.kernel, prediction.bottleneck, ModelVariant::bottleneck));
            for (const ModelVariant variant :
                 {ModelVariant::literal, ModelVariant::refined, ModelVariant::reuse_aware}) {
                const bool fresh = variant == ModelVariant::reuse_aware;
                const KernelCost& cost = prediction.cost(variant);
                const KernelInterval interval =
                    intervals.of(prediction.kernel, cost, variant).value();
                const bool far = std::any_of(
                    prediction.kernel.inputs.begin(), prediction.kernel.inputs.end(),
                    [&](const auto& input) {
                        return fresh ? fresh_region.distance(input.fresh) > farthest(fresh_region)
                                     : region.distance(input.histogram) > farthest(region);
                    });
                const bool positive = std::all_of(cost.thread.begin(), cost.thread.end(),
                                                  [](Nanoseconds ns) { return ns.value > 0; });
                CHECK(interval.outside == (far || !positive));
                CHECK(interval.bounded() == !interval.outside); // 300 walks bound two images
                if (interval.bounded()) {
                    ++bounded;
                    CHECK(interval.low < cost.kernel);
                    CHECK(cost.kernel < interval.high);
                    // (sum p)^2 <= (sum p exp(b)) (sum p exp(-b)), Cauchy and Schwarz.
                    CHECK(interval.high / cost.kernel >= cost.kernel / interval.low * (1 - 1e-9));
                } else {
                    ++outside;
                }
            }
        }
    }
    CHECK(bounded > 0);
    CHECK(outside > 0);
}

TEST_CASE("A kernel whose inputs are all buffers has a prediction without an interval")
{
    const DeviceProfile device = find_profile("adreno-750");
    const Calibration calibration = calibrate_profile(device, 1);
    const Prediction prediction = predict(
        parse_operator("matmul", "64,64,64"),
        parse_schedule("A=row,column;T=4x4;G=8x8x1;M=buffer,buffer,image"), device, calibration);
    CHECK_FALSE(KernelIntervals(calibration)
                    .of(prediction.kernel, prediction.literal, ModelVariant::literal));
}

TEST_CASE("The errors of walks are not those of whole kernels: few of the simulated times lie "
          "within the intervals")
{
    struct Tally {
        int outside = 0;
        int bounded = 0;
        int inside = 0;
    };
    std::array<Tally, 2> tallies;
    constexpr std::array variants{ModelVariant::refined, ModelVariant::reuse_aware};
    int kernels = 0;
    for (const char* name : {"adreno-750", "mali-g77"}) {
        const DeviceProfile device = find_profile(name);
        const Calibration calibration = calibrate_profile(device, 1);
        const KernelIntervals intervals(calibration);
        for (const Operator& op :
             {parse_operator("matmul", "64,64,64"), parse_operator("conv2d", "1,14,14,32,32,3,3,1"),
              parse_operator("dwconv2d", "1,28,28,32,3,3,1"), parse_operator("softmax", "64,256"),
              parse_operator("layernorm_dx", "64,256")}) {
            const ConfigurationSpace space = configuration_space(op, device);
            std::mt19937_64 random(3);
            std::vector<std::size_t> drawn =
                shuffled_indices(random, static_cast<std::size_t>(space.size()));
            drawn.resize(40);
            for (const std::size_t index : drawn) {
                const Schedule schedule = space.at(static_cast<std::int64_t>(index));
                const Nanoseconds time = simulated_time(loop_nest(op, schedule), device, 5'000);
                const Prediction prediction = predict(op, schedule, device, calibration);
                ++kernels;
                for (std::size_t v = 0; v < variants.size(); ++v) {
                    const KernelInterval interval =
                        intervals.of(prediction.kernel, prediction.cost(variants[v]), variants[v])
                            .value();
                    Tally& tally = tallies[v];
                    tally.outside += interval.outside ? 1 : 0;
                    tally.bounded += interval.bounded() ? 1 : 0;
                    tally.inside +=
                        interval.bounded() && interval.low <= time && time <= interval.high ? 1 : 0;
                }
            }
        }
    }
    CHECK(kernels == 400);
    for (const Tally& tally : tallies) {
        const double covered = static_cast<double>(tally.inside) / tally.bounded;
        CAPTURE(tally.outside, tally.bounded, tally.inside, covered);
        CHECK(tally.outside + tally.bounded == kernels);
        CHECK(tally.outside < 0.6 * kernels);
        // When docs/reference/model.md was written, 13 and 25 %: where it is far from that, the
        // text there has to change.
        CHECK(covered > 0.05);
        CHECK(covered < 0.35);
    }
}
