// What a core holds of a kernel at a time, and what limits it, against the published rules of
// NVIDIA, Mesa and Arm.

#include "base/random.hpp"
#include "codegen/nest/kernel_launch.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/launch/launch_options.hpp"
#include "devices/launch/limits.hpp"
#include "devices/profile/device_profile.hpp"
#include "sim/options/occupancy.hpp"
#include "sim/simulate.hpp"
#include "traces/launch_source.hpp"
#include "workbench/space/configuration_space.hpp"
#include "workbench/study/prediction.hpp"
#include "workbench/study/study.hpp"
#include "workbench/tuning/priced_parts.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace texelscope::workbench::tuning;
using namespace texelscope::sim;
using Catch::Matchers::Contains;
using Limiter = Occupancy::Limiter;

namespace {

std::int64_t round_up(std::int64_t value, std::int64_t step)
{
    while (value % step != 0) {
        ++value;
    }
    return value;
}

/// Thread blocks of a multiprocessor by the rules of CUDA's occupancy calculator for compute
/// capability 9.0: warps, registers of four sub-partitions (256 at a time for a warp), shared
/// memory (128 B at a time, 1 KiB of each block reserved), blocks.
struct CudaBlocks {
    std::int64_t by_warps, by_registers, by_shared_memory, by_limit = 32;

    CudaBlocks(std::int64_t threads, std::int64_t registers, std::int64_t shared_bytes)
    {
        const std::int64_t warps = round_up(threads, 32) / 32;
        by_warps = 64 / warps;
        const std::int64_t of_partition = 65536 / 4 / round_up(registers * 32, 256);
        by_registers = of_partition * 4 / warps;
        by_shared_memory =
            shared_bytes == 0 ? by_limit : 228 * 1024 / round_up(shared_bytes + 1024, 128);
    }
    [[nodiscard]] std::int64_t blocks() const
    {
        return std::min({by_warps, by_registers, by_shared_memory, by_limit});
    }
};

Occupancy on_h100(std::int64_t threads, int registers, std::int64_t shared_bytes)
{
    DeviceProfile device = find_profile("nvidia-h100");
    device.limits.local_memory_of_group = {}; // OpenCL's; CUDA gives a block more
    SimulationOptions options = device.simulation;
    options.kernel = with_local_memory(options.kernel, device, shared_bytes, threads);
    options.kernel.registers_per_item = registers;
    return occupancy(options, (threads + 31) / 32);
}

std::int64_t items_of(const LoopNest& nest)
{
    return std::int64_t{nest.local[0]} * nest.local[1] * nest.local[2];
}

} // namespace

TEST_CASE(
    "An H100 holds as many thread blocks as CUDA's occupancy rules say, and the scarcest is named")
{
    std::mt19937_64 random(7);
    std::set<Limiter> seen;
    for (int i = 0; i < 4000; ++i) {
        const auto below = [&](std::uint64_t count) {
            return static_cast<std::int64_t>(uniform_below(random, count));
        };
        const std::int64_t threads = 1 + below(1024);
        const int registers = static_cast<int>(1 + below(255));
        const std::int64_t shared_bytes =
            below(3) == 0 ? 0 : 1 + below(below(2) == 0 ? 4096 : 64 * 1024);
        CAPTURE(threads, registers, shared_bytes);
        const CudaBlocks cuda(threads, registers, shared_bytes);
        const Occupancy found = on_h100(threads, registers, shared_bytes);
        CHECK(found.groups == cuda.blocks());
        if (cuda.blocks() == 0) {
            continue; // the registers of one block are too many: what is beyond them spills
        }
        const std::int64_t warps = (threads + 31) / 32;
        CHECK(found.resident == cuda.blocks() * warps);
        seen.insert(found.limiter);
        // More of what is named would leave room for another block.
        if (found.limiter == Limiter::group_limit) {
            CHECK((cuda.by_limit < cuda.by_warps && cuda.by_limit < cuda.by_registers));
        } else if (found.limiter == Limiter::work_group) {
            CHECK(found.warps % warps != 0);
            CHECK(found.room_limiter != Limiter::local_memory);
        } else if (found.limiter == Limiter::local_memory) {
            CHECK(cuda.blocks() == cuda.by_shared_memory);
        } else if (found.limiter == Limiter::registers) {
            CHECK(cuda.blocks() == cuda.by_registers);
        } else {
            CHECK(found.limiter == Limiter::warp_limit);
            CHECK(cuda.blocks() == cuda.by_warps);
        }
    }
    CHECK(seen.size() == 5); // all but the override
}

TEST_CASE("Kernels on an H100 whose occupancy is known from CUDA's calculator")
{
    const auto check = [](const Occupancy& found, int warps, std::int64_t groups, Limiter limiter) {
        CHECK(found.resident == warps);
        CHECK(found.groups == groups);
        CHECK(to_string(found.limiter) == to_string(limiter));
    };
    check(on_h100(256, 32, 0), 64, 8, Limiter::warp_limit);           // 100 %
    check(on_h100(256, 33, 0), 48, 6, Limiter::registers);            // 40 of them are taken: 75 %
    check(on_h100(1024, 40, 0), 32, 1, Limiter::work_group);          // 48 have room: 50 %
    check(on_h100(32, 32, 0), 32, 32, Limiter::group_limit);          // 50 %
    check(on_h100(256, 32, 48 * 1024), 32, 4, Limiter::local_memory); // 49 KiB each of 228: 50 %
    check(on_h100(128, 255, 0), 8, 2, Limiter::registers);            // 12.5 %
}

