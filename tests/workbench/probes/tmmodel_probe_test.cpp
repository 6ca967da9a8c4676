// TMModel's microbenchmarks on targets: simulated ones, against calibrate_simulated() and the
// profile; a target whose times follow the model itself; one that fails.

#include "base/error.hpp"
#include "devices/targets/simulated_target.hpp"
#include "model/tmmodel/calibrate.hpp"
#include "model/tmmodel/calibration_diagnosis.hpp"
#include "sim/options/occupancy.hpp"
#include "tests/workbench/probes/bare_target.hpp"
#include "traces/launch_source.hpp"
#include "workbench/probes/measurements.hpp"
#include "workbench/probes/tmmodel_occupancy.hpp"
#include "workbench/probes/tmmodel_plots.hpp"
#include "workbench/probes/tmmodel_samples.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <string>

using namespace texelscope;
using namespace texelscope::workbench::probes;
using Catch::Matchers::Contains;

namespace {

ProbeOptions few()
{
    ProbeOptions options;
    options.walks = 60;
    options.samples = 5;
    options.seed = 3;
    return options;
}

Known known_of(const SimulationOptions& options)
{
    return {{"warp.size", options.machine.warp_size},
            {"l2.capacity", static_cast<double>(options.machine.l2().geometry.capacity.value)}};
}

CalibrationSamples measured(Target& target, const Known& known, std::int64_t lines)
{
    const ProbeResult walks = probe_tmmodel_walks(target, known, few());
    const ProbeResult warps = probe_tmmodel_warps(target, known, few());
    return measured_calibration(walks, &warps, lines).samples;
}

double finding(const ProbeResult& result, const std::string& key)
{
    for (const ProbeFinding& one : result.findings) {
        if (one.key == key) {
            return one.value;
        }
    }
    return std::nan("");
}

/// Walks take <beta, H>: 10 ns an access, 30 ns out of a block 4 texels wide, 20 ns out of one 8
/// high. A step of a warp takes 100 ns, times D for each further `lines` lines that its lanes keep.
class ModelTarget : public test::BareTarget {
public:
    static constexpr double d = 1.3;
    static constexpr std::int64_t lines = 16;

    ModelTarget()
        : BareTarget({.name = "model", .driver = "1", .simulated = true, .max_work_group = 256})
    {}

    using BareTarget::run;
    [[nodiscard]] std::vector<double> chase(const Chase& chase, int samples) override
    {
        double ns = 0;
        for (std::size_t i = 0; i < chase.walk.size(); ++i) {
            ns += 10;
            if (i > 0) {
                ns += chase.walk[i].x / 4 != chase.walk[i - 1].x / 4 ? 30 : 0;
                ns += chase.walk[i].y / 8 != chase.walk[i - 1].y / 8 ? 20 : 0;
            }
        }
        return std::vector<double>(static_cast<std::size_t>(samples),
                                   ns / static_cast<double>(chase.walk.size()));
    }
    [[nodiscard]] std::vector<double> run(const ReadKernel& kernel, int samples) override
    {
        const auto* pattern = std::find_if(
            stream_patterns.begin(), stream_patterns.end(), [&](const StreamPattern& one) {
                return kernel.launch.kernel.find("_" + std::string(one.name) + "_") !=
                       std::string::npos;
            });
        REQUIRE(pattern != stream_patterns.end());
        const std::int64_t kept = kernel.launch.local[0] * pattern->reuse_distance;
        const double exponent = std::max(0.0, std::ceil(static_cast<double>(kept) / lines) - 1);
        const auto* steps = std::get_if<Loop>(&kernel.launch.body.front());
        const double ns =
            100 * std::pow(d, exponent) * static_cast<double>(steps->variable.extent());
        return std::vector<double>(static_cast<std::size_t>(samples), ns);
    }
};

/// As fast whatever it runs: no warp waits for another, and none finds anything.
class SteadyTarget : public ModelTarget {
public:
    [[nodiscard]] std::vector<double> run(const ReadKernel&, int samples) override
    {
        return std::vector<double>(static_cast<std::size_t>(samples), 100.0);
    }
};

} // namespace

TEST_CASE("Without noise the probes measure on a simulated device what calibrate_simulated() does")
{
    const std::string name = GENERATE("adreno-750", "mali-g77", "adreno-540");
    CAPTURE(name);
    const DeviceProfile profile = find_profile(name);
    SimulatedTarget target(profile, 0, 1);
    const CalibrationSamples ours = measured(target, known_of(profile.simulation),
                                             profile.simulation.machine.l1().geometry.lines());
    CalibrationOptions options;
    options.walks = few().walks;
    options.seed = few().seed;
    const Calibration theirs = calibrate_simulated(profile.simulation, options);
    REQUIRE(ours.walks.size() == theirs.walks.size());
    REQUIRE(ours.fresh_walks.size() == theirs.fresh_walks.size());
    REQUIRE(ours.warps.size() == theirs.warps.size());
    CHECK(ours.cache_lines == theirs.cache_lines);
    for (std::size_t i = 0; i < ours.walks.size(); ++i) {
        CHECK(ours.walks[i].histogram == theirs.walks[i].histogram);
        CHECK(ours.walks[i].per_access == theirs.walks[i].per_access);
        CHECK(ours.fresh_walks[i].histogram == theirs.fresh_walks[i].histogram);
    }
    for (std::size_t i = 0; i < ours.warps.size(); ++i) {
        CAPTURE(ours.warps[i].pattern.name, ours.warps[i].lanes);
        CHECK(ours.warps[i].pattern.name == theirs.warps[i].pattern.name);
        CHECK(ours.warps[i].lanes == theirs.warps[i].lanes);
        CHECK(ours.warps[i].per_step == theirs.warps[i].per_step);
    }
    const Calibration fit = fit_calibration(ours, {}, options.seed);
    CHECK(fit.thread.beta == theirs.thread.beta);
    CHECK(fit.thrash.d == theirs.thrash.d);
}

