// The parts of an explanation that need no recorded launch.

#include "devices/profile/device_profile.hpp"
#include "traces/launch_source.hpp"
#include "workbench/explain/explained_output.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <set>

using namespace texelscope::workbench::explain;
using namespace texelscope::traces;
using namespace texelscope::sim;

namespace {

/// Each work-item reads A(x, y) and, three texels to the right, A(x + 3, y).
Launch shifted_reads(Dim3 groups, Dim3 local, AddressMode mode)
{
    Launch launch;
    launch.kernel = "shifted";
    launch.groups = groups;
    launch.local = local;
    launch.images.push_back({.name = "A",
                             .extent = {groups[0] * local[0], groups[1] * local[1]},
                             .address_mode = mode});
    const auto ids = work_item_variables(groups, local);
    const IndexExpr x = IndexExpr(ids[3]) * local[0] + IndexExpr(ids[0]);
    const IndexExpr y = IndexExpr(ids[4]) * local[1] + IndexExpr(ids[1]);
    launch.body = {AccessFunction{0, x, y}, AccessFunction{0, x + 3, y}};
    return launch;
}

} // namespace

TEST_CASE("what an argument is read is counted as by hand")
{
    for (const AddressMode mode : {AddressMode::border, AddressMode::edge}) {
        const auto source = make_trace_source(shifted_reads({4, 2, 1}, {8, 4, 1}, mode));
        const auto device = texelscope::devices::find_profile("adreno-740");
        const auto reads = argument_reads(*source, device.simulation);
        REQUIRE(reads.size() == 1);
        const bool border = mode == AddressMode::border;
        CHECK(reads[0].reads == 2 * 32 * 8);
        CHECK(reads[0].outside == 3 * 8); // of each row the last three
        CHECK(reads[0].distinct == 32 * 8);
        REQUIRE(reads[0].map);
        for (std::int32_t y = 0; y < 8; ++y) {
            for (std::int32_t x = 0; x < 32; ++x) {
                const int expected = (x < 3 ? 1 : 2) + (x == 31 && !border ? 3 : 0);
                CHECK(reads[0].map->at({x, y}) == expected);
            }
        }
        CHECK(reads[0].lines_per_access() >= 1);
    }
}

TEST_CASE("arithmetic costs what the machine's rates say, and addresses belong to reads")
{
    auto device = texelscope::devices::find_profile("adreno-740");
    SimulationOptions options = device.simulation;
    options.machine.instructions.read = 3;
    options.machine.instructions.exponential = 5;
    options.machine.timing.alu_lanes = 128;
    options.machine.timing.half_lanes = 256;
    KernelWork work;
    work.reads = 100;
    CHECK(arithmetic_instructions(work, options) == 0);
    work.executed = ExecutedOperations{1000, 400, 10, 500, 7};
    CHECK(arithmetic_instructions(work, options) == Approx(1000 + 200 + 50 + 500 - 200));
    work.executed->integers = 150; // less than the addresses of the reads
    CHECK(arithmetic_instructions(work, options) == Approx(1000 + 200 + 50));
    options.machine.spills = SpillRule::body;
    options.kernel.spill_accesses = 6;
    work.items = 64;
    CHECK(arithmetic_instructions(work, options) == Approx(1250 + 6 * 64));
}

TEST_CASE("a launch with much arithmetic is bound by it, one without by something else")
{
    const auto device = texelscope::devices::find_profile("adreno-740");
    const auto source = make_trace_source(shifted_reads({16, 16, 1}, {8, 8, 1}, AddressMode::edge));
    KernelWork work;
    work.items = 128 * 128;
    work.items_of_group = 64;
    work.reads = 2 * work.items;
    const KernelTime bare = kernel_time(*source, work, device);
    CHECK(bound_of(bare).name != "arithmetic");
    work.executed = ExecutedOperations{work.items * 4000, 0, 0, 0, 0};
    const KernelTime busy = kernel_time(*source, work, device);
    CHECK(bound_of(busy).name == "arithmetic");
    // No shorter than all cores at work all the time.
    const Machine& machine = device.simulation.machine;
    const double least = static_cast<double>(work.executed->floats) /
                         (*machine.timing.alu_lanes * machine.cores) * 1000 /
                         machine.timing.clock_mhz;
    CHECK(busy.ns() > least);
    CHECK(busy.ns() < 1.5 * least + bare.ns());
    CHECK(busy.ns() > 2 * bare.ns());
}

