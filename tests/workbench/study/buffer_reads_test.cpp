// Kernels that read buffers: which way their reads go, and what that costs by hand.

#include "base/error.hpp"
#include "base/random.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/launch/buffer_reads.hpp"
#include "devices/launch/launch_options.hpp"
#include "traces/launch_source.hpp"
#include "workbench/study/launch_result.hpp"
#include "workbench/study/prediction.hpp"
#include "workbench/study/study.hpp"
#include "workbench/tuning/baseline_rules.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace texelscope::workbench::tuning;
using Catch::Matchers::Contains;

namespace {

LoopNest nest_of(const char* schedule)
{
    return loop_nest(parse_operator("matmul", "16,16,32"), parse_schedule(schedule));
}

constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();

} // namespace

TEST_CASE(
    "Reads of buffers pass the L1 by where it is for textures only, and share the port of the L2")
{
    DeviceProfile device = find_profile("adreno-640");
    CHECK(buffer_path(device).kind == BufferPath::Kind::l2);
    CHECK_THAT(buffer_way(device), Contains("past the L1"));

    // 64 work-items read 64 texels of 16 B in a row, again and again: 16 lines, which the port lets
    // through at 16 B a cycle, and a launch of four times the reads takes four times as long. From
    // an image, all but the first time they lie in L1.
    device.simulation.machine.l2().bytes_per_cycle = 16;
    device.simulation.machine.cores = 1;
    const auto result = [&](std::int64_t reads, bool buffer) {
        Launch launch;
        launch.kernel = "row";
        launch.images = {
            {.name = "data", .extent = {64, 1}, .bytes_per_texel = Bytes{16}, .buffer = buffer}};
        launch.local = {64, 1, 1};
        const auto ids = work_item_variables(launch.groups, launch.local);
        launch.body = {Loop{{slots::first_loop_slot, "turn", {0, reads - 1}},
                            {AccessFunction{0, IndexExpr(ids[0]), 0}}}};
        SimulationOptions options = device.simulation;
        options.kernel.buffers = buffer_path(device);
        options.mode.timed = true;
        options.machine.instructions.reads_in_flight = 1;
        return simulate(*make_trace_source(launch), options);
    };
    const auto cycles = [&](std::int64_t reads) {
        return static_cast<double>(result(reads, true).cycles->value);
    };
    // One warp waits for its read before the next: 16 lines of 64 B take 64 cycles at the port,
    // then the latency.
    CHECK(cycles(400) - cycles(100) == Approx(300 * (64 + 111)).epsilon(0.05));
    const std::int64_t granules =
        100 * 64 * 16 / device.simulation.machine.l1().geometry.granule().value;
    CHECK(result(100, true).l1.lookups == 0);
    CHECK(result(100, true).l2().lookups == granules);
    CHECK(result(100, false).l1.lookups == granules);
}

TEST_CASE("Reads of buffers go through a first level of their own where there is one")
{
    DeviceProfile device = find_profile("mali-g77");
    device.limits.buffer_l1 = Bytes{4096};
    CHECK(buffer_path(device) == BufferPath{BufferPath::Kind::own_l1, Bytes{4096}});
    CHECK_THAT(buffer_way(device), Contains("4096 B"));
    device.limits.buffers_in_l1 = true;
    CHECK(buffer_path(device).kind == BufferPath::Kind::images_l1);
    device.limits.buffer_l1.reset();
    CHECK_THROWS_AS(buffer_path(device), Error);
    SimulationOptions none = device.simulation;
    none.kernel.buffers.kind = BufferPath::Kind::l2;
    none.machine.l2().geometry.capacity = Bytes{0};
    CHECK_THROWS_AS(validate(none), Error);
}

