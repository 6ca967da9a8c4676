// Figure 5: the numbers against closed forms and direct simulation, the findings against made-up
// data.

#include "devices/profile/device_profile.hpp"
#include "experiments/experiment.hpp"
#include "experiments/tmmodel/occupancy_waves.hpp"
#include "sim/options/occupancy.hpp"
#include "sim/options/options.hpp"
#include "sim/simulate.hpp"
#include "tests/experiments/finding_of.hpp"
#include "traces/formats/csv_trace.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <vector>

using namespace texelscope;
using namespace texelscope::experiments;
using texelscope::test::csv_cells;
using texelscope::test::finding_of;

namespace {

DeviceProfile small_device()
{
    DeviceProfile device = find_profile("adreno-750");
    device.simulation.machine.warp_size = 4;
    device.simulation.machine.registers_per_core =
        49152 / 16; // as many for each thread as with warps of 64
    device.simulation.machine.l2().geometry.capacity = Bytes{8192};
    device.simulation.machine.timing.alu_lanes = 16;
    return device;
}

/// Made-up data of two kernels: unrolled once with occupancy 7, 16 times with occupancy 3, up to 15
/// warps.
template <class MissRate, class Time>
OccupancyWaves made_up_waves(const MissRate& miss_rate, const Time& time)
{
    OccupancyWaves data;
    for (const auto& [unroll, occupancy] : {std::pair(1, 7), std::pair(16, 3)}) {
        OccupancyWaves::Series series{unroll, occupancy, {}};
        for (int warps = 1; warps <= 15; ++warps) {
            const int groups = (warps + occupancy - 1) / occupancy;
            series.points.push_back({warps, groups, miss_rate(warps, occupancy),
                                     Nanoseconds{time(warps, occupancy, unroll)}});
        }
        data.series.push_back(series);
    }
    return data;
}

/// Falls by a straight line inside of each occupancy group, to the same low.
double straight_waves(int warps, int occupancy)
{
    const int place = (warps - 1) % occupancy; // in its group
    return 0.1 + 0.05 * (occupancy - 1 - place);
}
double steps(int warps, int occupancy, int unroll)
{
    return (unroll == 1 ? 100.0 : 90.0) * ((warps + occupancy - 1) / occupancy);
}

} // namespace

TEST_CASE("Figure 5: occupancy follows from the registers, from 12 down to 4 on an Adreno 750")
{
    const SimulationOptions device = find_profile("adreno-750").simulation;
    const OccupancyWavesOptions options;
    std::vector<int> warps;
    for (const int unroll : options.unrolls) {
        warps.push_back(occupancy(occupancy_waves_device(device, options, unroll)).warps);
    }
    // 2 * floor(49152 / 2 / 64 / r), r the next multiple of 4 from 46 + 8 u, for u = 1, 4, 8, 16
    CHECK(warps == std::vector<int>{12, 8, 6, 4});
    SimulationOptions fixed = device;
    fixed.kernel.registers_per_item = 100;
    fixed.kernel.alu_cycles_per_step = 3;
    const SimulationOptions kept = occupancy_waves_device(fixed, options, 4);
    CHECK(kept.kernel.registers_per_item == 132);
    CHECK(kept.kernel.alu_cycles_per_step == 3);
    CHECK(occupancy_waves_device(device, options, 4).kernel.alu_cycles_per_step ==
          Approx((16 + 8 / 4.0) * 64 / 256));
}

