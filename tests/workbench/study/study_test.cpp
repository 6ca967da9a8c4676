#include "base/error.hpp"
#include "model/statistics/kendall.hpp"
#include "workbench/space/operator_space.hpp"
#include "workbench/study/crosscheck.hpp"
#include "workbench/study/prediction.hpp"
#include "workbench/study/study.hpp"

#include <catch2/catch.hpp>

using namespace texelscope::workbench::study;

TEST_CASE("The ranking is the model's prediction of each configuration, in ascending order")
{
    const DeviceProfile device = find_profile("mali-g77");
    const Operator op = parse_operator("matmul", "24,20,12");
    const Calibration calibration = calibrate_profile(device, 5);
    const ConfigurationSpace space = configuration_space(op, device);
    for (const ModelVariant variant : all_model_variants) {
        const Ranking ranking = rank_by_model({op, device, space, calibration, variant}, 0);
        REQUIRE(static_cast<std::int64_t>(ranking.best.size()) == space.size());
        CHECK(ranking.evaluated == space.size());
        for (std::size_t i = 0; i < ranking.best.size(); ++i) {
            CHECK((i == 0 || ranking.best[i - 1].cost <= ranking.best[i].cost));
            if (i % 211 == 0) {
                const Schedule& schedule = ranking.best[i].schedule;
                const Prediction prediction = predict(op, schedule, device, calibration);
                CHECK(ranking.best[i].cost.value == Approx(prediction.cost(variant).kernel.value));
            }
        }
        const Ranking top = rank_by_model({op, device, space, calibration, variant}, 7);
        REQUIRE(top.best.size() == 7);
        for (std::size_t i = 0; i < 7; ++i) {
            CHECK(top.best[i].schedule == ranking.best[i].schedule);
        }
    }
}

TEST_CASE("A cross-check without a device compares model and simulator, the same way each time")
{
    const DeviceProfile device = find_profile("adreno-640");
    const Operator op = parse_operator("matmul", "16,16,16");
    const Calibration calibration = calibrate_profile(device, 1);
    CrosscheckOptions options;
    options.samples = 10;
    const CrosscheckResult a = crosscheck(op, device, calibration, nullptr, options);
    const CrosscheckResult b = crosscheck(op, device, calibration, nullptr, options);
    REQUIRE(a.rows.size() == 10);
    std::vector<double> predicted;
    std::vector<double> simulated;
    for (std::size_t i = 0; i < a.rows.size(); ++i) {
        CHECK(a.rows[i].schedule == b.rows[i].schedule);
        CHECK(a.rows[i].simulated == b.rows[i].simulated);
        CHECK_FALSE(a.rows[i].measured.has_value());
        predicted.push_back(a.rows[i].predicted.value);
        simulated.push_back(a.rows[i].simulated.value);
    }
    CHECK(a.pairs[0].kendall == kendall_tau_b(predicted, simulated));
    CHECK(a.pairs[0].regret == regret(predicted, simulated));
    CHECK_FALSE(a.pairs[1].kendall.has_value());
    options.seed = 2;
    const CrosscheckResult c = crosscheck(op, device, calibration, nullptr, options);
    CHECK_FALSE(c.rows.back().schedule == a.rows.back().schedule);
}

TEST_CASE("A study's heat maps add up to its counts, and it can be stopped")
{
    const StudyRequest request{parse_operator("matmul", "30,22,18"),
                               parse_schedule("A=block2,row;T=4x2;G=4x4"),
                               find_profile("adreno-740"), 1, true};
    const StudyResult study = run_study(request);
    std::int64_t reads = 0;
    std::int64_t misses = 0;
    for (const StudyImage& image : study.images) {
        reads += image.map(HeatQuantity::reads).total();
        misses += image.map(HeatQuantity::misses).total();
        CHECK(image.map(HeatQuantity::compulsory).total() +
                  image.map(HeatQuantity::capacity).total() +
                  image.map(HeatQuantity::conflict).total() ==
              image.map(HeatQuantity::misses).total());
    }
    CHECK(reads == study.simulation.l1.texel_reads);
    CHECK(misses == study.simulation.l1.misses());
    CHECK(study.timed.l1.texel_reads == reads);
    CHECK(study.timed.cycles.has_value());
    CHECK_FALSE(study.simulation.cycles.has_value());
    CHECK(study.ranking.evaluated == study.ranking.space);
    const PredictedStudy predicted =
        predict_study(request, calibrate_profile(request.device, 1), default_variant(false));
    CHECK(study.cost().kernel == predicted.cost().kernel);
    double parts = 0;
    for (const TimePart& part : study.parts) {
        parts += part.time.value;
    }
    CHECK(parts == Approx(study.prediction.bottleneck.kernel.value));
    CHECK_THROWS_AS(run_study(request, {}, [] { return true; }), Interrupted);
}