TEST_CASE("Local memory lets as many work-groups onto an Adreno as Mesa's compiler says")
{
    // Of experiments/measurements/mesa-registers.csv.zst, what neither registers nor the warp limit
    // limit on the 740: its waves over those of a work-group, which come by pairs of 128
    // work-items, or of 64 where a group has no more or registers are many.
    struct Row {
        const char *op, *shape, *config;
        std::int64_t groups;
    };
    const DeviceProfile device = find_profile("adreno-750");
    for (const Row& row :
         {Row{"matmul_db", "100,256,64",
              "A=block4,row;T=4x3;W=6x1;G=24x4x1;R=2;M=image,image,buffer;E=off", 6 / 2},
          Row{"layernorm_dgamma", "3,60", "A=column,block4,column,block8;T=12x2;W=4x1;G=12x3x1;R=6",
              4 / 2},
          Row{"deconv2d", "1,16,14,3,96,3,1,1", "A=column,block8;T=8x8;W=4x2;G=8x2x1;S=24;V=8",
              2 / 2},
          Row{"matmul", "6,34,28", "A=block4,row;T=8x3;W=4x4;G=8x4x1;S=16;V=8", 2 / 2},
          Row{"matmul", "15,8,11", "A=block4,block4;T=3x8;W=4x8;G=8x8x1;S=16;P=fp16", 4 / 2}}) {
        CAPTURE(row.op, row.config);
        const LoopNest nest =
            loop_nest(parse_operator(row.op, row.shape), parse_schedule(row.config));
        const SimulationOptions options = options_for(nest, device);
        const std::int64_t warps = (items_of(nest) + 63) / 64;
        CHECK(options.kernel.local_warps == row.groups * warps);
        const Occupancy found = occupancy(options, warps);
        CHECK(found.groups == row.groups);
        CHECK(found.room_limiter == Limiter::local_memory);
        CHECK_THAT(reason(found, options),
                   Contains("local memory, room for " + std::to_string(row.groups)));
        // It is what is simulated.
        const SimulationResult result = simulate(*make_trace_source(launch_of(nest)), options);
        CHECK(result.occupancy == found);
    }
}

TEST_CASE("A work-group that a core has no local memory for is refused by all judges")
{
    const Operator op = parse_operator("matmul", "256,256,256");
    const Schedule schedule = parse_schedule("A=row,block4;T=8x8;W=8x8;G=8x8x1;S=32");
    const DeviceProfile adreno = find_profile("adreno-750"); // 32 KiB
    const LoopNest nest = loop_nest(op, schedule);
    REQUIRE(local_memory_bytes(nest) > 32768);
    CHECK_THROWS_WITH(check_limits(nest, adreno), Contains("local memory") && Contains("32768"));
    CHECK_THROWS_WITH(predict(op, schedule, adreno, calibrate_profile(adreno, 1)),
                      Contains("local memory"));
    ConfigurationSpace alone;
    alone.add_kernel(kernel_of(schedule),
                     alone.add_groups({{schedule.warp, schedule.group}, {{4, 4}, {4, 4, 1}}}));
    const Calibration calibration = calibrate_profile(adreno, 1);
    const ModelCosts::Costs costs =
        ModelCosts(op, adreno, alone, calibration, ModelVariant::refined).of_kernel(0);
    CHECK(costs.not_priced == 1);
    CHECK_THAT(costs.refusal, Contains("local memory"));
    REQUIRE(costs.priced.size() == 1);
    CHECK(costs.priced[0].index == 1);
    CHECK_NOTHROW(check_limits(nest, find_profile("mali-g710"))); // its local memory is not limited

    // A core has 228 KiB, of which OpenCL gives a work-group 48: the device refused this one
    // (h100-parts.csv.zst).
    const LoopNest refused = loop_nest(
        parse_operator("matmul", "640,768,512"),
        parse_schedule("A=block2,block4;T=8x1;W=16x2;G=32x8x1;S=32;M=image,image,buffer"));
    CHECK(local_memory_bytes(refused) == 135168);
    DeviceProfile h100 = find_profile("nvidia-h100");
    CHECK_THROWS_WITH(check_limits(refused, h100),
                      Contains("135168 B of local memory, of which it has 49152"));
    h100.limits.local_memory_of_group = {};
    CHECK_NOTHROW(check_limits(refused, h100));
}