TEST_CASE("Figure 5: every number is that of a direct simulation")
{
    DeviceProfile device = small_device();
    device.limits.image_width = 100; // so that the data wrap into rows
    const OccupancyWavesOptions options{.unrolls = {4, 16}, .most_warps = 9, .least_texels = 64};
    const OccupancyWaves data = measure_occupancy_waves(device, options);
    CHECK(data.texels == 640);
    for (const OccupancyWaves::Series& series : data.series) {
        SimulationOptions bench = device.simulation;
        bench.machine.cores = 1;
        bench.mode.timed = true;
        bench.kernel.registers_per_item = 46 + 8 * series.unroll;
        bench.kernel.alu_cycles_per_step = (16 + 8.0 / series.unroll) * 4 / 16;
        bench.machine.instructions.reads_in_flight = std::min(8, series.unroll);
        CHECK(series.occupancy == occupancy(bench).warps);
        REQUIRE(series.points.size() == 9);
        for (const OccupancyWaves::Point& point : series.points) {
            std::vector<TraceRow> rows;
            for (std::int32_t item = 0; item < 4 * point.warps; ++item) {
                for (std::int32_t r = 0; r < 640; ++r) {
                    rows.push_back({.item = item,
                                    .step = static_cast<std::uint32_t>(r),
                                    .texel = {r % 100, r / 100}});
                }
            }
            const auto source = make_trace_source(
                "same", {{.name = "data", .extent = {100, 7}, .bytes_per_texel = Bytes{16}}}, rows);
            const SimulationResult direct = simulate(*source, bench);
            CAPTURE(series.unroll, point.warps);
            CHECK(point.miss_rate == Approx(direct.l1.miss_rate()));
            CHECK(point.time.value == Approx(direct.time(bench.machine)->value));
            CHECK(point.occupancy_groups ==
                  (point.warps + series.occupancy - 1) / series.occupancy);
        }
    }
}

TEST_CASE("Figure 5: warps of a group share every line, warps of different groups share none")
{
    // A line of 32 bytes holds two texels of the row: of S texels an occupancy group misses S / 2,
    // whatever its warps.
    DeviceProfile device = small_device();
    set(device.simulation, "layout", "row");
    const OccupancyWaves data = measure_occupancy_waves(device);
    for (const OccupancyWaves::Series& series : data.series) {
        for (const OccupancyWaves::Point& point : series.points) {
            CAPTURE(series.unroll, point.warps);
            const int groups = (point.warps + series.occupancy - 1) / series.occupancy;
            CHECK(point.miss_rate == Approx(groups / 2.0 / point.warps));
        }
    }
}

TEST_CASE("Figure 5: the table and its CSV carry the data with all digits, the same every time")
{
    const DeviceProfile device = small_device();
    const ExperimentResult result = find_experiment("fig5").run(device, {}, {});
    const OccupancyWaves data = measure_occupancy_waves(device);
    const auto cells = csv_cells(to_csv(result.table));
    CHECK(cells.front() == std::vector<std::string>{"unroll", "occupancy", "warps",
                                                    "occupancy_groups", "l1_miss_rate", "ns"});
    std::size_t row = 1;
    for (const OccupancyWaves::Series& series : data.series) {
        for (const OccupancyWaves::Point& point : series.points) {
            REQUIRE(row < cells.size());
            CHECK(cells[row][0] == std::to_string(series.unroll));
            CHECK(cells[row][1] == std::to_string(series.occupancy));
            CHECK(cells[row][2] == std::to_string(point.warps));
            CHECK(std::strtod(cells[row][4].c_str(), nullptr) == point.miss_rate);
            CHECK(std::strtod(cells[row][5].c_str(), nullptr) == point.time.value);
            ++row;
        }
    }
    CHECK(row == cells.size());
    CHECK(row == 65); // header, 4 unrollings of 16 work-groups
    CHECK(findings_text(find_experiment("fig5").run(device, {}, {})) == findings_text(result));
}

TEST_CASE("Figure 5: a work-group keeps the device's limit")
{
    DeviceProfile device = small_device();
    device.limits.work_group_size = 20;
    const OccupancyWaves data = measure_occupancy_waves(device);
    CHECK(data.series.front().points.size() == 5);
}

TEST_CASE("Figure 5: all findings hold on data as the paper has them")
{
    const auto findings = occupancy_waves_findings(made_up_waves(straight_waves, steps));
    CHECK(findings.size() == 9);
    for (const Finding& finding : findings) {
        CAPTURE(finding.claim, finding.ours);
        CHECK(finding.verdict == Verdict::holds);
    }
}

