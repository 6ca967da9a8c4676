// What the models make of kernels that were measured, and what such kernels correct.

#include "base/error.hpp"
#include "experiments/tmmodel/measured_choices.hpp"
#include "tests/codegen/random_schedule.hpp"
#include "workbench/store/shipped_measurements.hpp"
#include "workbench/study/prediction.hpp"
#include "workbench/tuning/correction_features.hpp"
#include "workbench/tuning/measured_correction.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <set>

using namespace texelscope;
using namespace texelscope::experiments;

namespace {

/// Kernels of random matrix products, with times that are the model's times a factor.
template <class Factor>
std::vector<CorrectionSample> made_up(int count, std::uint64_t seed, const Factor& factor)
{
    const DeviceProfile device = find_profile("nvidia-h200");
    const Calibration calibration = calibrate_profile(device, 1);
    test::Random random(seed);
    std::vector<CorrectionSample> kernels;
    for (int i = 0; i < count; ++i) {
        const Operator op = test::random_matmul(random, 200);
        const Schedule schedule = test::random_matmul_schedule(random);
        const Prediction prediction = predict(op, schedule, device, calibration);
        const Nanoseconds predicted = prediction.bottleneck.kernel;
        kernels.push_back({correction_features(schedule, prediction.kernel, predicted), predicted,
                           predicted * factor(prediction.kernel)});
    }
    return kernels;
}

double mean_error(const std::vector<CorrectionSample>& kernels, const std::vector<double>& times)
{
    double sum = 0;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        sum += std::abs(std::log(times[i] / kernels[i].measured.value));
    }
    return sum / static_cast<double>(kernels.size());
}

MeasuredCase with_ratios(std::array<double, measured_chooser_count> ratio, double tau)
{
    MeasuredCase one{"matmul 8,8,8", false, 120, "A=row,row;T=1x1;W=8x8;G=8x8x1", 1000, ratio, {}};
    one.tau.fill(tau);
    return one;
}

} // namespace

TEST_CASE("The program holds the kernels that were measured on an H200 and an H100")
{
    struct Expected {
        TuningMeasurements tuning;
        std::string device;
        std::size_t identified_on, others;
    };
    for (const auto& [tuning, device, identified_on, others] :
         {Expected{h200_tuning(), "NVIDIA H200", 3264, 4913},
          Expected{h100_tuning(), "NVIDIA H100 80GB HBM3", 5689, 4942}}) {
        CHECK(tuning.identified_on.size() == identified_on);
        CHECK(tuning.others.size() == others);
        std::set<std::string> operators;
        std::set<std::string> shapes;
        std::set<std::string> kernels;
        for (const std::vector<StoredResult>* results : {&tuning.identified_on, &tuning.others}) {
            for (const StoredResult& result : *results) {
                operators.insert(result.op);
                shapes.insert(result.op + " " + result.shape);
                kernels.insert(result.op + " " + result.shape + " " + result.config);
                REQUIRE(result.status == RunStatus::ok);
                REQUIRE(result.median_ns() > 0);
                REQUIRE(result.check.max_rel <= result.check.tolerance);
                REQUIRE(result.key.device == device);
            }
        }
        CHECK(kernels.size() == tuning.identified_on.size() + tuning.others.size());
        CHECK(operators.size() == 7); // of the nine kernels of table 3 two are strided variants
        CHECK(shapes.size() == 84);
    }
}

TEST_CASE("A correction learns what the kernels' times have in common, and keeps to it for others")
{
    // Kernels with many registers take three times as long as the model says.
    const auto spilled = [](const ModelKernel& kernel) {
        return kernel.rounds->options.kernel.registers_per_item > 60 ? 3.0 : 1.2;
    };
    const std::vector<CorrectionSample> samples = made_up(300, 3, spilled);
    const MeasuredCorrection correction(samples);
    const std::vector<CorrectionSample> others = made_up(60, 4, spilled);
    std::vector<double> plain, corrected;
    for (const CorrectionSample& kernel : others) {
        plain.push_back(kernel.predicted.value);
        corrected.push_back(kernel.predicted.value * correction.at(kernel.features).factor);
    }
    CHECK(mean_error(others, plain) > 0.2);
    CHECK(mean_error(others, corrected) < 0.05);
    CHECK_THROWS_AS(
        MeasuredCorrection(std::vector<CorrectionSample>(samples.begin(), samples.begin() + 19)),
        Error);
    std::vector<CorrectionSample> broken = samples;
    broken[7].measured = Nanoseconds{0};
    CHECK_THROWS_AS(MeasuredCorrection(broken), Error);
}

TEST_CASE("What is held out does not correct itself")
{
    // Kernels of one shape are ten times as slow where they have many registers.
    std::vector<CorrectionSample> samples = made_up(200, 5, [](const ModelKernel&) { return 1.0; });
    for (std::size_t i = 0; i < samples.size(); ++i) {
        samples[i].shape = i % 5;
        if (samples[i].shape == 2 && i % 2 == 0) {
            samples[i].measured = samples[i].measured * 10;
        }
    }
    const std::vector<double> corrected = held_out_corrected(samples, 5);
    for (std::size_t i = 0; i < samples.size(); ++i) {
        if (samples[i].shape == 2) {
            CHECK(corrected[i] == Approx(samples[i].predicted.value).epsilon(1e-6));
        }
    }
    for (CorrectionSample& one : samples) {
        one.shape = 3;
    }
    CHECK_THROWS_AS(held_out_corrected(samples, 5), Error);
}