TEST_CASE("Images and buffers meet the caches that each of them would meet alone")
{
    // Work-items read an image and a buffer in turn, at random places; an oracle of two caches by
    // cores sees what each misses.
    std::mt19937_64 random(5);
    for (int round = 0; round < 20; ++round) {
        SimulationOptions options = find_profile("mali-g77").simulation;
        options.mode.timed = true;
        options.machine.cores = 1;
        options.machine.warps_per_core = 1; // so that the order of reads is that of the program
        options.machine.l1().geometry = {.capacity = Bytes{1024}, .line = Bytes{64}, .ways = 4};
        options.kernel.buffers = {BufferPath::Kind::own_l1, Bytes{512}};
        Launch launch;
        launch.kernel = "both";
        launch.images = {
            {.name = "image", .extent = {16, 16}, .bytes_per_texel = Bytes{16}},
            {.name = "buffer", .extent = {256, 1}, .bytes_per_texel = Bytes{16}, .buffer = true}};
        launch.local = {16, 1, 1};
        const auto ids = work_item_variables(launch.groups, launch.local);
        for (int read = 0; read < 200; ++read) {
            const auto at = static_cast<std::int64_t>(uniform_below(random, 16));
            if (uniform_below(random, 2) == 0) {
                launch.body.emplace_back(AccessFunction{0, IndexExpr(ids[0]), IndexExpr(at)});
            } else {
                launch.body.emplace_back(
                    AccessFunction{1, IndexExpr(ids[0]) + IndexExpr(16 * at), 0});
            }
        }
        const auto alone = [&](int image) {
            Launch one = launch;
            std::erase_if(one.body, [&](const Statement& s) {
                return std::get<AccessFunction>(s).image != image;
            });
            SimulationOptions o = options;
            if (image == 1) {
                o.machine.l1().geometry.capacity = options.kernel.buffers.capacity;
                o.kernel.buffers = {};
            }
            for (Image& i : one.images) {
                i.buffer = i.buffer && image == 0;
            }
            o.machine.layout = image == 1 ? LayoutSpec{} : o.machine.layout;
            return simulate(*make_trace_source(one), o);
        };
        const SimulationResult both = simulate(*make_trace_source(launch), options);
        const SimulationResult image = alone(0);
        const SimulationResult buffer = alone(1);
        CHECK(both.l1.lookups == image.l1.lookups + buffer.l1.lookups);
        CHECK(both.l1.misses() == image.l1.misses() + buffer.l1.misses());
        CHECK(both.l1.compulsory == image.l1.compulsory + buffer.l1.compulsory);
    }
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
    for (const auto& [nest, simulated] :
         {std::pair(images, images), std::pair(buffers, buffers_as_rows(buffers))}) {
        SimulationOptions options = options_for(simulated, device);
        options.mode.timed = true;
        CHECK(simulated_time(nest, device, all).value ==
              Approx(simulate(*make_trace_source(launch_of(simulated)), options)
                         .time(options.machine)
                         ->value));
    }
    DeviceProfile unknown = device;
    unknown.limits.buffer_l1.reset();
    CHECK_THROWS_AS(simulated_time(buffers, unknown, all), Error);
    CHECK_THROWS_AS(check_simulated(buffers, unknown), Error);
    CHECK_NOTHROW(check_simulated(images, unknown));
}

TEST_CASE("A read of several texels of a buffer is as many reads")
{
    const Launch wide = launch_of(
        buffers_as_rows(nest_of("A=row,column;T=16x1;G=1x4x1;V=16;M=buffer,buffer,buffer")));
    const Launch narrow =
        launch_of(buffers_as_rows(nest_of("A=row,column;T=16x1;G=1x4x1;M=buffer,buffer,buffer")));
    CHECK(reads_per_item(wide.body) == reads_per_item(narrow.body));
    const auto texels = [](const Launch& launch) {
        std::multiset<std::array<int, 3>> all_reads;
        for (const ItemRead& read : item_reads(launch, {0, 0, 0}, {0, 1, 0})) {
            all_reads.insert({read.image, read.texel.x, read.texel.y});
        }
        return all_reads;
    };
    CHECK(texels(wide) == texels(narrow));
}