TEST_CASE("Figure 5: no finding holds on data that say the opposite")
{
    // The miss rate bends up and never waves; the time grows with every warp, and unrolling only
    // ever does the opposite.
    const auto bent = [](int warps, int) {
        return 0.1 + 0.002 * (warps - 6) * (warps - 6) * (warps < 6 ? 1 : -0.1);
    };
    const auto ramp = [](int warps, int, int unroll) {
        return (unroll == 1 ? 100.0 : 100.5) + 30 * (warps - 1) * (unroll == 1 ? 1 : 0.5);
    };
    for (const Finding& finding : occupancy_waves_findings(made_up_waves(bent, ramp))) {
        CAPTURE(finding.claim, finding.ours);
        if (finding.claim.starts_with("the L1 miss rate falls")) {
            continue; // decided on its own below
        }
        CHECK(finding.verdict == Verdict::does_not_hold);
    }
    const auto level = [](int, int) { return 0.5; };
    CHECK(
        finding_of(occupancy_waves_findings(made_up_waves(level, steps)), "the L1 miss rate falls")
            .verdict == Verdict::does_not_hold);
}

TEST_CASE("Figure 5: each finding looks at what it names")
{
    const auto verdict = [](const OccupancyWaves& data, const char* start) {
        return finding_of(occupancy_waves_findings(data), start).verdict;
    };
    // Shared perfectly: 1 / warps is no line, but it falls and waves.
    const OccupancyWaves shared = made_up_waves(
        [](int warps, int occupancy) {
            return 0.5 * ((warps + occupancy - 1) / occupancy) / warps;
        },
        steps);
    CHECK(verdict(shared, "the L1 miss rate falls") == Verdict::holds);
    CHECK(verdict(shared, "that fall is linear") == Verdict::does_not_hold);
    CHECK(verdict(shared, "the miss rate rises") == Verdict::holds);
    CHECK(verdict(shared, "then it falls back") == Verdict::holds);
    // Troughs that climb by 15 % from group to group are no recurring wave.
    const OccupancyWaves climbing = made_up_waves(
        [](int warps, int occupancy) {
            return straight_waves(warps, occupancy) * (1 + 0.15 * ((warps - 1) / occupancy));
        },
        steps);
    CHECK(verdict(climbing, "then it falls back") == Verdict::does_not_hold);
    CHECK(verdict(climbing, "the miss rate rises") == Verdict::holds);
    // Steps a little high of flat: 9 % and 11 % of slope within a group.
    for (const double slope : {0.09, 0.11}) {
        const OccupancyWaves sloping =
            made_up_waves(straight_waves, [slope](int warps, int occupancy, int unroll) {
                const double place = static_cast<double>((warps - 1) % occupancy) / (occupancy - 1);
                return steps(warps, occupancy, unroll) * (1 + slope * place);
            });
        CHECK(verdict(sloping, "between the steps") ==
              (slope < 0.1 ? Verdict::holds : Verdict::does_not_hold));
    }
    // Groups that overlap by half.
    const OccupancyWaves overlapping =
        made_up_waves(straight_waves, [](int warps, int occupancy, int unroll) {
            return (steps(warps, occupancy, unroll) + steps(1, occupancy, unroll)) / 2;
        });
    CHECK(verdict(overlapping, "the time steps up") == Verdict::holds);
    CHECK(verdict(overlapping, "the time is that of one") == Verdict::does_not_hold);
}

TEST_CASE("Figure 5: where the occupancy is never exceeded, waves and steps are not tested")
{
    DeviceProfile device = small_device();
    device.simulation.kernel.occupancy = 16;
    const ExperimentResult result = find_experiment("fig5").run(device, {}, {});
    for (const char* start : {"the miss rate rises", "then it falls back", "the time steps up",
                              "the time is that of"}) {
        CHECK(finding_of(result.findings, start).verdict == Verdict::not_tested);
    }
    CHECK(finding_of(result.findings, "the L1 miss rate falls").verdict == Verdict::holds);
}
