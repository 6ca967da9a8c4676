// How far the judges agree: agreement, causes and summaries by hand, and the quick form of the
// experiment with floors.

#include "base/averages.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "experiments/judges/judges.hpp"
#include "experiments/judges/judges_tables.hpp"
#include "tests/base/random.hpp"
#include "tests/experiments/finding_of.hpp"
#include "tests/workbench/plots/nothing_clipped.hpp"
#include "workbench/study/launch_result.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <variant>

using namespace texelscope;
using namespace texelscope::experiments;
using Catch::Matchers::Contains;

namespace {

/// Pairs counted one by one.
double slow_tau(const std::vector<double>& a, const std::vector<double>& b)
{
    double sum = 0, in_a = 0, in_b = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const int x = (a[i] > a[j]) - (a[i] < a[j]);
            const int y = (b[i] > b[j]) - (b[i] < b[j]);
            sum += x * y;
            in_a += x * x;
            in_b += y * y;
        }
    }
    return sum / std::sqrt(in_a * in_b);
}

/// A cell of four kernels that take 100, 200, 300 and 400 ns; all variants but the bottleneck model
/// have the opposite order.
JudgedCell cell_with(std::size_t device, const std::string& op, std::vector<double> bottleneck)
{
    JudgedCell cell{device, {op, "8,8,8"}, {}, {100, 200, 300, 400}, {}};
    for (const char* text : {"A=row,row;T=1x1;W=8x8;G=8x8x1", "A=row,row;T=1x2;W=8x8;G=8x8x1",
                             "A=row,row;T=2x2;W=8x8;G=8x8x1", "A=row,row;T=2x4;W=8x8;G=8x8x1"}) {
        cell.schedules.push_back(parse_schedule(text));
    }
    cell.predicted_ns.fill({4, 3, 2, 1});
    cell.predicted_ns[0] = std::move(bottleneck);
    return cell;
}

/// Of four kernels.
JudgedShape shape_with(bool fitted_on, const std::vector<double>& simulator,
                       const std::vector<double>& bottleneck)
{
    JudgedShape shape{"nvidia-h100", fitted_on, "matmul", "8,8,8", {100, 200, 300, 400}, {}};
    shape.judged_ns.fill({4, 3, 2, 1});
    shape.judged_ns[0] = simulator;
    shape.judged_ns[1] = bottleneck;
    return shape;
}

std::vector<DeviceProfile> two_devices()
{
    return {find_profile("adreno-740"), find_profile("mali-g76")};
}

/// Both sides alike: 1,000 lookups, 200 L1 misses, 100 L2 misses, 8 warps; the model's time is half
/// the simulator's.
ComparedCounts alike()
{
    ComparedCounts counts;
    counts.predicted_ns = 50'000;
    counts.sampled_ns = counts.simulated_ns = 100'000;
    counts.model.l1_lookups = 1000;
    counts.model.levels = {{.name = "L1", .misses = 200}, {.name = "L2", .misses = 100}};
    counts.model.resident_warps = 8;
    counts.model.latency = 90;
    counts.model.issue = 10;
    counts.l1 = {.lookups = 1000, .hits = 800, .compulsory = 50, .capacity = 150};
    counts.l2 = {.lookups = 200, .hits = 100, .compulsory = 20, .conflict = 80};
    counts.stalls.waiting_for_data = 75;
    counts.stalls.alu_busy = 25;
    counts.resident_warps = 8;
    counts.l1_lines = 32;
    return counts;
}

Cause cause_of(const ComparedCounts& counts)
{
    return disagreement_of(counts).cause;
}

} // namespace

TEST_CASE("A quantile is the value of its rank")
{
    CHECK(quantile({30, 10, 20}, 0.5) == 20);
    CHECK(quantile({30, 10, 20}, 0) == 10);
    CHECK(quantile({30, 10, 20}, 1) == 30);
    CHECK(quantile({10, 20}, 0.25) == Approx(12.5));
    CHECK(quantile({7}, 0.9) == 7);
    CHECK(std::isnan(quantile({}, 0.5)));
}

