// Both judges on what a machine may have: a limit on what the texture unit hands back, warps of
// twice the size, registers that spill, banks, a compiler that makes less of straight code.

#include "codegen/nest/loop_nest.hpp"
#include "devices/launch/launch_options.hpp"
#include "devices/registers/register_estimate.hpp"
#include "model/bottleneck/bottleneck.hpp"
#include "sim/timed/spill_code.hpp"
#include "sim/timed/warp_code.hpp"
#include "traces/launch_source.hpp"
#include "workbench/space/operator_space.hpp"
#include "workbench/study/prediction.hpp"
#include "workbench/study/study.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <string>

using namespace texelscope::workbench::study;

namespace {

struct Judged {
    double simulated = 0, predicted = 0; ///< cycles
    double texture_unit = 0;             ///< of the prediction
    SimulationOptions options;           ///< of the simulation
    SimulationOptions of_model;
    WarpCode::Totals code;
    std::int64_t warps = 0;
};

Judged judged(const Operator& op, const std::string& text, const DeviceProfile& device)
{
    const Schedule schedule = parse_schedule(text);
    const LoopNest nest = loop_nest(op, schedule);
    const Launch launch = launch_of(nest);
    Judged out;
    out.options = options_for(nest, device);
    out.options.mode.timed = true;
    const SimulationResult result = simulate(*make_trace_source(launch), out.options);
    out.simulated = static_cast<double>(result.cycles->value);
    out.warps = result.warps;
    out.code = WarpCode(&launch, out.options).totals();
    const ModelKernel kernel = bottleneck_kernel(op, schedule, device);
    out.of_model = kernel.rounds->options;
    const auto cost = texelscope::model::bottleneck_cost(
        kernel.rounds->stream, kernel.rounds->grid, kernel.rounds->options, kernel.rounds->model);
    out.predicted = cost.cycles;
    out.texture_unit = cost.texture_unit;
    return out;
}

DeviceProfile with(const std::string& name, const std::map<std::string, std::string>& values)
{
    DeviceProfile device = find_profile(name);
    for (const auto& [key, value] : values) {
        set(device.simulation, key, value);
    }
    return device;
}

} // namespace

TEST_CASE("Both judges hand texels back lane by lane", "[machine-parts]")
{
    const Operator op = parse_operator("matmul", "128,128,64");
    for (const char* text :
         {"A=row,column;T=4x4;W=8x8;G=8x8x1", "A=row,block4;T=1x4;W=16x4;G=16x16x1"}) {
        CAPTURE(text);
        const Judged free =
            judged(op, text, with("adreno-750", {{"cores", "1"}, {"bandwidth.lookups", "64"}}));
        const Judged slow =
            judged(op, text,
                   with("adreno-750",
                        {{"cores", "1"}, {"bandwidth.lookups", "64"}, {"texture.return", "16"}}));
        // 16 B for each lane of 64 and each read, 16 B a cycle.
        const double least = slow.code.reads * 64 * static_cast<double>(slow.warps);
        CHECK(slow.simulated >= least);
        CHECK(slow.simulated <= 1.1 * least);
        CHECK(slow.predicted == Approx(least).epsilon(0.1));
        CHECK(slow.texture_unit == Approx(least).epsilon(0.01));
        CHECK(free.simulated < 0.5 * slow.simulated);
        CHECK(free.predicted < 0.5 * slow.predicted);
        // So do 4 lanes a cycle in a quarter of the time, however far apart.
        const Judged lanes = judged(op, text,
                                    with("adreno-750", {{"cores", "1"},
                                                        {"bandwidth.lookups", "64"},
                                                        {"texture.lanes", "2"},
                                                        {"texture.block", "0"}}));
        CHECK(lanes.simulated >= least / 2);
        CHECK(lanes.simulated <= 1.15 * least / 2);
        CHECK(lanes.predicted == Approx(least / 2).epsilon(0.15));
    }
}