TEST_CASE("Work-items that meet need their whole group on the core: who holds one warp refuses "
          "splits and copied blocks")
{
    const Operator op = parse_operator("matmul", "64,64,64");
    const DeviceProfile cpu = find_profile("pocl-cpu"); // a work-item at a time
    const Calibration none;
    for (const char* parts : {"R=4", "S=8"}) {
        const Schedule schedule =
            parse_schedule(std::string("A=row,row;T=2x2;W=1x1;G=8x4x1;") + parts);
        CHECK_THROWS_WITH(simulated_time(loop_nest(op, schedule), cpu, 0),
                          Contains("meet at barriers") && Contains("but for 1 (warp limit)"));
        ConfigurationSpace alone;
        alone.add_kernel(kernel_of(schedule), alone.add_groups({{schedule.warp, schedule.group}}));
        const ModelCosts::Costs costs =
            ModelCosts(op, cpu, alone, none, ModelVariant::bottleneck).of_kernel(0);
        CHECK(costs.priced.empty());
        CHECK_THAT(costs.refusal, Contains("meet at barriers"));
    }
    CHECK_THAT(priced_parts(op, cpu), !Contains("R") && !Contains("S") && Contains("M"));
    CHECK_THAT(refused_parts(op, cpu), Contains("R") && Contains("S"));
    CHECK_THAT(priced_parts(op, find_profile("adreno-750")), Contains("R") && Contains("S"));

    DeviceProfile adreno = find_profile("adreno-750");
    const LoopNest nest = loop_nest(op, parse_schedule("A=row,row;T=2x2;W=8x8;G=8x32x1;R=4"));
    CHECK(simulated_time(nest, adreno, 0).value > 0);
    adreno.simulation.kernel.occupancy = 2; // of the group's warps, 16
    CHECK_THROWS_WITH(simulated_time(nest, adreno, 0),
                      Contains("room for the 16 warps") && Contains("but for 2"));
}

TEST_CASE("The model of a whole space leaves a kernel's work-groups the local memory that a single "
          "prediction does")
{
    std::mt19937_64 random(3);
    int limited = 0;
    for (const char* name : {"adreno-750", "nvidia-h100"}) {
        const DeviceProfile device = find_profile(name);
        const Calibration calibration = calibrate_profile(device, 1);
        const Operator op = parse_operator("matmul", "64,96,128");
        for (int i = 0; i < 12; ++i) {
            Schedule schedule = parse_schedule("A=row,block4;T=4x4;W=8x8;G=8x8x1;R=2");
            schedule.split = 1 << (1 + uniform_below(random, 3));
            schedule.tile = {1 << uniform_below(random, 4), 1 << uniform_below(random, 4)};
            const auto x = static_cast<std::int32_t>(1 << uniform_below(random, 4));
            schedule.group = {x, 16 / x, 1};
            schedule.warp = {x, 16 / x};
            CAPTURE(name, to_string(schedule));
            const LoopNest nest = loop_nest(op, schedule);
            if (device.limits.groups_by_local_memory(local_memory_bytes(nest)).value_or(1) == 0) {
                continue;
            }
            const SimulationOptions options = options_for(nest, device);
            const Prediction prediction = predict(op, schedule, device, calibration);
            REQUIRE(prediction.kernel.rounds);
            CHECK(prediction.kernel.rounds->options.kernel.local_warps ==
                  options.kernel.local_warps);
            limited += occupancy(options).limiter == Limiter::local_memory ? 1 : 0;
        }
    }
    CHECK(limited > 2);
}

TEST_CASE("Registers are named with how the device hands them out")
{
    const auto reason_on = [](const char* name, int registers) {
        SimulationOptions options = find_profile(name).simulation;
        options.kernel.registers_per_item = registers;
        return reason(occupancy(options, 1), options);
    };
    CHECK(reason_on("adreno-750", 64) == "registers, 64 for a work-item in steps of 4");
    CHECK(reason_on("mali-g710", 33) ==
          "registers, 33 for a work-item: above 32, half of the warps");
    CHECK(reason_on("mali-g710", 32) == "warp limit");
    SimulationOptions h100 = find_profile("nvidia-h100").simulation;
    h100.kernel.registers_per_item = 120;
    CHECK(reason(occupancy(h100, 4), h100) == "registers, 120 for a work-item in steps of 8");
    CHECK(warps_text(occupancy(h100, 4)) == "16 warps");
    CHECK(reason(occupancy(h100, 12), h100) == "work-group, another of 12 warps does not fit; "
                                               "registers, 120 for a work-item in steps of 8");
    CHECK(warps_text(occupancy(h100, 12)) == "12 of 16 warps");
    CHECK(reason(occupancy(h100, 20), h100) == "registers, 120 for a work-item in steps of 8; a "
                                               "work-group of 20 warps does not fit whole");
    h100.machine.group_schedule = GroupSchedule::refill; // warps come one by one
    CHECK(occupancy(h100, 12).resident == 16);
    h100.kernel.compiled_warps = 3;
    CHECK(reason(occupancy(h100), h100) == "registers, as compiled");
    h100.kernel.local_warps = 2;
    CHECK(reason(occupancy(h100), h100) == "local memory");
    h100.kernel.occupancy = 9;
    CHECK(reason(occupancy(h100, 1), h100) == "override");
}
