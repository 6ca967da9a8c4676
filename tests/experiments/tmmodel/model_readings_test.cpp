// The model's readings against each other, and why findings do not hold.

#include "experiments/experiment.hpp"
#include "experiments/explanations.hpp"
#include "experiments/tmmodel/model_readings.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <set>

using namespace texelscope::experiments;

namespace {

std::size_t place_of(const Reading& reading)
{
    const std::vector<Reading> readings = all_readings();
    return static_cast<std::size_t>(std::ranges::find(readings, reading) - readings.begin());
}

/// Every reading twice as slow as the best, but for two of them.
ReadingCase made_up(bool chosen_on, double printed, double refined)
{
    ReadingCase one{"matmul 8,8,8", chosen_on, std::vector<double>(all_readings().size(), 2), 1.1};
    one.ratios[place_of({})] = printed;
    one.ratios[place_of(best_reading())] = refined;
    return one;
}

} // namespace

TEST_CASE("Findings on readings follow from the cases: chosen on some, judged on others")
{
    const std::vector<ReadingCase> cases{made_up(true, 4, 1.5), made_up(false, 4, 1.1), made_up(false, 9, 1.3)};
    CHECK(reading_mean(cases, place_of({}), false) == Approx(6));
    CHECK(reading_mean(cases, place_of({}), true) == Approx(4));
    const std::vector<Finding> findings = reading_findings(cases);
    REQUIRE(findings.size() == 4);
    CHECK(findings[0].verdict == Verdict::holds);
    CHECK(findings[1].verdict == Verdict::holds);
    CHECK(findings[2].verdict == Verdict::holds); // sqrt(1.1 * 1.3) = 1.196
    CHECK(findings[3].verdict == Verdict::does_not_hold);

    const std::vector<Finding> other = reading_findings({made_up(true, 1.4, 1.5), made_up(false, 1.4, 1.5)});
    CHECK(other[0].verdict == Verdict::does_not_hold);
    CHECK(other[1].verdict == Verdict::does_not_hold);
    CHECK(other[2].verdict == Verdict::does_not_hold);
    CHECK(reading_findings({})[1].verdict == Verdict::not_tested);
}

TEST_CASE("Readings are chosen on every other shape of a kind, and none chooses better than the best")
{
    const DeviceProfile device = find_profile("adreno-740");
    const std::vector<Operator> operators{parse_operator("matmul", "32,32,32"), parse_operator("softmax", "32,64"),
                                          parse_operator("matmul", "64,32,32")};
    const auto cases = simulated_readings(operators, device, {.draws = 20, .first = 4, .sample = 1'000});
    REQUIRE(cases.size() == 3);
    CHECK(cases[0].chosen_on);
    CHECK(cases[1].chosen_on);
    CHECK_FALSE(cases[2].chosen_on);
    for (const ReadingCase& one : cases) {
        CHECK(one.ratios.size() == all_readings().size());
        CHECK(std::ranges::min(one.ratios) >= 1 - 1e-12); // means are of logarithms
        CHECK(one.bottleneck >= 1 - 1e-12);
    }
}

TEST_CASE("Explanations are of experiments that there are, and say where the cause lies")
{
    std::set<std::string_view> names;
    for (const Experiment& experiment : all_experiments()) {
        names.insert(experiment.name);
    }
    for (const auto& one : all_explanations()) {
        CAPTURE(one.experiment, one.claim);
        CHECK(names.contains(one.experiment));
        const std::string_view where = one.why.substr(0, one.why.find_first_of(",:"));
        CHECK(std::set<std::string_view>{"simulator", "profile", "wording", "set-up", "model"}.contains(where));
    }
    CHECK(explanation_of("fig4", "one thread of row gains").empty());
    CHECK_FALSE(explanation_of("fig4", "one thread of block4 gains over column what").empty());
}

TEST_CASE("Of the quick experiments, as many findings hold as did, and the others say why")
{
    struct Quick {
        const char* name;
        const char* device;
        int least; ///< findings that held when this was written
    };
    for (const auto& [name, device, least] :
         {Quick{"fig2", "adreno-740", 2}, Quick{"fig4", "adreno-740", 7}, Quick{"fig5", "adreno-740", 5},
          Quick{"romou-fig5", "adreno-640", 5}, Quick{"romou-fig6", "adreno-640", 4},
          Quick{"romou-fig7", "adreno-640", 2}}) {
        CAPTURE(name);
        const ExperimentResult result = find_experiment(name).run(find_profile(device), {}, {});
        CHECK(std::ranges::count(result.findings, Verdict::holds, &Finding::verdict) >= least);
        for (const Finding& finding : result.findings) {
            CAPTURE(finding.claim);
            CHECK(finding.explanation.empty() == (finding.verdict != Verdict::does_not_hold));
        }
    }
}

TEST_CASE("Of all experiments, the findings that do not hold say why", "[long]")
{
    int holding = 0;
    for (const Experiment& experiment : all_experiments()) {
        const std::string_view of = !experiment.only_device.empty()    ? experiment.only_device
                                    : !experiment.paper_device.empty() ? experiment.paper_device
                                                                       : "adreno-740";
        const ExperimentResult result = experiment.run(find_profile(std::string(of)), {}, {});
        for (const Finding& finding : result.findings) {
            CAPTURE(experiment.name, finding.claim);
            holding += finding.verdict == Verdict::holds ? 1 : 0;
            CHECK(finding.explanation.empty() == (finding.verdict != Verdict::does_not_hold));
        }
    }
    CHECK(holding >= 60);
}
