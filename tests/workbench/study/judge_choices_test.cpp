#include "base/error.hpp"
#include "base/random.hpp"
#include "codegen/nest/kernel_launch.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/launch/launch_options.hpp"
#include "sim/simulate.hpp"
#include "traces/launch_source.hpp"
#include "workbench/store/known_runs.hpp"
#include "workbench/study/judge_choices.hpp"
#include "workbench/study/launch_result.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

using namespace texelscope;
using namespace texelscope::workbench::store;
using Catch::Contains;

namespace {

/// Rows with few different times, so that there are ties; a device's time or output is wrong here
/// and there.
std::vector<CrosscheckRow> random_rows(std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    const auto time = [&] {
        return Nanoseconds{100.0 + static_cast<double>(uniform_below(random, 4))};
    };
    std::vector<CrosscheckRow> rows(1 + uniform_below(random, 12));
    for (CrosscheckRow& row : rows) {
        row.predicted = time();
        row.simulated = time();
        if (uniform_below(random, 4) > 0) {
            row.measured = time();
            row.checked = uniform_below(random, 4) > 0;
        }
    }
    return rows;
}

/// Whether a judge, and where it cannot tell them apart the next one, puts row `a` before row `b`.
bool before(const std::vector<CrosscheckRow>& rows, Judge judge, std::size_t a, std::size_t b)
{
    const double of_a = rows[a].right_time(judge)->value;
    const double of_b = rows[b].right_time(judge)->value;
    const bool by_model = judge != Judge::model;
    const double next_a = by_model ? rows[a].predicted.value : rows[a].simulated.value;
    const double next_b = by_model ? rows[b].predicted.value : rows[b].simulated.value;
    return of_a != of_b ? of_a < of_b : next_a != next_b ? next_a < next_b : a < b;
}

StoredResult run_of(const Operator& op, const std::string& config, double ns,
                    const std::string& device)
{
    StoredResult result = row_of({"", "device", device, "", "", ""}, op, parse_schedule(config));
    result.samples_ns = {ns};
    return result;
}

} // namespace

TEST_CASE("Rows are ordered by a judge, and what it cannot tell apart by the next one")
{
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        CAPTURE(seed);
        const std::vector<CrosscheckRow> rows = random_rows(seed);
        for (const Judge judge : all_judges) {
            const std::vector<std::size_t> order = order_by(rows, judge);
            for (std::size_t i = 1; i < order.size(); ++i) {
                CHECK(before(rows, judge, order[i - 1], order[i]));
            }
            CHECK(std::ranges::count_if(rows, [&](const CrosscheckRow& row) {
                      return judge != Judge::device || (row.measured && row.checked);
                  }) == std::ssize(order));
        }
    }
}

TEST_CASE("Facts are those of the timed simulation, and differences say by how much")
{
    const Operator op = parse_operator("matmul", "64,48,32");
    const DeviceProfile device = find_profile("adreno-640");
    const Calibration model = calibrate_profile(device, 1);
    const Schedule schedule = parse_schedule("A=block4,column;T=4x4;W=4x8;G=4x8x1");
    const KernelFacts facts = kernel_facts(op, schedule, device, model);
    SimulationOptions options = options_for(loop_nest(op, schedule), device);
    options.mode.timed = true;
    const SimulationResult simulated =
        simulate(*make_trace_source(launch_of(loop_nest(op, schedule))), options);
    CHECK(facts.l1_misses == simulated.l1.misses());
    CHECK(facts.l1_lookups == simulated.l1.lookups);
    CHECK(facts.from_memory.value == simulated.memory_bytes.value);
    CHECK(facts.warps == simulated.warps);
    CHECK(facts.bound_share > 0);
    CHECK(facts.bound_share <= 1);
    CHECK(facts.stalled_share <= 1);
    CHECK_THAT(facts_text(facts), Contains(facts.bound_by) && Contains(facts.limited_by));
    CHECK(differences(facts, facts).empty());
    CHECK(differences_text({}) == "nothing that is counted differs");

    KernelFacts other = facts;
    other.registers = 4 * facts.registers;
    other.l1_misses = 2 * facts.l1_misses;
    other.warps = facts.warps + facts.warps / 100; // too little to tell of
    other.from_memory = Bytes{0};
    const std::vector<FactDifference> found = differences(other, facts);
    REQUIRE(found.size() == 3);
    CHECK(found[0].name == "from memory"); // none at all is the farthest
    CHECK(found[0].ratio == 0);
    CHECK(found[1].name == "registers");
    CHECK(found[1].ratio == 4);
    CHECK(found[2].ratio == 2);
    CHECK(std::isinf(differences(facts, other)[0].ratio));
    CHECK_THAT(differences_text(found, 1),
               Contains("from memory 0 B instead of ") && !Contains("registers"));
}

