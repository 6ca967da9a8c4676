// One access function, three judges: what a compiled kernel reads, what its generated trace says,
// and what the model's features are made of are the same; and what it computes is right.

#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "model/tmmodel/item_histogram.hpp"
#include "tests/codegen/random_formula.hpp"
#include "tests/codegen/random_schedule.hpp"
#include "tests/random_cases.hpp"
#include "tests/traces/generated_reads.hpp"
#include "traces/formats/csv_trace.hpp"
#include "traces/launch_source.hpp"
#include "workbench/study/checked_run.hpp"
#include "workbench/study/prediction.hpp"
#include "workbench/study/study.hpp"
#include "workbench/tuning/operator_timer.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <sstream>

using namespace texelscope;
using namespace texelscope::workbench::tuning;

namespace {

std::vector<std::vector<float>> packed_inputs(const Operator& op, const LoopNest& nest)
{
    std::vector<std::vector<float>> packed;
    const auto values = random_inputs(op, 1);
    for (std::size_t i = 0; i < values.size(); ++i) {
        packed.push_back(pack(nest.inputs[i], values[i]));
    }
    return packed;
}

void check_run(const OpenClDevice& device, const Operator& op, const Schedule& schedule,
               bool native)
{
    const LoopNest nest = loop_nest(op, schedule);
    const auto values = random_inputs(op, 42);
    RunOptions options;
    options.warm_up = 0;
    options.samples = 1;
    options.native_reads = native;
    const CheckedRun run =
        run_checked(op, nest, device, values, make_reference(op, values), options);
    CAPTURE(to_string(op), to_string(schedule), run.measurement.reason, run.measurement.build_log,
            run.check.max_rel);
    CHECK(run.measurement.status == RunStatus::ok);
    CHECK(run.check.passed);
}

} // namespace

TEST_CASE("The reads that a compiled kernel makes are those of its generated trace", "[opencl]")
{
    const OpenClDevice device("pocl");
    test::Random random(2024);
    for (int i = 0; i < test::random_cases(10, 40); ++i) {
        const Operator op = test::random_matmul(random, 24);
        const Schedule schedule = test::random_matmul_schedule(random, 64);
        const LoopNest nest = loop_nest(op, schedule);
        CAPTURE(i, to_string(op), to_string(schedule));
        const auto recorded = device.record(nest, packed_inputs(op, nest));
        const auto generated = test::generated_reads(launch_of(nest), random.small(1, 64));
        REQUIRE(recorded.size() == generated.size());
        CHECK(recorded == generated);
    }
}

namespace {

void check_patterns(const std::string& shape)
{
    const OpenClDevice device("pocl");
    for (const AccessPattern a : all_access_patterns) {
        for (const AccessPattern b : all_access_patterns) {
            check_run(device, parse_operator("matmul", shape), {{a, b}, {4, 4}, {8, 8}, {8, 8, 1}},
                      false);
        }
    }
}

} // namespace

TEST_CASE("Every pair of patterns computes the right product, at sizes that do not divide",
          "[opencl]")
{
    check_patterns("37,53,29");
}

TEST_CASE("Every pair of patterns computes the right product, at sizes that divide",
          "[opencl][long]")
{
    check_patterns("64,64,64");
}

TEST_CASE("Random shapes, tiles, warp shapes and work-groups compute the right product, by both "
          "ways to read texels",
          "[opencl]")
{
    const OpenClDevice device("pocl");
    test::Random random(99);
    for (int i = 0; i < test::random_cases(10, 40); ++i) {
        check_run(device, test::random_matmul(random), test::random_matmul_schedule(random),
                  i % 2 == 0);
    }
}

