// Choices by the model's levels: against a search through all elements one by one, the findings
// against made-up ratios.

#include "experiments/tmmodel/model_levels.hpp"
#include "tests/experiments/finding_of.hpp"
#include "workbench/space/operator_space.hpp"
#include "workbench/study/prediction.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace texelscope;
using namespace texelscope::experiments;
using Catch::Matchers::Contains;

namespace {

ChoiceRatios with_ratios(const std::vector<std::array<double, model_choosers.size()>>& cases)
{
    ChoiceRatios choices(chooser_names({}));
    for (const auto& one : cases) {
        choices.add("matmul 8,8,8", one);
    }
    return choices;
}

} // namespace

TEST_CASE("The first of each chooser are those of a search through all elements one by one")
{
    struct Case {
        const char* device;
        const char* op;
        const char* shape;
    };
    for (const auto& [device_name, name, shape] :
         {Case{"adreno-740", "matmul", "16,24,20"}, Case{"mali-g77", "dwconv2d", "1,12,12,8,3,3,1"},
          Case{"nvidia-h100", "softmax", "32,64"}}) {
        const DeviceProfile device = find_profile(device_name);
        const Operator op = parse_operator(name, shape);
        SpaceOptions few;
        few.patterns = {AccessPattern::column, AccessPattern::block4};
        few.tile_sides = {1, 4};
        const ConfigurationSpace space = configuration_space(op, device, few);
        const Calibration calibration = calibrate_profile(device, 1);
        const auto first = first_of_choosers(op, device, space, calibration);
        REQUIRE(first.size() == model_choosers.size());
        std::vector<Prediction> predictions;
        for (std::int64_t i = 0; i < space.size(); ++i) {
            predictions.push_back(predict(op, space.at(i), device, calibration));
        }
        for (std::size_t c = 0; c < model_choosers.size(); ++c) {
            const ModelChooser& chooser = model_choosers[c];
            CAPTURE(device_name, chooser.name);
            const auto ns = [&](std::int64_t i) {
                const KernelCost& cost =
                    predictions[static_cast<std::size_t>(i)].cost(chooser.variant);
                double threads = 0;
                for (const Nanoseconds input : cost.thread) {
                    threads += input.value;
                }
                return chooser.level == ModelLevel::thread ? threads
                       : chooser.level == ModelLevel::warp ? cost.warp.value
                                                           : cost.kernel.value;
            };
            double least = ns(0);
            for (std::int64_t i = 1; i < space.size(); ++i) {
                least = std::min(least, ns(i));
            }
            std::set<std::int64_t> expected;
            for (std::int64_t i = 0; i < space.size(); ++i) {
                if (ns(i) <= least * (1 + 1e-9)) {
                    expected.insert(i);
                }
            }
            CHECK(std::set<std::int64_t>(first[c].begin(), first[c].end()) == expected);
            CHECK(first[c].size() == expected.size());
            CHECK(expected.size() < static_cast<std::size_t>(space.size()));
        }
    }
}

TEST_CASE("Each chooser has a place of its own, the variants' are those of all levels")
{
    std::set<std::string> names;
    for (const ModelChooser& chooser : model_choosers) {
        names.insert(chooser.name);
    }
    CHECK(names.size() == model_choosers.size());
    for (const ModelVariant variant : all_model_variants) {
        CHECK(model_choosers[place_of_variant(variant)].name == to_string(variant));
    }
    CHECK(chooser_names({"more"}).back() == "more");
}

TEST_CASE("Levels are better one after the other where the data say so")
{
    const auto verdict = [](const std::vector<std::array<double, model_choosers.size()>>& cases,
                            const char* variant) {
        return test::finding_of(level_findings(with_ratios(cases)),
                                std::string("choices of ") + variant)
            .verdict;
    };
    const std::array<double, model_choosers.size()> falling{3, 2, 1, 3, 2, 1, 1, 1},
        alike{2, 2, 2, 2, 2, 2, 1, 1}, rising{2, 2.1, 1, 2, 1, 1.2, 1, 1};
    CHECK(verdict({falling, falling}, "literal") == Verdict::holds);
    CHECK(verdict({falling, falling}, "refined") == Verdict::holds);
    CHECK(verdict({alike}, "literal") == Verdict::does_not_hold);
    CHECK(verdict({rising}, "literal") == Verdict::does_not_hold); // L_w is worse than L_t
    CHECK(verdict({rising}, "refined") == Verdict::does_not_hold); // L is worse than L_w
    CHECK(verdict({}, "literal") == Verdict::not_tested);
    // Less time in the mean, but fewer choices that are the best.
    const std::array<double, model_choosers.size()> lucky{1, 2, 2, 1, 2, 2, 1, 1},
        bad{9, 2, 2, 9, 2, 2, 1, 1};
    CHECK(verdict({lucky, bad}, "literal") == Verdict::does_not_hold);
    const Finding finding = level_findings(with_ratios({falling, alike}))[0];
    CHECK_THAT(finding.ours, Contains("0 %, 0 %, 50 %") && Contains("2.449, 2.000, 1.414"));
}