TEST_CASE("Agreement of a judge: order, choice and errors")
{
    test::Random random(5);
    for (int i = 0; i < 50; ++i) {
        std::vector<double> judge, truth;
        for (int k = random.small(2, 30); k > 0; --k) {
            judge.push_back(random.small(1, 12)); // with ties
            truth.push_back(random.small(1, 40));
        }
        const Agreement agreement = agreement_of(judge, truth);
        CAPTURE(i);
        if (std::ranges::min(judge) < std::ranges::max(judge) &&
            std::ranges::min(truth) < std::ranges::max(truth)) {
            CHECK(agreement.tau.value() == Approx(slow_tau(judge, truth)).margin(1e-12));
        } else {
            CHECK_FALSE(agreement.tau.has_value());
        }
        CHECK(agreement.choice >= 1 - 1e-12);
    }
    // The two that the judge holds for the best take 2 and 8, the best 1. One is right, others are
    // off by factors of 2, 4 and 8.
    const Agreement agreement =
        agreement_of(std::vector<double>{1, 1, 4, 4}, std::vector<double>{2, 8, 1, 4});
    CHECK(agreement.choice == Approx(4));
    CHECK(agreement.error[1] == Approx(2)); // between 1 and 3
    CHECK(agreement.error[0] == Approx(0.3));
    CHECK(agreement.error[2] == Approx(3 + 0.7 * 4));
}

TEST_CASE(
    "The cause of a disagreement is the count that differs most in the direction of the times")
{
    ComparedCounts counts = alike();
    CHECK(cause_of(counts) == Cause::overlap);
    CHECK_THAT(disagreement_of(counts).text,
               Contains("latency 90 %") && Contains("waiting for data 75 %"));
    counts.spilled_registers = 3;
    CHECK(cause_of(counts) == Cause::spills);

    counts.model.levels[0].misses = 100;
    CHECK(cause_of(counts) == Cause::l1_misses);
    CHECK_THAT(disagreement_of(counts).text,
               Contains("too few L1 misses: model 100, simulator 200 (capacity 75 %)") &&
                   !Contains("throw"));
    counts.misses_of_single_reads = 90;
    CHECK_THAT(
        disagreement_of(counts).text,
        Contains("with one read under way 90: reads put ahead throw each other out of 32 lines"));
    counts.misses_of_single_reads = 110;
    CHECK_THAT(disagreement_of(counts).text, !Contains("throw"));
    counts.model.levels[1].misses = 20;
    CHECK(cause_of(counts) == Cause::l2_misses);
    CHECK_THAT(disagreement_of(counts).text,
               Contains("too few L2 misses: model 20, simulator 100 (conflict 80 %)"));
    counts.model.l1_lookups = 100;
    CHECK(cause_of(counts) == Cause::lookups);
    counts.model.resident_warps = 160;
    CHECK(cause_of(counts) == Cause::warps);
    CHECK_THAT(disagreement_of(counts).text,
               Contains("too many resident warps: model 160, simulator 8.0"));

    // A model that is too slow is not so for misses that it does not see.
    counts.predicted_ns = 200'000;
    CHECK(cause_of(counts) == Cause::spills);
    counts.model.levels[0].misses = 800;
    CHECK_THAT(disagreement_of(counts).text, Contains("too many L1 misses: model 800"));

    // Few misses cost nothing, however their ratio.
    counts = alike();
    counts.model.levels[0].misses = 1;
    counts.l1 = {.lookups = 1000, .hits = 960, .capacity = 40};
    counts.model.levels[1].misses = 0;
    counts.l2 = {};
    CHECK(cause_of(counts) == Cause::overlap);

    counts.predicted_ns = 95'000;
    CHECK(cause_of(counts) == Cause::close);
    counts.sampled_ns = 108'000; // not what makes the difference
    CHECK(cause_of(counts) == Cause::overlap);
    counts.sampled_ns = 50'000;
    CHECK(cause_of(counts) == Cause::sample);
    CHECK_THAT(disagreement_of(counts).text, Contains("2.00 times"));

    counts = alike();
    counts.launch_ns = 60'000;
    CHECK(cause_of(counts) == Cause::launch);
}

