#include "base/error.hpp"
#include "sim/options/occupancy.hpp"
#include "sim/options/options.hpp"
#include "sim/options/settings.hpp"
#include "sim/simulate.hpp"
#include "tests/sim/random_case.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <limits>
#include <set>

using namespace texelscope::sim;
using namespace texelscope::test;
using Catch::Matchers::Contains;

namespace {

const std::vector<std::string> documented_keys{"cores",
                                               "warp.size",
                                               "registers.per_core",
                                               "registers.rule",
                                               "registers.step",
                                               "registers.partitions",
                                               "registers.warps",
                                               "local.warps",
                                               "occupancy",
                                               "l1.capacity",
                                               "l1.line",
                                               "l1.ways",
                                               "l1.replacement",
                                               "l1.sector",
                                               "l1.index",
                                               "l2.capacity",
                                               "l2.line",
                                               "l2.ways",
                                               "l2.replacement",
                                               "l2.sector",
                                               "l2.index",
                                               "layout",
                                               "schedule.groups",
                                               "schedule.warps",
                                               "schedule.dispatch",
                                               "schedule.fetch_group",
                                               "outstanding_misses",
                                               "misses.merges",
                                               "latency_fifo"};

} // namespace

TEST_CASE("settings have unique keys, a description each, and cover the documented ones")
{
    std::set<std::string> keys;
    for (const Setting& setting : settings()) {
        INFO(setting.key);
        CHECK(keys.insert(setting.key).second);
        CHECK_FALSE(setting.about.empty());
        CHECK(setting.about.find('\n') == std::string::npos);
    }
    for (const std::string& key : documented_keys) {
        INFO(key);
        CHECK(keys.contains(key));
    }
}

TEST_CASE("each setting reaches the field that it names")
{
    SimulationOptions o;
    const std::vector<std::pair<std::string, std::string>> values{{"cores", "3"},
                                                                  {"warp.size", "32"},
                                                                  {"registers.per_core", "4096"},
                                                                  {"registers.rule", "32-or-64"},
                                                                  {"registers.step", "4"},
                                                                  {"registers.partitions", "2"},
                                                                  {"registers.warps", "6"},
                                                                  {"local.warps", "9"},
                                                                  {"occupancy", "5"},
                                                                  {"l1.capacity", "2048"},
                                                                  {"l1.line", "128"},
                                                                  {"l1.ways", "4"},
                                                                  {"l1.replacement", "fifo"},
                                                                  {"l1.sector", "32"},
                                                                  {"l1.index", "xor"},
                                                                  {"l2.capacity", "65536"},
                                                                  {"l2.line", "32"},
                                                                  {"l2.ways", "8"},
                                                                  {"l2.replacement", "plru"},
                                                                  {"l2.sector", "16"},
                                                                  {"l2.index", "xor"},
                                                                  {"layout", "4x4:row,row"},
                                                                  {"schedule.groups", "refill"},
                                                                  {"schedule.warps", "gto"},
                                                                  {"schedule.dispatch", "dynamic"},
                                                                  {"schedule.fetch_group", "4"},
                                                                  {"misses.merges", "7"},
                                                                  {"latency_fifo", "96"},
                                                                  {"outstanding_misses", "12"}};
    for (const auto& [key, value] : values) {
        set(o, key, value);
        INFO(key);
        CHECK(get(o, key) == value);
    }
    SimulationOptions want;
    want.machine.cores = 3;
    want.machine.warp_size = 32;
    want.machine.registers_per_core = 4096;
    want.machine.register_rule = RegisterRule::half_above;
    want.machine.register_step = 4;
    want.machine.register_partitions = 2;
    want.kernel.compiled_warps = 6;
    want.kernel.local_warps = 9;
    want.kernel.occupancy = 5;
    want.machine.l1().geometry = {.capacity = Bytes{2048},
                                  .line = Bytes{128},
                                  .ways = 4,
                                  .replacement = ReplacementKind::fifo,
                                  .sector = Bytes{32},
                                  .index = SetIndex::xor_folded};
    want.machine.l2().geometry = {.capacity = Bytes{65536},
                                  .line = Bytes{32},
                                  .ways = 8,
                                  .replacement = ReplacementKind::plru,
                                  .sector = Bytes{16},
                                  .index = SetIndex::xor_folded};
    want.machine.layout = parse_layout("4x4:row,row");
    want.machine.group_schedule = GroupSchedule::refill;
    want.machine.warp_schedule = WarpSchedule::gto;
    want.machine.dispatch = Dispatch::dynamic;
    want.machine.fetch_group = 4;
    want.machine.timing.misses_merges = 7;
    want.machine.timing.latency_fifo = 96;
    want.machine.timing.outstanding_misses = 12;
    CHECK(o == want);
    set(o, "l2.capacity", "0");
    CHECK_FALSE(o.machine.has_l2());
}