TEST_CASE("The reads that a formula's kernel makes are those of its generated trace", "[opencl]")
{
    const OpenClDevice device("pocl");
    test::Random random(2025);
    for (const auto& [text, sizes] : test::formulas) {
        const Operator op = parse_operator(text, test::random_sizes(random, sizes));
        const Schedule schedule = test::random_basic_schedule(random, op.inputs.size(), 64);
        const LoopNest nest = loop_nest(op, schedule);
        CAPTURE(to_string(op), to_string(schedule));
        const auto recorded = device.record(nest, packed_inputs(op, nest));
        const auto generated = test::generated_reads(launch_of(nest), random.small(1, 64));
        REQUIRE(recorded.size() == generated.size());
        CHECK(recorded == generated);
    }
}

TEST_CASE("A wrong output is found out")
{
    const Operator op = parse_operator("matmul", "5,6,7");
    const auto values = random_inputs(op, 3);
    const Reference reference = make_reference(op, values);
    CHECK(check_output(reference.values, reference.magnitudes, reference.values, {op.tolerance})
              .passed);
    std::vector<float> off = reference.values;
    off[17] += 1e-4F;
    CHECK_FALSE(check_output(off, reference.magnitudes, reference.values, {op.tolerance}).passed);
    off[17] = std::numeric_limits<float>::quiet_NaN(); // an element that was not written
    CHECK_FALSE(check_output(off, reference.magnitudes, reference.values, {op.tolerance}).passed);
    off = reference.values;
    off.pop_back();
    CHECK_FALSE(check_output(off, reference.magnitudes, reference.values, {op.tolerance}).passed);
}

TEST_CASE(
    "Half precision may be rounded to nearest, in an image towards zero as well, and no worse")
{
    // Between 1 and 2 half-precision numbers are 2^-10 apart; this is just below the second of
    // them.
    const float value = 1.0F + 0x1.FF8p-10F;
    Operator op = parse_operator("matmul", "4,4,4");
    op.tolerance = 0;
    LoopNest nest = loop_nest(op, parse_schedule("A=row,row;T=1x4;W=1x1;G=1x1x1;P=fp16"));
    const auto passes = [&](float stored, Memory memory) {
        nest.output.memory = memory;
        return check_output({stored}, {value}, {value}, rounding_bound(op, nest, Precision::fp32))
            .passed;
    };
    CHECK(passes(1.0F + 0x1p-9F, Memory::buffer));
    CHECK(passes(1.0F + 0x1p-9F, Memory::image));
    CHECK(passes(1.0F + 0x1p-10F, Memory::image)); // towards zero
    CHECK_FALSE(passes(1.0F + 0x1p-10F, Memory::buffer));
    CHECK_FALSE(passes(1.0F, Memory::image));
    nest.output.storage = Storage::fp32;
    CHECK_FALSE(passes(1.0F + 0x1p-9F, Memory::image));
}

TEST_CASE("Simulating a launch and simulating its exported trace give the same counts")
{
    test::Random random(31);
    for (int i = 0; i < 25; ++i) {
        const Operator op = test::random_matmul(random, 20);
        const Schedule schedule = test::random_matmul_schedule(random, 96);
        const auto source = make_trace_source(launch_of(loop_nest(op, schedule)));
        std::stringstream csv;
        write_csv(csv, *source);
        const auto read_back = read_csv(csv, "trace", {});
        DeviceProfile device = find_profile("adreno-740");
        device.simulation.kernel.occupancy = random.small(1, 6);
        device.simulation.machine.cores = random.small(1, 4);
        device.simulation.machine.warp_size = random.small(1, 64);
        device.simulation.mode.timed = random.one_in(2);
        device.simulation.kernel.alu_cycles_per_step =
            2; // a trace says nothing of the work between its reads
        const SimulationResult a = simulate(*source, device.simulation);
        const SimulationResult b = simulate(*read_back, device.simulation);
        CAPTURE(to_string(op), to_string(schedule));
        CHECK(a.l1 == b.l1);
        CHECK(a.l2() == b.l2());
        CHECK(a.memory_bytes == b.memory_bytes);
        CHECK(a.groups == b.groups);
        CHECK(a.warps == b.warps);
        CHECK(a.steps == b.steps);
        CHECK(a.border_reads == b.border_reads);
        CHECK(a.occupancy_groups == b.occupancy_groups);
        CHECK(a.cycles == b.cycles);
    }
}

