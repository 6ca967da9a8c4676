// Romou's figure 18: searches of a small space against its exhaustive search, the findings against
// made-up curves.

#include "codegen/nest/loop_nest.hpp"
#include "devices/launch/buffer_reads.hpp"
#include "experiments/romou/romou_search_cost.hpp"
#include "tests/experiments/finding_of.hpp"
#include "workbench/space/factor_space.hpp"
#include "workbench/space/pruning_conditions.hpp"
#include "workbench/space/space_options.hpp"
#include "workbench/study/launch_result.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace texelscope;
using namespace texelscope::experiments;
using Catch::Matchers::Contains;
using test::finding_of;

namespace {

/// Searches that come to `end` at run `at`, and have half of it before.
SearchCost::Searches made_up(std::int64_t at, double end)
{
    SearchCost::Searches searches{100, {}};
    for (int seed = 0; seed < 3; ++seed) {
        std::vector<double> rates;
        for (std::int64_t run = 1; run <= 40; ++run) {
            rates.push_back(run >= at ? end : end / 2);
        }
        searches.gflops.push_back(rates);
    }
    return searches;
}

SearchCost made_up(const SearchCost::Searches& first_pruned,
                   const SearchCost::Searches& second_pruned)
{
    return {{{"one", made_up(20, 100), first_pruned, first_pruned},
             {"two", made_up(20, 100), second_pruned, second_pruned}}};
}

Verdict verdict(const SearchCost& data, const std::string& start)
{
    return finding_of(romou_search_cost_findings(data), start).verdict;
}

} // namespace

TEST_CASE(
    "Romou's figure 18: a search that may try everything ends with the fastest, in both spaces")
{
    const DeviceProfile device = find_profile("adreno-640");
    const PruningExample example{"small", parse_operator("conv2d", "1,4,4,8,8,1,1,1"), 1, 1};
    const SearchCostOptions options{.runs = 2'000, .seeds = 1, .most_accesses = 1'000};
    const SearchCost data = measure_search_cost({example}, {device}, options);
    REQUIRE(data.cases.size() == 1);
    const SearchCost::Case& one = data.cases[0];
    SpaceOptions knobs = template_knobs(example.op);
    knobs.values['P'] = {"fp16"};
    knobs.values.erase('R');
    knobs.values.erase('B');
    const Narrowed space = factor_space(example.op, device, knobs);
    REQUIRE(space.space.size() <= options.runs);
    std::vector<double> rates;
    for (std::int64_t i = 0; i < space.space.size(); ++i) {
        const double rate =
            example.op.flops /
            simulated_time(loop_nest(example.op, space.space.at(i)), device, options.most_accesses)
                .value;
        rates.push_back(rate);
    }
    CHECK(one.whole.space == space.space.size());
    CHECK(one.whole.median().back() == Approx(*std::max_element(rates.begin(), rates.end())));
    std::int64_t left = 0;
    for (const LoadCounting counting : {LoadCounting::each_item, LoadCounting::shared_once}) {
        PruningOptions pruning{{romou_criteria.begin(), romou_criteria.end()}};
        pruning.counting = counting;
        const SpaceFootprints footprints(example.op, space.space);
        const Narrowed pruned =
            narrowed(space.space, pruning_conditions(footprints, pruning_limits(device), pruning));
        double best = 0;
        for (std::size_t i = 0; i < rates.size(); ++i) {
            best = pruned.kept[i] ? std::max(best, rates[i]) : best;
        }
        CHECK(one.pruned(counting).space == pruned.counts.kept);
        CHECK(one.pruned(counting).gflops.empty() == (pruned.counts.kept == 0));
        if (pruned.counts.kept > 0) {
            CHECK(one.pruned(counting).median().back() == Approx(best));
        }
        left += pruned.counts.kept;
    }
    CHECK(left > 0);
    CHECK(std::is_sorted(one.whole.gflops[0].begin(), one.whole.gflops[0].end()));
    CHECK(one.whole.gflops[0].size() == 2'000);
}

TEST_CASE("Romou's figure 18: medians, and runs until a rate is reached, to 1 %")
{
    const SearchCost::Searches searches{10, {{1, 2, 100}, {5, 50, 99.5}, {0, 4, 98}}};
    CHECK(searches.median() == std::vector<double>{1, 4, 99.5});
    CHECK(searches.runs_to(100) == 3);
    CHECK(searches.runs_to(4) == 2);
    CHECK_FALSE(searches.runs_to(200));
    CHECK(SearchCost::Searches{}.median().empty());
}

TEST_CASE("Romou's figure 18: the findings follow the data")
{
    const SearchCost like_paper = made_up(made_up(8, 100), made_up(4, 126));
    for (const Finding& finding : romou_search_cost_findings(like_paper)) {
        CAPTURE(finding.claim);
        CHECK(finding.verdict == Verdict::holds);
    }
    CHECK_THAT(finding_of(romou_search_cost_findings(like_paper), "one, pruned: the search").ours,
               Contains("8 runs against 20 to 100 GFLOPS: 2.5 times"));
    const SearchCost late = made_up(made_up(15, 100), made_up(15, 101));
    CHECK(verdict(late, "one, pruned: the search") == Verdict::does_not_hold);
    CHECK(verdict(late, "two, pruned: the search reaches") == Verdict::does_not_hold);
    CHECK(verdict(late, "two, pruned: the search of the whole") == Verdict::does_not_hold);
    const SearchCost worse = made_up(made_up(2, 80), made_up(2, 80));
    CHECK(verdict(worse, "one, pruned: both") == Verdict::does_not_hold);
    CHECK(verdict(worse, "one, pruned: the search") == Verdict::does_not_hold);
    CHECK_THAT(finding_of(romou_search_cost_findings(worse), "one, pruned: the search").ours,
               Contains("are not reached"));
    for (const Finding& finding :
         romou_search_cost_findings(made_up(SearchCost::Searches{}, SearchCost::Searches{}))) {
        CHECK(finding.verdict == Verdict::not_tested);
    }
}