TEST_CASE("every setting of random options can be written down and read back")
{
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        Random random(seed);
        SimulationOptions original = random_case(random).options;
        original.machine.timing.clock_mhz = random.pick(std::vector<double>{1, 333.25, 0.1, 1e3});
        original.kernel.alu_cycles_per_step = random.pick(std::vector<double>{0, 0.1, 12.5});
        original.machine.timing.lookups_per_cycle =
            random.pick(std::vector<double>{0.5, 1, 1.0 / 3.0, 4});
        original.machine.l1().latency = Cycles{random.between(1, 500)};
        original.machine.l1().geometry.seed =
            static_cast<std::uint64_t>(random.between(0, 1'000'000));
        SimulationOptions copy;
        for (const Setting& setting : settings()) {
            const std::string text = get(original, setting.key);
            SimulationOptions same = original;
            INFO("seed " << seed << ", " << setting.key << "=" << text);
            REQUIRE_NOTHROW(set(same, setting.key, text));
            REQUIRE(same == original);
            set(copy, setting.key, text);
            REQUIRE(get(copy, setting.key) == text);
        }
        // What no key names stays as it was; everything else is in the keys.
        copy.kernel.registers_per_item = original.kernel.registers_per_item;
        copy.mode.timed = original.mode.timed;
        INFO("seed " << seed);
        REQUIRE(copy == original);
    }
}

TEST_CASE("an unknown key is an error that names a near one")
{
    SimulationOptions o;
    CHECK_THROWS_AS(set(o, "l1.capcity", "64"), Error);
    CHECK_THROWS_WITH(set(o, "l1.capcity", "64"),
                      Contains("l1.capcity") && Contains("l1.capacity"));
    CHECK_THROWS_WITH(set(o, "warp_size", "64"), Contains("warp.size"));
    CHECK_THROWS_AS(set(o, "", "64"), Error);
    CHECK_THROWS_AS(get(o, "l3.capacity"), Error);
    CHECK(o == SimulationOptions{});
}

TEST_CASE("a value that does not parse is an error that names the key, and changes nothing")
{
    const SimulationOptions before;
    for (const Setting& setting : settings()) {
        const std::vector<std::string> bad{"",
                                           "nonsense",
                                           "12monkeys",
                                           "1,2",
                                           "0x10",
                                           "--3",
                                           "1 2",
                                           "nan",
                                           "inf",
                                           "1e999",
                                           "99999999999999999999999"};
        for (const std::string& value : bad) {
            SimulationOptions o = before;
            INFO(setting.key << "=" << value);
            CHECK_THROWS_AS(set(o, setting.key, value), Error);
            CHECK(o == before);
            try {
                set(o, setting.key, value);
            } catch (const Error& e) {
                CHECK_THAT(e.what(), Contains(setting.key));
                CHECK(std::string(e.what()).find('\n') == std::string::npos);
            }
        }
    }
}

TEST_CASE("a negative number is refused, at the latest before anything runs")
{
    for (const Setting& setting : settings()) {
        SimulationOptions o;
        o.mode.timed = true;
        INFO(setting.key);
        CHECK_THROWS_AS((set(o, setting.key, "-5"), validate(o)), Error);
    }
}

TEST_CASE("occupancy is what the registers give, within the limits, or the override")
{
    SimulationOptions o;
    o.machine.warp_size = 64;
    o.machine.warps_per_core = 16;
    CHECK(occupancy(o).warps == 16);
    CHECK(occupancy(o).limiter == Occupancy::Limiter::warp_limit);
    o.machine.registers_per_core = 16384;
    CHECK(occupancy(o).warps == 16);  // the kernel's registers are not known
    o.kernel.registers_per_item = 48; // 3072 a warp: 5.33
    CHECK(occupancy(o).warps == 5);
    CHECK(occupancy(o).limiter == Occupancy::Limiter::registers);
    o.kernel.registers_per_item = 1000; // none fits, one runs
    CHECK(occupancy(o).warps == 1);
    o.kernel.registers_per_item = 4;
    CHECK(occupancy(o).warps == 16);
    CHECK(occupancy(o).limiter == Occupancy::Limiter::warp_limit);
    o.kernel.compiled_warps = 7; // the kernel's compiler knows better than the rule
    CHECK(occupancy(o).warps == 7);
    CHECK(occupancy(o).limiter == Occupancy::Limiter::registers);
    o.kernel.compiled_warps = 64;
    CHECK(occupancy(o).warps == 16);
    CHECK(occupancy(o).limiter == Occupancy::Limiter::warp_limit);
    o.kernel.occupancy = 3;
    CHECK(occupancy(o).warps == 3);
    CHECK(occupancy(o).limiter == Occupancy::Limiter::override_value);
    o.kernel.occupancy = {};
    o.kernel.compiled_warps = 7;
    o.kernel.local_warps = 8;
    CHECK(occupancy(o).limiter == Occupancy::Limiter::registers);
    o.kernel.local_warps = 7; // of equals, local memory is named
    CHECK(occupancy(o).warps == 7);
    CHECK(occupancy(o).limiter == Occupancy::Limiter::local_memory);
}