TEST_CASE("Reads put ahead that throw each other out of a small cache are told from other misses")
{
    const DeviceProfile device = find_profile("adreno-640");
    const Operator op = parse_operator("matmul", "64,64,64");
    const Schedule schedule = parse_schedule("A=column,column;T=2x4;W=4x8;G=4x8x1");
    const double sampled = simulated_time(loop_nest(op, schedule), device, 0).value;
    const ComparedCounts counts =
        compared_counts(op, schedule, device, calibrate_profile(device, 1), sampled);
    CHECK(counts.simulated_ns == Approx(sampled)); // the launch is simulated as a whole in both
    CHECK(counts.l1.lookups == counts.l1.hits + counts.l1.misses());
    CHECK(counts.model.l1_lookups == Approx(static_cast<double>(counts.l1.lookups)).epsilon(0.01));
    DeviceProfile single = device;
    set(single.simulation, "issue.reads_in_flight", "1");
    const ComparedCounts one_by_one =
        compared_counts(op, schedule, single, calibrate_profile(single, 1), sampled);
    CHECK(*counts.misses_of_single_reads == one_by_one.l1.misses());
    CHECK_FALSE(one_by_one.misses_of_single_reads.has_value());
    CHECK(2 * *counts.misses_of_single_reads < counts.l1.misses());
    const Disagreement why = disagreement_of(counts);
    CHECK(why.cause == Cause::l1_misses);
    CHECK_THAT(why.text, Contains("throw each other out of 32 lines"));
}

TEST_CASE("Shortlists take what the simulator puts first of the model's first")
{
    // The bottleneck model's first half are the kernels of 100 and 200 ns, as a cell holds them
    // first.
    CHECK(cell_with(0, "matmul", {1, 2, 3, 4}).shortlist() == 1);
    JudgedCell cell = cell_with(0, "matmul", {1, 2, 3, 4});
    cell.simulated_ns = {300, 200, 100, 400};
    CHECK(cell.shortlist() == 2);

    const JudgedShape shape = shape_with(false, {9, 5, 1, 7}, {2, 1, 4, 3});
    CHECK(shape.shortlist(1).value() == 2); // the second, which the model puts first
    CHECK(shape.shortlist(2).value() == 2); // of the first two
    CHECK(shape.shortlist(3).value() == 2); // the fourth is slower by the simulator
    CHECK_FALSE(shape.shortlist(4).has_value());
}

TEST_CASE("Findings on the judges follow from cells and shapes")
{
    const std::vector<DeviceProfile> devices = two_devices();
    const std::vector<JudgedCell> good{cell_with(0, "matmul", {1, 2, 3, 4}),
                                       cell_with(1, "matmul", {1, 2, 3, 4})};
    for (const Finding& finding : judge_findings(good, devices, {}, {})) {
        CAPTURE(finding.claim);
        CHECK(finding.verdict == Verdict::holds);
        CHECK(finding.explanation.empty());
    }
    // On the second device the model chooses the kernel of 200 ns, and has one of six pairs the
    // wrong way round.
    const std::vector<JudgedCell> mixed{good[0], cell_with(1, "matmul", {2, 1, 3, 4})};
    const CellSummary summary = summary_of(mixed);
    CHECK(summary.cells == 2);
    CHECK(summary.tau == Approx((1 + 4.0 / 6) / 2));
    CHECK(summary.least_tau == Approx(4.0 / 6));
    CHECK(summary.below == 1);
    CHECK(summary.above == 1);
    CHECK(summary.choice == Approx(std::sqrt(2)));
    CHECK(summary.worst_choice == Approx(2));
    CHECK(summary.taus[1] == Approx(-1));
    CHECK(summary.choices[1] == Approx(4));
    ComparedCounts counts = alike();
    const std::vector<FarKernel> far{
        {"mali-g76", mixed[1].shape, {}, counts, disagreement_of(counts)}};
    const std::vector<Finding> findings = judge_findings(mixed, devices, far, {});
    REQUIRE(findings.size() == 4);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(findings[i].verdict == Verdict::does_not_hold);
        CHECK_THAT(findings[i].explanation,
                   Contains("model: causes of the farthest kernel of each such cell: overlap 1"));
    }
    CHECK_THAT(findings[0].ours, Contains("in 1 of 2 cells") && Contains("mali-g76 matmul 8,8,8"));

    // Shapes that were fitted on decide nothing.
    const std::vector<DeviceProfile> measured{find_profile("nvidia-h100")};
    const std::vector<double> right{100, 200, 300, 400}, wrong{800, 600, 500, 400};
    const auto verdicts = [&](const std::vector<JudgedShape>& shapes) {
        std::vector<Finding> some = judge_findings({good[0]}, measured, {}, shapes);
        some.erase(some.begin(), some.begin() + 4);
        return some;
    };
    const auto holding =
        verdicts({shape_with(true, wrong, wrong), shape_with(false, right, right)});
    REQUIRE(holding.size() == 6);
    for (std::size_t i = 0; i < 5; ++i) {
        CAPTURE(holding[i].claim);
        CHECK(holding[i].verdict == Verdict::holds);
    }
    CHECK(holding[5].verdict == Verdict::not_tested); // four kernels are no more than 64
    const auto failing =
        verdicts({shape_with(true, right, right), shape_with(false, wrong, wrong)});
    for (std::size_t i = 0; i < 5; ++i) {
        CHECK(failing[i].verdict == Verdict::does_not_hold);
    }
    CHECK(verdicts({shape_with(true, right, right)}).empty());
}

