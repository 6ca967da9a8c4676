// Romou's figure 5: jumps against the occupancy by hand, the findings against made-up times.

#include "devices/targets/simulated_target.hpp"
#include "experiments/romou/romou_registers.hpp"
#include "tests/experiments/finding_of.hpp"

#include <catch2/catch.hpp>

using namespace texelscope;
using namespace texelscope::experiments;
using Catch::Matchers::Contains;
using test::finding_of;

namespace {

/// Times of work-groups on a device with that pool: one round for each time that the work-items
/// fill it.
RegisterSweep made_up_sweep(std::int64_t pool, const std::vector<std::int64_t>& items)
{
    RegisterSweep data;
    data.warp_size = 64;
    for (const std::int64_t count : items) {
        RegisterSweep::Series series{count, {}};
        for (std::int64_t registers = 1; registers <= 256; ++registers) {
            const std::int64_t together = pool / (registers * 64) * 64;
            series.times.push_back(
                Nanoseconds{1000.0 * static_cast<double>((count + together - 1) / together)});
        }
        data.series.push_back(series);
    }
    return data;
}

} // namespace

TEST_CASE("Romou's figure 5: time jumps with the first register that a warp finds no room for")
{
    DeviceProfile device = find_profile("adreno-640");
    device.simulation.machine.registers_per_core = 73728;
    // with it, what needs more than 192 registers is kept in memory
    device.limits.registers_per_item = {};
    SimulatedTarget target(device, 0, 1);
    const RegisterSweep data =
        measure_register_sweep(target, device.simulation.machine.warp_size,
                               {.items = {60, 384, 768, 2048}, .most_registers = 200});
    REQUIRE(data.series.size() == 3); // 2048 are too many
    CHECK(data.series[0].items == 64);
    CHECK_FALSE(register_jump(data.series[0], 64)); // 73728 / 64 = 1152 registers
    const auto six = register_jump(data.series[1], 64);
    const auto twelve = register_jump(data.series[2], 64);
    REQUIRE(six);
    REQUIRE(twelve);
    CHECK(six->warps == 6);
    CHECK(six->fits == 73728 / 384);
    CHECK(six->jumps == six->fits + 1);
    CHECK(twelve->fits == 73728 / 768);
    // 128 reads of 76 cycles at 585 MHz, one warp after the other at the port.
    CHECK(data.series[0].times[0].value == Approx(128 * 76 * 1000.0 / 585).epsilon(0.02));
}

TEST_CASE("Romou's figure 5: the findings follow the data")
{
    const std::vector<std::int64_t> items{64, 384, 768};
    const auto like_paper = romou_registers_findings(made_up_sweep(384 * 181, items));
    CHECK(finding_of(like_paper, "up to 384 work-items").verdict == Verdict::holds);
    const Finding size = finding_of(like_paper, "384 work-items run at once");
    CHECK(size.verdict == Verdict::holds);
    CHECK(size.ours == "181 registers");
    CHECK(finding_of(like_paper, "work-items share").verdict == Verdict::holds);
    CHECK(finding_of(like_paper, "768 work-items run").verdict == Verdict::holds);
    CHECK(finding_of(like_paper, "with more registers").verdict == Verdict::holds);
    const Finding own = finding_of(like_paper, "64 work-items slow down");
    CHECK(own.verdict == Verdict::not_tested);
    CHECK_THAT(own.ours, Contains("no jump up to 256 registers"));

    const auto smaller = romou_registers_findings(made_up_sweep(384 * 100, items));
    CHECK(finding_of(smaller, "up to 384 work-items").verdict == Verdict::does_not_hold);
    CHECK(finding_of(smaller, "384 work-items run at once").verdict == Verdict::does_not_hold);
    CHECK(finding_of(smaller, "768 work-items run").verdict == Verdict::holds);

    // of each work-item, however many there are
    RegisterSweep own_file = made_up_sweep(384 * 181, items);
    own_file.series[2].times = own_file.series[1].times;
    const auto apart = romou_registers_findings(own_file);
    CHECK(finding_of(apart, "work-items share").verdict == Verdict::does_not_hold);
    CHECK(finding_of(apart, "768 work-items run").verdict == Verdict::does_not_hold);

    RegisterSweep slower = made_up_sweep(384 * 181, items);
    for (Nanoseconds& time : slower.series[2].times) {
        time.value = time.value > 1000 ? 3000 : 1000;
    }
    CHECK(finding_of(romou_registers_findings(slower), "with more registers").verdict ==
          Verdict::does_not_hold);

    const auto few = romou_registers_findings(made_up_sweep(384 * 181, {64}));
    for (const Finding& finding : few) {
        CHECK(finding.verdict == Verdict::not_tested);
        CHECK_FALSE(finding.ours.empty());
    }
}
