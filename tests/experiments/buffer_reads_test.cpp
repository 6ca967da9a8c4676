// Kernels that read buffers: which way their reads go, and what that costs by hand.

#include "base/error.hpp"
#include "experiments/study/buffer_reads.hpp"
#include "experiments/study/launch_result.hpp"
#include "experiments/study/study.hpp"
#include "traces/launch_source.hpp"

#include <catch2/catch.hpp>

#include <limits>

using namespace texelscope::experiments;
using Catch::Matchers::Contains;

namespace {

LoopNest nest_of(const char* schedule)
{
    return loop_nest(parse_operator("matmul", "16,16,32"), parse_schedule(schedule));
}

constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();

} // namespace

TEST_CASE("Reads of buffers pass the L1 by where it is for textures only, and share the port of the L2")
{
    DeviceProfile device = find_profile("adreno-640");
    const DeviceProfile reading = reading_buffers(device);
    CHECK(reading.simulation.l1.capacity == Bytes{64}); // a line of the L2
    CHECK(reading.simulation.timing.hit_latency == device.simulation.timing.l2_latency);
    CHECK_THAT(buffer_way(device), Contains("past the L1"));

    // 64 work-items read 64 texels of 16 B in a row, again and again: 16 lines of the L2, which the port lets through at 16 B a
    // cycle, and a launch of four times the reads takes four times as long.
    device.simulation.timing.l2_bytes_per_cycle = 16;
    device.simulation.cores = 1;
    const auto cycles = [&](std::int64_t reads) {
        Launch launch;
        launch.kernel = "row";
        launch.images = {{.name = "data", .extent = {64, 1}, .bytes_per_texel = Bytes{16}}};
        launch.local = {64, 1, 1};
        const auto ids = work_item_variables(launch.groups, launch.local);
        launch.body = {
            Loop{{slots::first_loop_slot, "turn", {0, reads - 1}}, {AccessFunction{0, IndexExpr(ids[0]), 0}}}};
        SimulationOptions options = reading_buffers(device).simulation;
        options.timed = true;
        options.instructions.reads_in_flight = 1;
        return static_cast<double>(simulate(*make_trace_source(launch), options).cycles->value);
    };
    // One warp waits for its read before the next: 16 lines of 64 B take 64 cycles at the port, then the latency.
    CHECK(cycles(400) - cycles(100) == Approx(300 * (64 + 111)).epsilon(0.05));
}

TEST_CASE("Reads of buffers go through a first level of their own where there is one")
{
    DeviceProfile device = find_profile("mali-g77");
    device.limits.buffer_l1 = Bytes{4096};
    const DeviceProfile reading = reading_buffers(device);
    CHECK(reading.simulation.l1.capacity == Bytes{4096});
    CHECK(reading.simulation.l1.line == device.simulation.l1.line);
    CHECK(to_string(reading.simulation.layout) == "row");
    CHECK_THAT(buffer_way(device), Contains("4096 B"));
    device.limits.buffer_l1.reset();
    CHECK_THROWS_AS(reading_buffers(device), Error);
    device.limits.buffer_l1 = Bytes{0};
    device.simulation.l2.capacity = Bytes{0};
    CHECK_THROWS_AS(reading_buffers(device), Error);
}

TEST_CASE("A kernel of buffers makes the reads of its text, in rows")
{
    const LoopNest nest = nest_of("A=row,row;T=4x4;G=4x4x1;M=buffer,buffer,image");
    CHECK(launch_of(nest).images.empty());
    const Launch launch = launch_of(buffers_as_rows(nest));
    REQUIRE(launch.images.size() == 2);
    CHECK(launch.images[0].extent.height == 1);
    const Launch images = launch_of(nest_of("A=row,row;T=4x4;G=4x4x1"));
    CHECK(reads_per_item(launch.body) == reads_per_item(images.body));
    for (const ItemRead& read : item_reads(launch, {0, 0, 0}, {1, 2, 0})) {
        CHECK(read.texel.y == 0);
        CHECK(read.texel.x >= 0);
        CHECK(read.texel.x < launch.images[static_cast<std::size_t>(read.image)].extent.width);
    }
}

TEST_CASE("A kernel's time is that of its memory")
{
    const DeviceProfile device = find_profile("adreno-640");
    const LoopNest images = nest_of("A=row,row;T=4x4;G=4x4x1");
    const LoopNest buffers = nest_of("A=row,row;T=4x4;G=4x4x1;M=buffer,buffer,image");
    CHECK(simulated_time_of_memory(images, device, all).value == simulated_time(images, device, all).value);
    SimulationOptions options = options_for(buffers_as_rows(buffers), reading_buffers(device));
    options.timed = true;
    CHECK(simulated_time_of_memory(buffers, device, all).value ==
          Approx(simulate(*make_trace_source(launch_of(buffers_as_rows(buffers))), options).time(options)->value));
    CHECK_THROWS_AS(simulated_time_of_memory(nest_of("A=row,row;T=4x4;G=4x4x1;M=image,buffer,image"), device, all),
                    Error);
    CHECK_THROWS_AS(buffers_as_rows(nest_of("A=row,column;T=16x1;G=1x4x1;V=16;M=buffer,buffer,buffer")), Error);
}