TEST_CASE("Half precision hands back half of the bytes", "[machine-parts]")
{
    const DeviceProfile device =
        with("adreno-750", {{"cores", "1"}, {"bandwidth.lookups", "64"}, {"texture.return", "16"}});
    const std::string text = "A=row,column;T=4x4;W=8x8;G=8x8x1";
    const Operator op = parse_operator("matmul", "128,128,64");
    const Judged full = judged(op, text, device);
    const Judged half = judged(op, text + ";P=fp16", device);
    CHECK(half.simulated == Approx(full.simulated / 2).epsilon(0.05));
    CHECK(half.predicted == Approx(full.predicted / 2).epsilon(0.05));
    CHECK(half.options.kernel.operation == 0.5); // two numbers for each lane and instruction
}

TEST_CASE("Both judges double a warp for kernels of few registers and large groups",
          "[machine-parts]")
{
    const Operator op = parse_operator("matmul", "256,256,64");
    const DeviceProfile single = find_profile("adreno-750");
    const DeviceProfile device = with("adreno-750", {{"warp.double", "76"}});
    for (const auto& [text, size] : {std::pair{"A=row,column;T=1x1;W=8x8;G=16x16x1", 128},
                                     {"A=row,column;T=1x1;W=8x8;G=8x8x1", 64},
                                     {"A=row,column;T=8x8;W=8x8;G=16x16x1", 64}}) {
        CAPTURE(text);
        const Judged made = judged(op, text, device);
        CHECK(made.options.machine.warp_size == size);
        CHECK(made.of_model.machine.warp_size == size);
        CHECK(made.of_model.machine == made.options.machine);
        const Judged before = judged(op, text, single);
        CHECK(made.warps == before.warps * 64 / size);
        if (size == 64) {
            CHECK(made.simulated == before.simulated);
            CHECK(made.predicted == before.predicted);
        } else {
            CHECK(made.code.cycles == Approx(2 * before.code.cycles));
            CHECK(made.simulated != before.simulated);
            CHECK(made.predicted == Approx(made.simulated).epsilon(0.5));
        }
    }
    // A ranking, whose groups share a kernel, says what a single prediction does.
    const DeviceProfile known =
        with("adreno-750", {{"warp.double", "48"}, {"registers.per_item", "40"}});
    const ConfigurationSpace space = configuration_space(op, known);
    const Calibration none;
    const ModelCosts costs(op, known, space, none, ModelVariant::bottleneck);
    int wide = 0;
    int compared = 0;
    for (std::size_t kernel = 0; kernel < space.kernel_count(); kernel += 61) {
        for (const ModelCosts::Cost& cost : costs.of_kernel(kernel).priced) {
            if (cost.index % 5 != 0) {
                continue;
            }
            const ModelKernel alone = bottleneck_kernel(op, space.at(cost.index), known);
            const auto& rounds = *alone.rounds;
            const double cycles = texelscope::model::bottleneck_cost(rounds.stream, rounds.grid,
                                                                     rounds.options, rounds.model)
                                      .cycles;
            CHECK(cost.ns == Approx(cycles * 1000 / known.simulation.machine.timing.clock_mhz));
            wide += rounds.options.machine.warp_size == 128 ? 1 : 0;
            ++compared;
        }
    }
    CHECK(wide > 10);
    CHECK(compared > wide + 10);
}

