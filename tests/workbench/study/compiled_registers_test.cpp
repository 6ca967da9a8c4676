// Registers that a compiler tells take the place of the estimate, everywhere that occupancy counts.

#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/text/kernel_source.hpp"
#include "devices/compilers/kernel_compiler.hpp"
#include "devices/launch/launch_options.hpp"
#include "devices/registers/register_estimate.hpp"
#include "sim/options/occupancy.hpp"
#include "tests/devices/kept_compilation.hpp"
#include "workbench/study/prediction.hpp"
#include "workbench/study/study.hpp"

#include <catch2/catch.hpp>

#include <memory>

using namespace texelscope;
using namespace texelscope::workbench::study;
using Catch::Matchers::Contains;
using test::printed_by_compiler;

TEST_CASE(
    "occupancy comes from the compiler where the device has one, unless the user knows better")
{
    const Operator op = parse_operator("matmul", "256,256,256");
    const Schedule schedule = parse_schedule("A=row,block4;T=4x4;W=4x16;G=4x16x1");
    const LoopNest nest = loop_nest(op, schedule);
    const test::TemporaryFolder folder;
    test::keep_compilation(folder.file("compilers"), opencl_text(nest, TexelBackend::native),
                           printed_by_compiler("matmul-adreno-740"));
    DeviceProfile device = find_profile("adreno-740");
    const SimulationOptions estimated = options_for(nest, device);
    CHECK(estimated.kernel.registers_per_item == estimated_registers(nest, device));
    CHECK(options_for(nest, find_profile("nvidia-h100")).kernel.registers_per_item ==
          estimated_registers(nest, find_profile("nvidia-h100")));
    CHECK(estimated.kernel.compiled_warps == std::nullopt);
    device.compiler = std::make_shared<KernelCompiler>(
        MesaCompilers(folder.file("compilers"), folder.file("none")), compiler_gpu_of(device.name));
    const SimulationOptions compiled = options_for(nest, device);
    CHECK(compiled.kernel.registers_per_item == 64);
    CHECK(occupancy(compiled).warps == 12);
    CHECK(occupancy(compiled).limiter == Occupancy::Limiter::registers);
    const Calibration calibration = calibrate_profile(device, 1);
    const Prediction prediction = predict(op, schedule, device, calibration);
    CHECK(prediction.device.occupancy == 12);
    REQUIRE(prediction.kernel.rounds);
    CHECK(prediction.kernel.rounds->options.kernel.compiled_warps == 12);
    // Warps of 128 work-items are half as many.
    CHECK(occupancy(options_for(nest, with_overrides(device, {"warp.size=128"}, "--set"))).warps ==
          6);
    CHECK(occupancy(options_for(nest, with_overrides(device, {"occupancy=3"}, "--set"))).warps ==
          3);
    const DeviceProfile by_hand = with_overrides(device, {"registers.per_item=40"}, "--set");
    CHECK(options_for(nest, by_hand).kernel.registers_per_item == 40);
    CHECK(options_for(nest, by_hand).kernel.compiled_warps == std::nullopt);
}

TEST_CASE("what a compiler spills is stored and loaded as often as its arithmetic is done")
{
    const Operator op = parse_operator("matmul", "256,256,256");
    const Schedule schedule = parse_schedule("A=row,block4;T=4x4;W=4x16;G=4x16x1");
    const LoopNest nest = loop_nest(op, schedule);
    const test::TemporaryFolder folder;
    // The output is that of another kernel, which has spills.
    test::keep_compilation(folder.file("compilers"), opencl_text(nest, TexelBackend::native),
                           printed_by_compiler("softmax_dx-adreno-740"));
    DeviceProfile device = find_profile("adreno-740");
    device.compiler = std::make_shared<KernelCompiler>(
        MesaCompilers(folder.file("compilers"), folder.file("none")), compiler_gpu_of(device.name));
    // What the compiler says counts whatever the rule for estimates is.
    set(device.simulation, "registers.spills", GENERATE("operand", "body"));
    const CompiledKernel& made = device.compiler->of(opencl_text(nest, TexelBackend::native));
    REQUIRE(made.spill_stores > 0);
    REQUIRE(made.spill_loads > 0);
    const KernelDemand demand = options_for(nest, device).kernel;
    CHECK(demand.registers_per_item == made.registers);
    CHECK(demand.spilled_registers == made.spill_stores);
    // 4x4 sums of 256 terms, by so many instructions in the text.
    const double done = 4.0 * 4 * 256;
    const double written =
        made.count(InstructionClass::multiply_add) + made.count(InstructionClass::arithmetic);
    CHECK(demand.spill_accesses.value() ==
          Approx((made.spill_stores + made.spill_loads) * done / written).epsilon(0.02));
    CHECK(bottleneck_kernel(op, schedule, device).rounds->options.kernel == demand);
}

TEST_CASE("profiles without a compiler are refused")
{
    CHECK(compiler_gpu_of("mali-g77-tmmodel").name == std::string("mali-g77"));
    CHECK(compiler_gpu_of("mali-g710").name == std::string("mali-g710"));
    CHECK_THROWS_WITH(compiler_gpu_of("nvidia-h100"),
                      Contains("nvidia-h100") && Contains("adreno-740"));
    CHECK(known_compiler_gpu("nvidia-h100") == nullptr);
    const DeviceProfile nvidia = find_profile("nvidia-h100");
    CHECK(with_registers(nvidia, "estimated") == nvidia);
    CHECK_THROWS_WITH(with_registers(nvidia, "compiled"), Contains("nvidia-h100"));
    CHECK_THROWS_WITH(with_registers(nvidia, "guessed"), Contains("guessed"));
    const test::TemporaryFolder folder;
    CHECK_THROWS_WITH(KernelCompiler(MesaCompilers(folder.file("none"), folder.file("none")),
                                     compiler_gpu_of("mali-g76")),
                      Contains("compile --setup"));
}