TEST_CASE("a part of a kernel's work takes that part of the time")
{
    const auto device = texelscope::devices::find_profile("adreno-740");
    KernelWork work;
    work.items = 1000;
    work.reads = 64'000;
    work.executed = ExecutedOperations{2'000'000, 100, 0, 300'000, 7};
    const KernelWork quarter = part_of(work, 0.25);
    CHECK(quarter.items == 250);
    CHECK(quarter.reads == 16'000);
    CHECK(4 * arithmetic_instructions(quarter, device.simulation) ==
          Approx(arithmetic_instructions(work, device.simulation)));
    CHECK(part_of(work, 0).items == 1);
}

TEST_CASE("spilled registers take the time of their bytes")
{
    auto device = texelscope::devices::find_profile("adreno-740");
    // The compiler tells of them, whatever the rule for estimates is.
    device.simulation.machine.spills = GENERATE(SpillRule::body, SpillRule::operand);
    const auto source = make_trace_source(shifted_reads({16, 16, 1}, {8, 8, 1}, AddressMode::edge));
    KernelWork work;
    work.items = 128 * 128;
    work.items_of_group = 64;
    work.compiled.emplace();
    work.compiled->registers = 64;
    work.compiled->warps = 8;
    work.compiled->warp_size = device.simulation.machine.warp_size;
    const KernelTime kept = kernel_time(*source, work, device);
    CHECK(kept.spills_ns == 0);
    work.compiled->spill_stores = work.compiled->spill_loads = 500;
    const KernelTime spilled = kernel_time(*source, work, device);
    // Each work-item stores and loads 500 words, at least at the pace of the shared cache.
    const double bytes = 4.0 * 1000 * static_cast<double>(work.items);
    const Machine& machine = device.simulation.machine;
    CHECK(spilled.spills_ns >=
          bytes / machine.shared_level().bytes_per_cycle * 1000 / machine.timing.clock_mhz * 0.999);
    CHECK(bound_of(spilled).name == "spills");
    CHECK(spilled.ns() > kept.ns());
}

TEST_CASE("local sizes that are tried are all powers of two that fit, and only these")
{
    const std::array<std::int64_t, 3> global{48, 64, 2};
    const auto found = local_sizes(global, {8, 8, 1}, 32, 100);
    std::set<std::array<std::int64_t, 3>> expected;
    for (const std::int64_t x : {1, 2, 4, 8, 16, 32, 64}) {
        for (const std::int64_t y : {1, 2, 4, 8, 16, 32, 64}) {
            for (const std::int64_t z : {1, 2, 4}) {
                const std::int64_t items = x * y * z;
                if (48 % x == 0 && 64 % y == 0 && 2 % z == 0 && items >= 32 && items <= 100 &&
                    !(x == 8 && y == 8 && z == 1)) {
                    expected.insert({x, y, z});
                }
            }
        }
    }
    CHECK(std::set<std::array<std::int64_t, 3>>(found.begin(), found.end()) == expected);
    CHECK(found.size() == expected.size());
}

TEST_CASE("a local size of our own divides the global size")
{
    using Size = std::array<std::int64_t, 3>;
    CHECK(default_local_size({256, 64, 1}) == Size{8, 8, 1});
    CHECK(default_local_size({256, 1, 1}) == Size{64, 1, 1});
    CHECK(default_local_size({7, 5, 3}) == Size{1, 1, 1});
    CHECK(default_local_size({100, 6, 1}) == Size{4, 2, 1});
    CHECK(default_local_size({64, 64, 64}) == Size{4, 4, 4});
}

TEST_CASE("words that need a local size are found outside of comments")
{
    CHECK(needs_local_size("int x = get_local_id(0);") == "get_local_id");
    CHECK(needs_local_size("__local float t[4];") == "__local");
    CHECK(needs_local_size("barrier(CLK_LOCAL_MEM_FENCE);") == "barrier");
    CHECK(needs_local_size("x = sub_group_reduce_add(x);") == "sub_group_reduce_add");
    CHECK_FALSE(needs_local_size("int x = get_global_id(0); // get_local_id\n/* barrier */"));
    CHECK_FALSE(needs_local_size("float localised = 1, my_barrier = 2;"));
    CHECK_FALSE(needs_local_size("/* never closed barrier"));
    CHECK(needs_local_size("a; // x\nbarrier") == "barrier");
}

TEST_CASE("words of other kernels of the file need no local size of this one")
{
    const std::string text = "int help(int x) { return x; }\n"
                             "kernel void plain(int n) { if (n) { n = help(n); } }\n"
                             "__kernel __attribute__((reqd_work_group_size(8, 8, 1)))\n"
                             "void tiled(local int* t) { { barrier(1); } }\n";
    CHECK_FALSE(needs_local_size(text, "plain"));
    CHECK(needs_local_size(text, "tiled") == "reqd_work_group_size");
    CHECK(needs_local_size(text) == "reqd_work_group_size");
    CHECK(needs_local_size("int f() { return get_group_id(0); }" + text, "plain") ==
          "get_group_id");
    // Braces that do not match: nothing is taken for granted.
    CHECK(needs_local_size("kernel void a() { BEGIN kernel void b() { barrier(1); }", "b"));
    CHECK(needs_local_size("kernel void a() { barrier(1);", "b"));
}