TEST_CASE("registers are handed out in steps, by partitions: an Adreno's waves")
{
    // Mesa, ir3_get_reg_dependent_max_waves(): floor(96 / vec4 registers) * 2 of 64 work-items, at
    // most 16.
    SimulationOptions o;
    o.machine.warp_size = 64;
    o.machine.warps_per_core = 16;
    o.machine.registers_per_core = 96 * 4 * 64 * 2;
    o.machine.register_step = 4;
    o.machine.register_partitions = 2;
    for (int registers = 1; registers <= 192; ++registers) {
        CAPTURE(registers);
        const int vec4 = (registers + 3) / 4;
        o.kernel.registers_per_item = registers;
        CHECK(registers_taken(o.machine, registers) == 4 * vec4);
        CHECK(occupancy(o).warps == std::min(16, 96 / vec4 * 2));
    }
    o.kernel.registers_per_item = 1000; // more than there are: one in each partition
    CHECK(occupancy(o).warps == 2);
}

TEST_CASE("a core of 32 or 64 registers a thread holds all of its threads up to 32, half above")
{
    SimulationOptions o;
    o.machine.warp_size = 8;
    o.machine.warps_per_core = 96;
    o.machine.registers_per_core = 768 * 32;
    o.machine.register_rule = RegisterRule::half_above;
    CHECK(occupancy(o).warps == 96); // the kernel's registers are not known
    for (const auto& [registers, warps] : std::vector<std::pair<int, int>>{
             {1, 96}, {32, 96}, {33, 48}, {47, 48}, {64, 48}, {65, 48}, {200, 48}}) {
        CAPTURE(registers);
        o.kernel.registers_per_item = registers;
        CHECK(occupancy(o).warps == warps);
        CHECK(occupancy(o).limiter ==
              (warps == 96 ? Occupancy::Limiter::warp_limit : Occupancy::Limiter::registers));
    }
    o.machine.registers_per_core = 768 * 64; // room for all with 64
    CHECK(occupancy(o).warps == 96);
    o.machine.register_rule = RegisterRule::pool;
    o.kernel.registers_per_item = 200;
    CHECK(occupancy(o).warps == 768 * 64 / 200 / 8);
}

TEST_CASE("options that do not fit together are refused before anything runs")
{
    const auto refused = [](const std::string& what,
                            const std::function<void(SimulationOptions&)>& change) {
        SimulationOptions o;
        change(o);
        INFO(what);
        CHECK_THROWS_AS(validate(o), Error);
        SimulationCase c{{{"A", {4, 4}}}, {{0, 0, 0, 0, {0, 0}}}, o};
        CHECK_THROWS_AS(simulate(*c.source(), o), Error);
    };
    CHECK_NOTHROW(validate(SimulationOptions{}));
    refused("no cores", [](SimulationOptions& o) { o.machine.cores = 0; });
    refused("no lanes", [](SimulationOptions& o) { o.machine.warp_size = 0; });
    refused("no warps", [](SimulationOptions& o) { o.machine.warps_per_core = 0; });
    refused("occupancy of none", [](SimulationOptions& o) { o.kernel.occupancy = 0; });
    refused("negative registers", [](SimulationOptions& o) { o.machine.registers_per_core = -1; });
    refused("no L1", [](SimulationOptions& o) { o.machine.l1().geometry.capacity = Bytes{0}; });
    refused("broken L1",
            [](SimulationOptions& o) { o.machine.l1().geometry.capacity = Bytes{100}; });
    refused("broken L2", [](SimulationOptions& o) { o.machine.l2().geometry.ways = 5; });
    refused("no clock", [](SimulationOptions& o) {
        o.mode.timed = true;
        o.machine.timing.clock_mhz = 0;
    });
    refused("no lookups", [](SimulationOptions& o) {
        o.mode.timed = true;
        o.machine.timing.lookups_per_cycle = 0;
    });
    refused("no misses under way", [](SimulationOptions& o) {
        o.mode.timed = true;
        o.machine.timing.outstanding_misses = 0;
    });
    refused("negative merges", [](SimulationOptions& o) { o.machine.timing.misses_merges = -1; });
    refused("cores left out that would take work", [](SimulationOptions& o) {
        o.machine.cores = 8;
        o.mode.simulated_cores = 4;
        o.machine.dispatch = Dispatch::dynamic;
        o.mode.timed = true;
    });
    refused("registers spilled of none",
            [](SimulationOptions& o) { o.kernel.spilled_registers = 4; });
    refused("registers beyond counting", [](SimulationOptions& o) {
        o.kernel.registers_per_item = 64;
        o.kernel.spilled_registers = std::numeric_limits<int>::max();
    });
    refused("next to no local bandwidth",
            [](SimulationOptions& o) { o.machine.timing.local_bytes_per_cycle = 1e-300; });
    refused("negative FIFO", [](SimulationOptions& o) { o.machine.timing.latency_fifo = -1; });
    refused("fetch groups of none", [](SimulationOptions& o) { o.machine.fetch_group = 0; });
    refused("no bandwidth", [](SimulationOptions& o) {
        o.mode.timed = true;
        o.machine.timing.memory_bytes_per_cycle = 0;
    });
}
