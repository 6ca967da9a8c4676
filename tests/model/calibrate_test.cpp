#include "base/error.hpp"
#include "model/tmmodel/calibrate.hpp"
#include "small_device.hpp"

#include <catch2/catch.hpp>

using namespace texelscope::model;
using namespace texelscope::test;

namespace {

CalibrationOptions few(std::uint64_t seed = 1)
{
    return short_walks(40, seed);
}

} // namespace

TEST_CASE(
    "calibration on a simulated device: every sample is there and lies between a hit and memory")
{
    const SimulationOptions device = small_device();
    const Calibration calibration = calibrate_simulated(device, few());
    const double cycle = 1000 / device.machine.timing.clock_mhz;
    const double hit = 80 * cycle;
    const double memory = 200 * cycle;

    CHECK(calibration.cache_lines == 16);
    REQUIRE(calibration.walks.size() == 40);
    REQUIRE(calibration.fresh_walks.size() == 40);
    for (std::size_t i = 0; i < 40; ++i) {
        const WalkSample& walk = calibration.walks[i];
        CHECK(walk.histogram.accesses == 200);
        CHECK(calibration.fresh_walks[i].per_access == walk.per_access);
        CHECK(walk.per_access.value >= hit);
        CHECK(walk.per_access.value <= memory * 1.05); // the memory port may add some cycles
    }
    CHECK(calibration.thread.beta.size() == 2 * default_block_shapes().size() + 1);
    CHECK(calibration.thread.held_out.samples == 10);
    CHECK(calibration.reuse_thread.beta.size() == calibration.thread.beta.size());
    CHECK(calibration.held_out ==
          held_out_times(calibration.walks, calibration.thread.regression, 1));
    CHECK(calibration.fresh_held_out ==
          held_out_times(calibration.fresh_walks, calibration.reuse_thread.regression, 1));
    CHECK(calibration.thrash.d > 1);

    REQUIRE(calibration.warps.size() == 5 * growing_widths(16).size());
    for (const WarpSample& warp : calibration.warps) {
        CHECK(warp.per_step.value >= hit);
    }
}

TEST_CASE("one lane costs what its misses cost")
{
    // Rows of a linear layout: a line holds 4 texels, so a lane of the row pattern misses once in 4
    // reads, and so does one of the block patterns, whose rows all stay in the cache; a lane of the
    // column pattern always misses.
    const SimulationOptions device = small_device("row");
    const Calibration calibration = calibrate_simulated(device, few());
    const double cycle = 1000 / device.machine.timing.clock_mhz;
    for (const WarpSample& warp : calibration.warps) {
        if (warp.lanes == 1) {
            CAPTURE(warp.pattern.name);
            const double cycles = warp.pattern.name == "column" ? 200 : (3 * 80 + 200) / 4.0;
            CHECK(warp.per_step.value == Approx(cycles * cycle).epsilon(0.02));
        }
    }
}

TEST_CASE("where every level answers equally fast, the model is constant")
{
    SimulationOptions device = small_device();
    device.machine.l2().latency = device.machine.timing.memory_latency =
        device.machine.l1().latency;
    device.machine.timing.memory_bytes_per_cycle = device.machine.l2().bytes_per_cycle =
        device.machine.timing.lookups_per_cycle = 1e9;
    const Calibration calibration = calibrate_simulated(device, few());
    CHECK(calibration.thread.held_out.worst < 1e-6);
    CHECK(calibration.thread.beta.back() == Approx(80 * 1000 / device.machine.timing.clock_mhz));
    // A step ends on a whole cycle: the 81st where it takes a moment more than 80.
    CHECK(calibration.thrash.d <= 81.0 / 80);
}

TEST_CASE("what a kernel brings along does not change the calibration")
{
    SimulationOptions device = small_device();
    const Calibration plain = calibrate_simulated(device, few());
    device.machine.cores = 4;
    device.machine.registers_per_core = 4096;
    device.kernel.registers_per_item = 64;
    device.kernel.alu_cycles_per_step = 100;
    const Calibration loaded = calibrate_simulated(device, few());
    CHECK(loaded.thread.beta == plain.thread.beta);
    CHECK(loaded.thrash.d == plain.thrash.d);
}

TEST_CASE("a calibration is a function of its seed")
{
    const Calibration first = calibrate_simulated(small_device(), few(1));
    const Calibration again = calibrate_simulated(small_device(), few(1));
    const Calibration other = calibrate_simulated(small_device(), few(2));
    CHECK(first.thread.beta == again.thread.beta);
    CHECK(first.thrash.d == again.thrash.d);
    CHECK(first.walks[7].histogram == again.walks[7].histogram);
    CHECK(first.walks[7].histogram.bins != other.walks[7].histogram.bins);
}

TEST_CASE("a chosen regression is the one that is fitted")
{
    CalibrationOptions options = few();
    options.regression = Regression::non_negative;
    const Calibration calibration = calibrate_simulated(small_device(), options);
    CHECK(calibration.thread.regression == Regression::non_negative);
    CHECK(calibration.thread.cross_validation.size() == 1);
}

TEST_CASE("narrow warps calibrate too: one lane alone cannot thrash")
{
    SimulationOptions device = small_device();
    device.machine.warp_size = 1;
    const Calibration scalar = calibrate_simulated(device, few());
    CHECK(scalar.thrash.d == 1);
    CHECK(scalar.thrash.training.samples == 0);
    device.machine.warp_size = 2;
    const Calibration pair = calibrate_simulated(device, few());
    // two lanes in each of five patterns
    CHECK(pair.thrash.training.samples + pair.thrash.held_out.samples == 5);
    // 2 lanes keep 16 lines at most: they fit
    CHECK(pair.thrash.d == 1);
}

TEST_CASE("progress counts every measurement, and stopping stops")
{
    std::vector<double> fractions;
    const auto progress = [&](const std::string& stage, double fraction) {
        CHECK(stage == "calibrating");
        fractions.push_back(fraction);
    };
    (void)calibrate_simulated(small_device(), few(), progress);
    REQUIRE(fractions.size() == 40 + 5 * 8);
    for (std::size_t i = 0; i < fractions.size(); ++i) {
        CHECK(fractions[i] ==
              Approx(static_cast<double>(i + 1) / static_cast<double>(fractions.size())));
    }
    CHECK_THROWS_AS(calibrate_simulated(small_device(), few(), {}, [] { return true; }),
                    Interrupted);
}

TEST_CASE("calibration refuses options that make no sense")
{
    CalibrationOptions options = few();
    options.walks = 7;
    CHECK_THROWS_AS(calibrate_simulated(small_device(), options), Error);
    options = few();
    options.steps = 1;
    CHECK_THROWS_AS(calibrate_simulated(small_device(), options), Error);
    options = few();
    options.extent = {0, 4};
    CHECK_THROWS_AS(calibrate_simulated(small_device(), options), Error);
    options = few();
    options.strides.max_stride = 3;
    CHECK_THROWS_AS(calibrate_simulated(small_device(), options), Error);
    SimulationOptions device = small_device();
    device.machine.l1().geometry.line = Bytes{48};
    CHECK_THROWS_AS(calibrate_simulated(device, few()), Error);
}
