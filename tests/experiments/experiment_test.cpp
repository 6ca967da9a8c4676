#include "devices/profile/device_profile.hpp"
#include "experiments/experiment.hpp"
#include "sim/options/options.hpp"
#include "tests/workbench/plots/nothing_clipped.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

using namespace texelscope;
using namespace texelscope::experiments;

namespace {

/// Why it does not hold, beginning with where the cause lies; nothing where it does.
bool explained_as_it_should(const Finding& finding)
{
    const std::string& why = finding.explanation;
    return finding.verdict == Verdict::does_not_hold
               ? std::set<std::string>{"simulator", "profile", "wording", "set-up", "model"}
                     .contains(why.substr(0, why.find_first_of(",:")))
               : why.empty();
}

} // namespace

TEST_CASE("The plots of the experiments clip nothing")
{
    DeviceProfile device = find_profile("adreno-740");
    device.simulation.machine.l2().geometry.capacity = Bytes{8192};
    for (const char* name :
         // the others take up to minutes
         {"fig4", "fig5", "romou-pruning", "romou-fig5", "romou-fig6", "romou-fig7"}) {
        CAPTURE(name);
        test::check_nothing_clipped(find_experiment(name).run(device, {}, {}).plot);
    }
}

TEST_CASE("Explanations are of a paper's device and the Adreno 740, not of others")
{
    DeviceProfile device = find_profile("mali-g76");
    const auto explained = [](const ExperimentResult& result) {
        return std::ranges::any_of(result.findings,
                                   [](const Finding& one) { return !one.explanation.empty(); });
    };
    const Experiment& scaling = find_experiment("fig4");
    const ExperimentResult elsewhere = scaling.run(device, {}, {});
    CHECK(std::ranges::count(elsewhere.findings, Verdict::does_not_hold, &Finding::verdict) > 0);
    CHECK_FALSE(explained(elsewhere));
    const auto on_adreno_740 = [&](Verdict verdict) {
        ExperimentResult result;
        result.findings = {{"it holds", "", "", verdict, "model: why"}};
        return scaling.explained(std::move(result), find_profile("adreno-740"));
    };
    CHECK(explained(on_adreno_740(Verdict::does_not_hold)));
    CHECK_FALSE(explained(on_adreno_740(Verdict::holds)));
}

TEST_CASE("Of all experiments, the findings that do not hold say why", "[long]")
{
    // ./check --experiments: those of many minutes as well
    const bool every = std::getenv("TEXELSCOPE_EVERY_EXPERIMENT") != nullptr;
    constexpr int many_minutes = 200; // in seconds
    int holding = 0;
    for (const Experiment& experiment : all_experiments()) {
        if (!every && experiment.processor_seconds > many_minutes) {
            continue;
        }
        const std::string_view of = !experiment.only_device.empty()    ? experiment.only_device
                                    : !experiment.paper_device.empty() ? experiment.paper_device
                                                                       : "adreno-740";
        const ExperimentResult result = experiment.run(find_profile(std::string(of)), {}, {});
        for (const Finding& finding : result.findings) {
            CAPTURE(experiment.name, finding.claim);
            holding += finding.verdict == Verdict::holds ? 1 : 0;
            CHECK(explained_as_it_should(finding));
        }
    }
    CHECK(holding >= 60);
}