TEST_CASE("Tables and plot of the judges have every cell and every shape")
{
    const std::vector<DeviceProfile> devices = two_devices();
    std::vector<JudgedCell> cells;
    for (std::size_t d = 0; d < 2; ++d) {
        for (const char* op : {"matmul", "matmul", "softmax"}) {
            cells.push_back(cell_with(d, op, {1, 2, 4, 3}));
        }
    }
    cells[3].predicted_ns[0] = {4, 3, 2, 1};
    const std::vector<JudgedShape> shapes{shape_with(true, {1, 2, 3, 4}, {1, 2, 3, 4}),
                                          shape_with(false, {1, 2, 3, 4}, {1, 2, 3, 4})};
    const ResultTable summary = summary_table(cells, devices);
    CHECK(summary.rows.size() == 2 + 2 + 1);
    CHECK(std::get<std::int64_t>(summary.rows.back()[2]) == 6);
    const ResultTable all = cell_table(cells, devices);
    CHECK(all.rows.size() == 6);
    CHECK(std::get<double>(all.rows[3][4]) == -1);
    CHECK(std::get<double>(all.rows[2][4]) == Approx(4.0 / 6).epsilon(0.001));
    CHECK(measured_summary_table(shapes).rows.size() == 2 * measured_judges.size());
    CHECK(measured_table(shapes).rows.size() == 2 * measured_judges.size());
    for (const ResultTable& table :
         {summary, all, measured_summary_table(shapes), measured_table(shapes)}) {
        for (const auto& row : table.rows) {
            CHECK(row.size() == table.columns.size());
        }
    }

    const PanelPlot plot = judges_plot(cells, devices);
    test::check_nothing_clipped(plot);
    REQUIRE(plot.panels.size() == 2);
    std::size_t discs = 0;
    for (const PanelPlot::Panel& panel : plot.panels) {
        for (const PanelPlot::Curve& curve : panel.curves) {
            discs += curve.points.size();
        }
    }
    CHECK(discs == cells.size());
    // The reversed one is in the lowest class: first operator, second device.
    const auto& lowest = plot.panels[0].curves.back().points;
    REQUIRE(lowest.size() == 1);
    CHECK(lowest[0].x == 1);
    CHECK(lowest[0].y == 2);
    CHECK(plot.left_text(2) == "mali-g76");
}

TEST_CASE("Every device has its name beside the plot of the judges")
{
    std::vector<DeviceProfile> devices;
    std::vector<JudgedCell> cells;
    for (const std::string& name : profile_names()) {
        for (const NamedShape& shape : judged_shapes()) {
            cells.push_back(cell_with(devices.size(), shape.op, {1, 2, 3, 4}));
        }
        devices.push_back(find_profile(name));
    }
    const PanelPlot plot = judges_plot(cells, devices);
    test::check_nothing_clipped(plot);
    std::set<std::string> words;
    for (const auto& shape : draw(plot).shapes) {
        if (const auto* text = std::get_if<DrawnText>(&shape)) {
            words.insert(text->words);
        }
    }
    for (const DeviceProfile& device : devices) {
        CAPTURE(device.name);
        CHECK(words.contains(device.name));
    }
}