TEST_CASE("What a kernel spills costs both judges time, by one number", "[machine-parts]")
{
    const Operator op = parse_operator("dwconv2d", "1,28,28,64,5,5,1");
    const std::string text = "A=column,column;T=4x4x2;W=4x2;G=4x4x4";
    const DeviceProfile before = find_profile("mali-g76");
    const DeviceProfile device = with("mali-g76", {{"registers.spills", "body"}});
    const LoopNest nest = loop_nest(op, parse_schedule(text));
    const RegisterEstimate estimate = register_estimate(nest, device);
    CHECK(estimate.registers == 64);
    CHECK(estimate.registers == estimated_registers(nest, device));
    REQUIRE(estimate.spilled > 10);
    const Judged free = judged(op, text, before);
    const Judged spills = judged(op, text, device);
    CHECK(free.options.kernel.spilled_registers == 0);
    CHECK(spills.options.kernel.spilled_registers == estimate.spilled);
    CHECK(spills.of_model.kernel.spilled_registers == estimate.spilled);
    const double accesses = spill_accesses(launch_of(nest), spills.options);
    CHECK(accesses > 2 * estimate.spilled);
    CHECK(spills.code.spilled == Approx(accesses * 4 * 8)); // of a warp of 8
    CHECK(spills.simulated > 1.2 * free.simulated);
    CHECK(spills.predicted > 1.2 * free.predicted);
    CHECK(spills.predicted == Approx(spills.simulated).epsilon(0.35));
    // A kernel that has room is the same as before.
    const std::string small = "A=column,column;T=1x1x1;W=4x2;G=4x4x4";
    CHECK(judged(op, small, device).simulated == judged(op, small, before).simulated);
    CHECK(judged(op, small, device).predicted == judged(op, small, before).predicted);
}

TEST_CASE("Where the text writes loops out arithmetic takes longer for both judges, else not",
          "[machine-parts]")
{
    const std::map<std::string, std::string> plain{
        {"alu.lanes", "6"}, {"alu.half_lanes", "12"}, {"issue.read", "1"}};
    std::map<std::string, std::string> slow = plain;
    slow["unroll.slowdown"] = "1.5";
    const DeviceProfile device = with("adreno-750", plain), slower = with("adreno-750", slow);
    const Operator op = parse_operator("conv2d", "1,16,16,8,8,3,3,1");
    const std::string in_loops = "A=row,row;T=4x4;W=8x8;G=8x8x1";
    const std::string out = in_loops + ";U=kw";
    const Judged of_loops = judged(op, in_loops, slower), of_out = judged(op, out, slower);
    CHECK(of_loops.options.kernel.operation == 1);
    CHECK(of_loops.simulated == judged(op, in_loops, device).simulated);
    CHECK(of_loops.predicted == judged(op, in_loops, device).predicted);
    CHECK(of_out.options.kernel.operation == 1.5);
    CHECK(of_out.simulated > 1.4 * judged(op, out, device).simulated);
    CHECK(of_out.predicted > 1.4 * judged(op, out, device).predicted);
    CHECK(judged(op, out + ";P=fp16", slower).options.kernel.operation == 0.75);
    // A loop of a single iteration is none.
    const Operator narrow = parse_operator("conv2d", "1,16,16,8,8,3,1,1");
    CHECK(judged(narrow, in_loops + ";U=kw", slower).options.kernel.operation == 1);
}

TEST_CASE("Rows whose pitch is a power of two crowd into banks for both judges", "[machine-parts]")
{
    // Each work-item of a column reads from a row of its own: of 64 texels, 1 KB, and of 65.
    const std::string text = "A=row,row;T=1x1;W=1x64;G=1x64x1";
    const auto slower = [&](const std::string& shape) {
        const std::map<std::string, std::string> plain{{"layout", "row"},
                                                       {"cores", "1"},
                                                       {"bandwidth.lookups", "64"},
                                                       {"l1.capacity", "512"},
                                                       {"bandwidth.l2", "32"}};
        std::map<std::string, std::string> banked = plain;
        banked["l2.banks"] = "8";
        const Operator op = parse_operator("matmul", shape);
        const Judged one = judged(op, text, with("adreno-750", plain));
        const Judged many = judged(op, text, with("adreno-750", banked));
        return std::pair(many.simulated / one.simulated, many.predicted / one.predicted);
    };
    const auto [simulated, predicted] = slower("64,64,256");
    const auto [simulated_odd, predicted_odd] = slower("64,64,260");
    CAPTURE(simulated, predicted, simulated_odd, predicted_odd);
    CHECK(simulated > 1.5);
    CHECK(predicted > 1.5);
    CHECK(simulated_odd < 0.7 * simulated);
    CHECK(predicted_odd < 0.7 * predicted);
}