TEST_CASE("Each judge takes what it gives the least time")
{
    const Operator op = parse_operator("matmul", "32,32,32");
    const DeviceProfile device = find_profile("adreno-640");
    const Calibration model = calibrate_profile(device, 1);
    CrosscheckOptions options;
    options.samples = 8;
    const Schedule in_use = parse_schedule("A=row,row;T=1x1;W=8x8;G=8x8x1");
    options.first = {in_use};
    CrosscheckResult result = crosscheck(op, device, model, nullptr, options);
    const JudgeChoices simulated = judge_choices(op, device, model, result, in_use);
    CHECK(simulated.of(Judge::device) == nullptr);
    REQUIRE(simulated.of(Judge::model) != nullptr);
    CHECK(simulated.in_use == 0);
    CHECK(*simulated.of(Judge::simulator)->over_best == 0);
    const auto least = std::ranges::min_element(
        result.rows, {}, [](const auto& row) { return row.simulated.value; });
    CHECK(result.rows[simulated.of(Judge::simulator)->row].simulated.value ==
          least->simulated.value);

    // A device for which the first row is the best, and the second one's output wrong.
    for (std::size_t i = 0; i < result.rows.size(); ++i) {
        result.rows[i].measured = Nanoseconds{1000.0 + 100 * static_cast<double>(i)};
        result.rows[i].checked = i != 1;
    }
    const JudgeChoices measured = judge_choices(op, device, model, result, in_use);
    const JudgeChoice& of_device = *measured.of(Judge::device);
    CHECK(of_device.row == 0);
    CHECK(of_device.second == 2);
    CHECK(of_device.alike == 1);
    const JudgeChoice& of_model = *measured.of(Judge::model);
    if (of_model.row == 1) {
        CHECK_FALSE(of_model.over_best);
    } else {
        CHECK(*of_model.over_best == Approx(0.1 * static_cast<double>(of_model.row)));
    }
    for (const JudgeChoice& choice : measured.by_judge) {
        CHECK(measured.facts.contains(choice.row));
        CHECK(measured.facts.contains(choice.second.value()));
    }
}

TEST_CASE("Runs that were made before are cross-checked as those made now")
{
    const Operator op = parse_operator("matmul", "32,32,32");
    const DeviceProfile device = find_profile("adreno-640");
    const Calibration model = calibrate_profile(device, 1);
    const std::vector<std::string> configs{"A=row,row;T=1x1;W=8x8;G=8x8x1",
                                           "A=block4,column;T=4x4;W=8x8;G=8x8x1",
                                           "A=column,row;T=2x2;W=4x4;G=4x4x1;M=buffer,image,image"};
    std::vector<StoredResult> results;
    for (std::size_t i = 0; i < configs.size(); ++i) {
        results.push_back(run_of(op, configs[i], 1000.0 * static_cast<double>(i + 1), "GPU"));
    }
    results.push_back(run_of(op, configs[1], 7000, "GPU")); // once more: this one counts
    results.push_back(run_of(parse_operator("matmul", "32,32,64"), configs[0], 1, "GPU"));
    StoredResult refused = run_of(op, "A=row,row;T=8x8;W=8x8;G=8x8x1", 0, "GPU");
    refused.status = RunStatus::unsupported;
    refused.samples_ns.clear();
    results.push_back(refused);

    const KnownRuns known = known_runs(results, op, device, "file");
    CHECK(known.device == "GPU");
    REQUIRE(known.rows.size() == 3);
    CHECK(known.rows[1].measured->value == 7000);
    const CrosscheckResult result = crosscheck_known(op, device, model, known, {});
    REQUIRE(result.rows.size() == 3);
    std::set<std::string> seen;
    for (const CrosscheckRow& row : result.rows) {
        seen.insert(to_string(row.schedule));
        CHECK(row.simulated.value == simulated_time(loop_nest(op, row.schedule), device, 0).value);
        CHECK(row.predicted.value ==
              predict(op, row.schedule, device, model).cost(result.variant.variant).kernel.value);
    }
    CHECK(seen.size() == 3);
    CHECK(result.pairs[1].kendall.has_value());

    CrosscheckOptions two;
    two.samples = 2;
    CHECK(crosscheck_known(op, device, model, known, two).rows.size() == 2);
    CHECK_THROWS_WITH(known_runs({results[4]}, op, device, "file"),
                      Contains("has no run of matmul 32,32,32") &&
                          Contains("of matmul it has 32,32,64"));
    results.push_back(run_of(op, configs[0], 5, "Adreno (TM) 640"));
    CHECK(known_runs(results, op, device, "file").device == "Adreno (TM) 640"); // the profile's
    results.push_back(run_of(op, configs[0], 5, "another"));
    std::erase_if(results,
                  [](const StoredResult& run) { return run.key.device.starts_with("Adreno"); });
    CHECK_THROWS_WITH(known_runs(results, op, device, "file"),
                      Contains("it has runs on GPU, another"));
    CHECK_THROWS_WITH(crosscheck_known(op, device, model, {"GPU", {}, {known.rows[0]}}, {}),
                      Contains("two or more"));
}