TEST_CASE("What all kernels of a shape have in common corrects none of them")
{
    std::vector<CorrectionSample> samples = made_up(200, 6, [](const ModelKernel&) { return 1.0; });
    for (std::size_t i = 0; i < samples.size(); ++i) {
        samples[i].shape = i % 4;
        samples[i].measured = samples[i].measured * (samples[i].shape == 0 ? 8.0 : 1.0);
    }
    const MeasuredCorrection correction(samples);
    for (const CorrectionSample& one : samples) {
        CHECK(correction.at(one.features).factor == Approx(std::pow(8, 0.25)));
    }
}

TEST_CASE("The choices among measured kernels are those of the times that the models give")
{
    // Times that are the bottleneck model's own: it chooses the best, and orders all as they are.
    const DeviceProfile device = find_profile("nvidia-h200");
    const Calibration calibration = calibrate_profile(device, 1);
    std::vector<StoredResult> results;
    test::Random random(11);
    for (const char* shape : {"64,64,64", "128,96,64", "40,200,80"}) {
        const Operator op = parse_operator("matmul", shape);
        for (int i = 0; i < 30; ++i) {
            const Schedule schedule = test::random_matmul_schedule(random);
            StoredResult result = row_of({"", "device", "made up", "", "", ""}, op, schedule);
            result.samples_ns = {
                predict(op, schedule, device, calibration).bottleneck.kernel.value};
            results.push_back(std::move(result));
        }
    }
    results.push_back(results.front());
    results.back().status = RunStatus::failed;
    const std::vector<MeasuredCase> cases = measured_cases(results, device);
    REQUIRE(cases.size() == 3);
    for (const MeasuredCase& one : cases) {
        CHECK(one.kernels == 30);
        CHECK(one.ratio[7] == Approx(1));
        CHECK(one.tau[7].value() == Approx(1));
        CHECK(one.ratio[8] == Approx(1)); // nothing to correct
        CHECK(one.ratio[9] == Approx(1));
        CHECK(one.tau[0].value() < 0.99);
        const auto fastest = std::min_element(
            results.begin(), results.end() - 1, [&](const StoredResult& a, const StoredResult& b) {
                const auto key = [&](const StoredResult& r) {
                    return std::pair(r.op + " " + r.shape != one.op, r.median_ns());
                };
                return key(a) < key(b);
            });
        CHECK(one.best_ns == fastest->median_ns());
        CHECK(one.best == fastest->config);
    }
}

TEST_CASE("Kernels that a model holds alike count as their geometric mean")
{
    // The model knows no difference between these but time does: half of them take four times as
    // long.
    const DeviceProfile device = find_profile("nvidia-h200");
    std::vector<StoredResult> results;
    for (const char* shape : {"64,64,64", "72,64,64"}) {
        const Operator op = parse_operator("matmul", shape);
        for (int i = 0; i < 40; ++i) {
            StoredResult result = row_of({"", "device", "made up", "", "", ""}, op,
                                         parse_schedule("A=row,column;T=4x4;W=8x4;G=8x4x1"));
            result.samples_ns = {i % 2 == 0 ? 1000.0 : 4000.0};
            results.push_back(std::move(result));
        }
    }
    for (const MeasuredCase& one : measured_cases(results, device)) {
        CHECK(one.best_ns == 1000);
        CHECK(one.ratio[7] == Approx(2).epsilon(0.15)); // 200 random orders
        // one of eight is a quick one but for one in 256
        CHECK(one.ratio[9] < 1.1);
        CHECK_FALSE(one.tau[7].has_value());
    }
}

TEST_CASE("Findings on measured kernels follow from the data")
{
    const std::vector<MeasuredCase> good{
        with_ratios({2, 2, 1.2, 2, 1.5, 1.2, 1.2, 1.1, 1.04, 1}, 0.8),
        with_ratios({2, 1.5, 1.1, 2, 2, 1.1, 1.1, 1, 1, 1}, 0.7)};
    const auto findings = measured_findings(good, 100);
    REQUIRE(findings.size() == 9);
    CHECK(findings[0].verdict == Verdict::does_not_hold);
    CHECK(findings[1].verdict == Verdict::does_not_hold); // 1.2
    for (std::size_t i = 2; i < findings.size(); ++i) {
        CAPTURE(findings[i].claim);
        CHECK(findings[i].verdict == Verdict::holds);
    }
    const auto bad = measured_findings(
        {with_ratios({1.1, 1.1, 1.1, 1.1, 1.2, 1.1, 1.1, 1.3, 1.4, 1.26}, 0.6)}, 100);
    CHECK(bad[1].verdict == Verdict::holds);
    for (std::size_t i = 2; i < bad.size(); ++i) {
        CAPTURE(bad[i].claim);
        CHECK(bad[i].verdict == Verdict::does_not_hold);
    }
    CHECK(measured_findings(good, 121).empty());
    std::vector<MeasuredCase> known = good;
    known[0].identified_on = true;
    // of the other one alone
    CHECK_THAT(measured_findings(known, 100)[1].ours, Catch::Contains("literal 1.100"));
    CHECK(measured_plot(good, "GPU").panels[0].bars[0].points.size() == measured_chooser_count);
}