TEST_CASE("What the model says of kernels of buffers, copied blocks and split reductions is near "
          "to what the simulator says")
{
    struct Kernel {
        const char* shape;
        const char* text;
    };
    const std::vector<Kernel> kernels{
        {"96,96,96", "A=row,row;T=4x4;G=8x8x1;M=image,buffer,image"},
        {"96,96,96", "A=row,row;T=4x4;G=8x8x1;M=buffer,image,image"},
        {"96,96,96", "A=row,row;T=4x4;G=8x8x1;M=buffer,buffer,image"},
        {"96,96,96", "A=row,column;T=16x1;G=1x8x1;V=16;M=buffer,buffer,buffer"},
        {"128,128,128", "A=row,row;T=4x4;W=8x4;G=8x8x1;S=8"},
        {"128,128,128", "A=row,column;T=2x2;W=8x8;G=8x8x1;S=16"},
        {"128,128,128", "A=row,column;T=1x1;W=16x16;G=16x16x1;S=16"},
        {"128,128,128", "A=block4,row;T=4x2;W=8x8;G=8x8x1;S=8"},
        {"1,384,1024", "A=column,block4;T=8x1;W=1x1;G=1x1x1;R=64"},
        {"1,384,1024", "A=block2,row;T=8x1;W=4x1;G=4x1x1;R=16"},
        {"1,384,1024", "A=block4,row;T=8x1;W=4x1;G=4x1x1;R=64;M=image,buffer,image"},
        {"1,384,1024", "A=row,row;T=4x1;W=8x1;G=16x1x1;R=4"}};
    for (const char* name : {"adreno-740", "mali-g77", "nvidia-h100"}) {
        const DeviceProfile device = find_profile(name);
        for (const Kernel& kernel : kernels) {
            CAPTURE(name, kernel.text);
            const Operator op = parse_operator("matmul", kernel.shape);
            const Schedule schedule = parse_schedule(kernel.text);
            const ConfigurationSpace one = space_of({schedule});
            const double predicted =
                rank_by_model({op, device, one, {}, ModelVariant::bottleneck}, 1)
                    .best.at(0)
                    .cost.value;
            const double simulated = simulated_time(loop_nest(op, schedule), device, all).value;
            CHECK(predicted > simulated / 2);
            CHECK(predicted < simulated * 2);
        }
    }
}

TEST_CASE("Local memory takes the time that its bandwidth leaves")
{
    // Half of the bandwidth, and nothing else: what reads and writes of blocks take is at least
    // what their bytes need.
    DeviceProfile device = find_profile("mali-g77");
    const LoopNest nest = loop_nest(parse_operator("matmul", "128,128,128"),
                                    parse_schedule("A=row,row;T=4x4;G=8x8x1;S=8"));
    const auto cycles = [&](std::optional<double> bandwidth) {
        device.simulation.machine.timing.local_bytes_per_cycle = bandwidth;
        const SimulationOptions options = options_for(nest, device);
        return simulated_time(nest, device, all).value * options.machine.timing.clock_mhz / 1000;
    };
    const SimulationOptions options = options_for(nest, device);
    const Launch launch = launch_of(nest);
    const WarpCode::Totals code = WarpCode(&launch, options).totals();
    const double warps =
        static_cast<double>(nest.groups[0]) * nest.groups[1] * 64 / options.machine.warp_size;
    const double of_core = warps / options.machine.cores * code.local;
    CHECK(code.local > 0);
    for (const double bandwidth : {4.0, 8.0}) {
        CHECK(cycles(bandwidth) > of_core / bandwidth);
        CHECK(cycles(bandwidth) < 1.3 * of_core / bandwidth);
    }
    CHECK(cycles(std::nullopt) < of_core / 8);
}

TEST_CASE("A study's time is that of the whole kernel, wherever its inputs lie")
{
    const DeviceProfile device = find_profile("mali-g77");
    const Operator op = parse_operator("matmul", "64,64,64");
    for (const char* memory : {"image,image,image", "image,buffer,image", "buffer,buffer,buffer"}) {
        CAPTURE(memory);
        const Schedule schedule =
            parse_schedule(std::string("A=row,column;T=2x4;W=4x4;G=4x4x1;M=") + memory);
        const StudyResult study = run_study({op, schedule, device, 1, false});
        CHECK(study.timed.time(study.options.machine)->value ==
              simulated_time(loop_nest(op, schedule), device, 0).value);
    }
}