TEST_CASE("A cell's times are those of both judges for its kernels, the model's best first")
{
    const std::vector<DeviceProfile> devices{find_profile("mali-g76")};
    const std::vector<Calibration> calibrations{calibrate_profile(devices[0], 1)};
    CellOptions options;
    options.shapes = {{"matmul", "64,64,64"}, {"softmax", "64,64"}};
    options.kernels = 8;
    options.sample = 2'000;
    const std::vector<JudgedCell> cells = judged_cells(devices, calibrations, options);
    REQUIRE(cells.size() == 2);
    for (const JudgedCell& cell : cells) {
        REQUIRE(cell.schedules.size() == 8);
        const Operator op = parse_operator(cell.shape.op, cell.shape.shape);
        for (std::size_t i = 0; i < cell.schedules.size(); ++i) {
            const Prediction prediction =
                predict(op, cell.schedules[i], devices[0], calibrations[0]);
            CHECK(cell.predicted_ns[0][i] == prediction.bottleneck.kernel.value);
            CHECK(cell.predicted_ns[1][i] == prediction.literal.kernel.value);
            CHECK(
                cell.simulated_ns[i] ==
                simulated_time(loop_nest(op, cell.schedules[i]), devices[0], options.sample).value);
        }
        CHECK(std::is_sorted(cell.predicted_ns[0].begin(), cell.predicted_ns[0].begin() + 4));
        CHECK(cell.predicted_ns[0][0] == std::ranges::min(cell.predicted_ns[0]));
    }
}

TEST_CASE("In the quick form the judges agree as well as they did, by family of devices")
{
    JudgesOptions options;
    std::erase_if(options.cells.shapes,
                  [n = 0](const NamedShape&) mutable { return n++ % 2 == 1; });
    REQUIRE(options.cells.shapes.size() == 7);
    options.cells.kernels = 12;
    options.cells.sample = 4'000;
    options.measured = {.most_kernels = 16, .every = 9, .longest_sample = 20'000};
    options.far = 1;
    struct Floor {
        const char* device;
        double tau, choice;
    };
    std::vector<DeviceProfile> devices;
    // A little worse than what was measured.
    const std::array floors{Floor{"adreno-740", 0.65, 1.18}, Floor{"mali-g76", 0.62, 1.1},
                            Floor{"nvidia-h100", 0.8, 1.02}};
    for (const Floor& floor : floors) {
        devices.push_back(find_profile(floor.device));
    }
    const ExperimentResult result = judges(devices, options);
    for (std::size_t d = 0; d < floors.size(); ++d) {
        const auto& row = result.table.rows[d];
        CAPTURE(floors[d].device, std::get<double>(row[3]), std::get<double>(row[6]));
        CHECK(std::get<std::string>(row[1]) == floors[d].device);
        CHECK(std::get<std::int64_t>(row[2]) == 7);
        CHECK(std::get<double>(row[3]) >= floors[d].tau);
        CHECK(std::get<double>(row[6]) <= floors[d].choice);
    }
    REQUIRE(result.further.size() == 5);
    struct MeasuredFloor {
        const char *fitted_on, *judge;
        double tau, error;
    };
    const auto& measured = result.further[0].table.rows;
    for (const auto& [fitted_on, judge, tau, error] :
         {MeasuredFloor{"yes", "simulator", 0.63, 0.19},
          MeasuredFloor{"yes", "bottleneck", 0.65, 0.15},
          MeasuredFloor{"no", "simulator", 0.7, 0.22},
          MeasuredFloor{"no", "bottleneck", 0.78, 0.18}}) {
        const auto row = std::ranges::find_if(measured, [&](const auto& one) {
            return std::get<std::string>(one[1]) == fitted_on &&
                   std::get<std::string>(one[2]) == judge;
        });
        REQUIRE(row != measured.end());
        CAPTURE(fitted_on, judge);
        CHECK(std::get<double>((*row)[4]) >= tau);
        CHECK(std::get<double>((*row)[8]) <= error);
    }
    // A far kernel of each cell that falls short, and a cause of each.
    const auto& cells = result.further[3].table;
    std::int64_t short_of = 0;
    for (const auto& cell : cells.rows) {
        const double* const tau = std::get_if<double>(&cell[4]);
        short_of += tau == nullptr || *tau < 0.75 || std::get<double>(cell[8]) > 1.1 ? 1 : 0;
    }
    CHECK(cells.columns[4] == "tau bottleneck");
    CHECK(cells.columns[8] == "choice bottleneck");
    CHECK(cells.rows.size() == 21);
    CHECK(short_of > 0);
    CHECK(std::ssize(result.further[1].table.rows) == short_of);
    std::int64_t causes = 0;
    for (std::size_t i = 1; i < result.further[2].table.columns.size(); ++i) {
        causes += std::get<std::int64_t>(result.further[2].table.rows.back()[i]);
    }
    CHECK(causes == short_of);
    CHECK(result.further[4].table.rows.size() == 6 * measured_judges.size());
    test::check_nothing_clipped(result.plot);
    CHECK(test::finding_of(result.findings, "no other variant").verdict == Verdict::holds);
}