TEST_CASE("With 5 % noise on every sample the fit hardly moves")
{
    const DeviceProfile profile = find_profile("adreno-750");
    SimulatedTarget exact(profile, 0, 1);
    SimulatedTarget noisy(profile, 0.05, 1);
    const Known known = known_of(profile.simulation);
    const std::int64_t lines = profile.simulation.machine.l1().geometry.lines();
    const Calibration truth =
        fit_calibration(measured(exact, known, lines), Regression::non_negative, 1);
    const Calibration fit =
        fit_calibration(measured(noisy, known, lines), Regression::non_negative, 1);
    CHECK(fit.thrash.d == Approx(truth.thrash.d).epsilon(0.02));
    double difference = 0;
    for (const WalkSample& walk : truth.walks) {
        const double a = truth.thread.predict(walk.histogram).value;
        difference += std::abs(fit.thread.predict(walk.histogram).value / a - 1) /
                      static_cast<double>(truth.walks.size());
    }
    CHECK(difference < 0.03);
    CHECK(fit.walks[5].per_access != truth.walks[5].per_access);
}

TEST_CASE("On a device whose times follow the model, beta and D are recovered")
{
    ModelTarget target;
    const CalibrationSamples samples = measured(target, {{"warp.size", 64}}, ModelTarget::lines);
    const Calibration fit = fit_calibration(samples, Regression::least_squares, 2);
    CHECK(fit.thrash.d == Approx(ModelTarget::d));
    CHECK(fit.thrash.held_out.worst < 1e-9);
    CHECK(fit.thread.held_out.worst < 1e-9);
    CHECK(fit.thread.beta.back() == Approx(10));
    for (const WalkDiagnosis::Side& side : diagnose_walks(fit.thread, fit.walks).sides) {
        const double truth =
            side.along_x ? (side.texels == 4 ? 30 : 0) : (side.texels == 8 ? 20 : 0);
        CHECK(side.ns == Approx(truth).margin(1e-6));
    }
}

TEST_CASE("A target that fails ends the probe with its reason")
{
    test::BareTarget target({.name = "model"});
    CHECK_THROWS_WITH(probe_tmmodel_walks(target, {}, few()),
                      Contains("this target cannot do that"));
    CHECK_THROWS_WITH(probe_tmmodel_warps(target, {{"warp.size", 64}}, few()),
                      Contains("this target cannot do that"));
    CHECK_THROWS_WITH(probe_tmmodel_occupancy(target, {{"warp.size", 64}}, few()),
                      Contains("this target cannot do that"));
}

TEST_CASE("Records of other walks than the seed gives are refused")
{
    ModelTarget target;
    ProbeResult walks = probe_tmmodel_walks(target, {}, few());
    walks.given["walks.seed"] = 77;
    CHECK_THROWS_WITH(measured_calibration(walks, nullptr, 16), Contains("other walks"));
    walks.given.erase("walks.seed");
    CHECK_THROWS_WITH(measured_calibration(walks, nullptr, 16), Contains("walks.seed"));
}

TEST_CASE("Occupancy is found where its steps can be seen, and warps find each other's data")
{
    const DeviceProfile profile = find_profile("adreno-750");
    SimulatedTarget target(profile, 0.02, 4);
    ProbeOptions options = few();
    const ProbeResult result =
        probe_tmmodel_occupancy(target, known_of(profile.simulation), options);
    int seen = 0;
    for (const int registers : {32, 64, 96, 128, 192}) {
        SimulationOptions device = profile.simulation;
        device.kernel.registers_per_item = registers;
        const int warps = occupancy(device).warps;
        CAPTURE(registers, warps);
        const double group =
            finding(result, "occupancy.group." + std::to_string(registers) + "_registers");
        const double core =
            finding(result, "occupancy.core." + std::to_string(registers) + "_registers");
        // A group has 16 warps at most, so that a step at 14 or later cannot be seen.
        if (!std::isnan(group)) {
            CHECK(group == warps);
            ++seen;
        }
        if (!std::isnan(core)) {
            CHECK(core == warps);
            ++seen;
        }
        CHECK((!std::isnan(group) || warps > 8));
        CHECK_FALSE(std::isnan(core));
    }
    CHECK(seen >= 7);
    CHECK(finding(result, "sharing.saves") > 0.1);
    CHECK(tmmodel_occupancy_plots(result, "x").size() == 3);
}

TEST_CASE("A device on which everything runs together shows no occupancy and no sharing")
{
    SteadyTarget target;
    const ProbeResult result = probe_tmmodel_occupancy(target, {{"warp.size", 16}}, few());
    CHECK(result.findings.size() == 1);
    CHECK(finding(result, "sharing.saves") == 0);
    CHECK(result.notes.size() == 10);
}
