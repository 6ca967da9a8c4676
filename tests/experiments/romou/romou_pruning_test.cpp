// Romou's figure 18: the numbers against pruning of each space by itself, the findings against
// made-up cases.

#include "experiments/romou/romou_pruning.hpp"
#include "tests/experiments/finding_of.hpp"
#include "workbench/space/factor_space.hpp"
#include "workbench/space/space_options.hpp"

#include <catch2/catch.hpp>

using namespace texelscope;
using namespace texelscope::experiments;
using Catch::Matchers::Contains;
using test::finding_of;

TEST_CASE("Romou's pruning: each case is its space pruned by itself, half floats and single ones")
{
    const DeviceProfile device = find_profile("adreno-640");
    const std::vector<PruningExample> examples{
        {"one", parse_operator("conv2d", "1,4,6,8,16,1,1,1"), 100, 1},
        {"two", parse_operator("conv2d", "1,6,6,8,8,3,3,2"), 100, 1}};
    const std::vector<PruningCase> cases = measure_pruning(examples, device);
    REQUIRE(cases.size() == 8);
    for (const PruningCase& one : cases) {
        const Operator& op = examples[one.example].op;
        SpaceOptions knobs = template_knobs(op);
        knobs.values['P'] = {to_string(one.storage)};
        const Narrowed space = factor_space(op, device, knobs);
        PruningOptions options{{romou_criteria.begin(), romou_criteria.end()}};
        options.counting = one.counting;
        const SpaceFootprints footprints(op, space.space);
        const SpaceCounts alone =
            narrowed(space.space, pruning_conditions(footprints, pruning_limits(device), options))
                .counts;
        CHECK(one.combinations == space.counts.size);
        CHECK(one.refused == space.counts.excluded());
        CHECK(one.pruned.kept == alone.kept);
        std::int64_t all = one.pruned.kept + one.refused;
        REQUIRE(one.pruned.conditions.size() == romou_criteria.size());
        for (std::size_t c = 0; c < romou_criteria.size(); ++c) {
            CHECK(one.pruned.conditions[c].text == to_string(romou_criteria[c]));
            CHECK(one.pruned.conditions[c].alone == alone.conditions[c].alone);
            all += one.pruned.conditions[c].excluded;
        }
        CHECK(all == one.combinations);
    }
}

TEST_CASE(
    "Romou's pruning: the examples have the paper's numbers, and the findings follow the data")
{
    const std::vector<PruningExample> examples = romou_examples();
    REQUIRE(examples.size() == 2);
    CHECK(examples[0].op.grid.extents == std::vector<std::int64_t>{256, 28, 28});
    CHECK(examples[1].op.grid.extents == std::vector<std::int64_t>{384, 18, 18});
    const auto made_up = [](std::int64_t first, std::int64_t second) {
        std::vector<PruningCase> cases;
        for (const LoadCounting counting : {LoadCounting::each_item, LoadCounting::shared_once}) {
            for (const Storage storage : {Storage::fp16, Storage::fp32}) {
                for (std::size_t e = 0; e < 2; ++e) {
                    PruningCase one{e, storage, counting, 1000, 0, {}};
                    const bool counts =
                        storage == Storage::fp16 && counting == LoadCounting::each_item;
                    one.pruned.kept = counts ? (e == 0 ? first : second) : 10;
                    cases.push_back(one);
                }
            }
        }
        return cases;
    };
    const auto verdict = [&](std::int64_t first, std::int64_t second, const std::string& end) {
        const auto findings = romou_pruning_findings(examples, made_up(first, second));
        return finding_of(
            findings,
            "with L1 loads as the paper counts them, a work-item's times the work-items, " + end);
    };
    CHECK(verdict(10, 5, "some").verdict == Verdict::holds);
    CHECK(verdict(10, 0, "some").verdict == Verdict::does_not_hold);
    CHECK(verdict(3, 20, "between").verdict == Verdict::holds);
    CHECK(verdict(2, 20, "between").verdict == Verdict::does_not_hold);
    CHECK(verdict(3, 21, "between").verdict == Verdict::does_not_hold);
    CHECK_THAT(verdict(3, 21, "between").paper,
               Contains("1057 of 102060 (1.04 %); 9450 of 1498176 (0.63 %)"));
    CHECK_THAT(verdict(3, 21, "between").ours, Contains("3 of 1000 (0.30 %); 21 of 1000 (2.10 %)"));
    CHECK(finding_of(romou_pruning_findings(examples, made_up(0, 0)),
                     "with texels that work-items share counted once, "
                     "some")
              .verdict == Verdict::holds);
}