TEST_CASE(
    "The model's features are those of the trace: strides of a work-item, thread indices of a warp")
{
    test::Random random(77);
    const DeviceProfile device = find_profile("adreno-740");
    const Calibration calibration = calibrate_profile(device, 1);
    for (int i = 0; i < test::random_cases(10, 40); ++i) {
        const Operator op = test::random_matmul(random, 48);
        const Schedule schedule = test::random_matmul_schedule(random, 256);
        const LoopNest nest = loop_nest(op, schedule);
        const Launch launch = launch_of(nest);
        const Prediction prediction = predict(op, schedule, device, calibration);
        CAPTURE(to_string(op), to_string(schedule));
        const auto source = make_trace_source(launch);
        const auto texels = item_texels(*source, 0, 0);
        for (std::size_t input = 0; input < launch.images.size(); ++input) {
            CHECK(prediction.kernel.inputs[input].warp.s ==
                  reuse_distance(schedule.patterns[input]));
            CHECK(prediction.kernel.inputs[input].histogram ==
                  cross_block_histogram(texels[input]));
        }
        CHECK(prediction.kernel.work_groups == launch.group_count());
    }
}

TEST_CASE("The distinct thread indices of a warp are those that its first access touches")
{
    // Work-groups of whole warps, and outputs that they cover: then one access of a warp touches
    // one texel for each.
    const DeviceProfile device = find_profile("adreno-740");
    const Calibration calibration = calibrate_profile(device, 1);
    for (const char* text :
         {"W=8x8;G=8x8", "W=4x16;G=8x16", "W=64x1;G=64x2", "W=1x64;G=1x64", "W=16x4;G=16x16"}) {
        for (const AccessPattern pattern : all_access_patterns) {
            const Schedule schedule =
                parse_schedule("A=" + to_string(pattern) + ",row;T=4x4;" + text);
            const Operator op = parse_operator("matmul", "256,256,16");
            const LoopNest nest = loop_nest(op, schedule);
            const Prediction prediction = predict(op, schedule, device, calibration);
            const auto source = make_trace_source(launch_of(nest));
            std::vector<std::set<Texel>> first(2);
            const auto stream = source->open(0, 0, device.simulation.machine.warp_size);
            WarpAccess access;
            while (stream->next(access)) {
                std::set<Texel>& texels = first[access.lanes.front().image];
                if (texels.empty()) {
                    for (const LaneRead& lane : access.lanes) {
                        texels.insert(lane.texel);
                    }
                }
            }
            CAPTURE(to_string(schedule));
            CHECK(prediction.kernel.inputs[0].warp.w == static_cast<std::int64_t>(first[0].size()));
            CHECK(prediction.kernel.inputs[1].warp.w == static_cast<std::int64_t>(first[1].size()));
        }
    }
}

TEST_CASE("A search's kernels are held to the inputs that they are given, halves to halves",
          "[opencl]")
{
    const OpenClDevice device("pocl");
    for (const auto& [op_name, shape, text] :
         {std::tuple{"dwconv2d", "1,12,12,8,3,3,1", "A=row,row;T=1x1;G=4x4x1;P=fp16"},
          std::tuple{"softmax", "32,48", "A=row;T=4x1;W=1x1;G=1x16x1;P=fp16"},
          std::tuple{"dwconv2d", "1,12,12,8,3,3,1", "A=row,row;T=1x1;G=4x4x1"}}) {
        const Operator op = parse_operator(op_name, shape);
        const OperatorTimer timer = device_timer(op, device, {.samples = 1}, 7, "test");
        const auto result = judged(timer, op, parse_schedule(text), nullptr, nullptr);
        CAPTURE(op_name, text);
        REQUIRE(result);
        CHECK(result->status == RunStatus::ok);
        CHECK(result->check.max_rel <= result->check.tolerance);
    }
}
