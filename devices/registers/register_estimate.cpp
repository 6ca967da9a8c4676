#include "devices/registers/register_estimate.hpp"

#include "codegen/nest/loop_nest.hpp"
#include "devices/compilers/kernel_compiler.hpp"
#include "devices/registers/adreno_order.hpp"
#include "devices/registers/lowering.hpp"
#include "devices/registers/mali_order.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace texelscope::devices {
namespace {

/// What the handing out of Adreno's registers depends on (Mesa: ir3_ra.c, ir3.c). Registers are
/// vec4 here.
class AdrenoRegisters {
public:
    /// `most`: 32-bit registers that a work-item can have.
    AdrenoRegisters(const LoopNest& nest, const CompilerGpu& gpu, int most)
        : file_(gpu.registers), instruction_limit_(most / 4),
          items_(std::int64_t{nest.local[0]} * nest.local[1] * nest.local[2])
    {
        for (const LoopNest::LocalArray& array : nest.local_arrays) {
            local_bytes_ += array.count * array.width * 4;
        }
    }

    /// A kernel is given as many registers as leave it the warps that it has anyway.
    [[nodiscard]] RegisterEstimate handed_out(int needed) const
    {
        const int limit = most();
        if (needed >= limit) {
            return {4 * limit, 4 * (needed - limit)};
        }
        const bool wide = is_wide(needed);
        const std::int64_t warps = std::min<std::int64_t>(warps_of(needed, wide), most_warps(wide));
        int registers = needed;
        while (registers < limit && is_wide(registers + 1) == wide &&
               warps_of(registers + 1, wide) >= warps) {
            ++registers;
        }
        return {4 * registers, 0};
    }

private:
    static constexpr int warp = 64, granularity = 2;
    static constexpr std::int64_t warp_limit = 16, local_memory = 32768, local_step = 1024;

    /// Warps are of 128 work-items where a group has more than 64, as long as an eighth of the file
    /// holds a work-item's.
    [[nodiscard]] bool is_wide(int registers) const
    {
        return items_ > warp && registers * 8 <= file_;
    }
    [[nodiscard]] std::int64_t warps_of(int registers, bool wide) const
    {
        return std::int64_t{file_ / (registers * (wide ? 2 : 1))} * granularity;
    }
    [[nodiscard]] std::int64_t pairs_of_group(bool wide) const
    {
        return ceil_div(items_, std::int64_t{warp} * (wide ? 2 : 1) * granularity);
    }
    /// That instructions can name; with barriers also that all warps of a group have at a time.
    [[nodiscard]] int most() const
    {
        if (local_bytes_ == 0) {
            return instruction_limit_;
        }
        const bool wide = is_wide(0);
        const std::int64_t each = file_ / (pairs_of_group(wide) * (wide ? 2 : 1));
        return static_cast<int>(std::clamp<std::int64_t>(each, 1, instruction_limit_));
    }
    [[nodiscard]] std::int64_t most_warps(bool wide) const
    {
        if (local_bytes_ == 0) {
            return warp_limit;
        }
        const std::int64_t groups =
            local_memory / (ceil_div(local_bytes_, local_step) * local_step);
        return std::min(warp_limit, pairs_of_group(wide) * groups * granularity);
    }

    int file_;
    int instruction_limit_;
    std::int64_t items_;
    std::int64_t local_bytes_ = 0; ///< where there are some, there are barriers
};

/// Registers of four that are live at once, in Mesa's order with so many reads at a time.
int adreno_live(const LoopNest& nest, Precision arithmetic, const CompilerGpu& gpu,
                int reads_at_once, const UnrollRule& unroll)
{
    constexpr int half_registers = 8; // of a vec4
    const MachineCode code = machine_code(nest, arithmetic, false, unroll);
    const Liveness liveness(code, {gpu.shared_registers, gpu.aliases});
    int live = 1;
    for (std::size_t block = 0; block < code.blocks.size(); ++block) {
        live = std::max(
            live, liveness.pressure(block, adreno_order(code, liveness, block, reads_at_once)));
    }
    return (live + half_registers - 1) / half_registers;
}

/// `most`: 32-bit registers that a work-item can have; else what instructions can name.
RegisterEstimate adreno_registers(const LoopNest& nest, int live, const CompilerGpu& gpu,
                                  std::optional<int> most)
{
    constexpr int instruction_limit = 4 * 48;
    return AdrenoRegisters(nest, gpu,
                           std::clamp(most.value_or(instruction_limit), 4, instruction_limit))
        .handed_out(live);
}

RegisterEstimate mali_registers(const LoopNest& nest, Precision arithmetic, const CompilerGpu& gpu)
{
    constexpr int most = 64;
    // A half takes 32 bits: so it fits the compiled kernels better.
    const MachineCode code = machine_code(nest, Precision::fp32, true);
    const Liveness liveness(code, {});
    int needed = 0;
    // The compiler tries its order by pressure, and keeps it where it needs fewer registers.
    for (std::size_t block = 0; block < code.blocks.size(); ++block) {
        std::vector<std::size_t> in_source_order(code.blocks[block].size());
        std::iota(in_source_order.begin(), in_source_order.end(), std::size_t{0});
        needed =
            std::max(needed, std::min(liveness.pressure(block, in_source_order),
                                      liveness.pressure(block, mali_order(code, liveness, block))));
    }
    // Beyond what is live: vectors that memory takes side by side, 64-bit addresses, texels that
    // are converted to halves. Fitted to the kernels of
    // experiments/measurements/mesa-registers.csv.zst.
    const bool valhall = gpu.warp == 16;
    const auto in_buffer = [](const Operand& input) { return input.memory == Memory::buffer; };
    const bool buffers =
        in_buffer(nest.output) || std::any_of(nest.inputs.begin(), nest.inputs.end(), in_buffer);
    int beyond = 2 + (nest.collective ? 4 : 0) + (buffers ? (valhall ? 4 : 2) : 0);
    beyond += valhall && arithmetic == Precision::fp16 ? 8 : 0;
    const int all = (needed + 1) / 2 + beyond;
    return {std::min(most, all), std::max(0, all - most)};
}

} // namespace

int estimated_registers(const LoopNest& nest, Precision arithmetic, const CompilerGpu& gpu)
{
    return gpu.family == CompilerFamily::mali
               ? mali_registers(nest, arithmetic, gpu).registers
               : adreno_registers(nest, adreno_live(nest, arithmetic, gpu, mesa_reads_at_once, {}),
                                  gpu, {})
                     .registers;
}

namespace {

/// `live_on` answers as adreno_live() does, for the GPU and the compiler's habits.
template <class Live>
RegisterEstimate estimate_on(const LoopNest& nest, const DeviceProfile& device, const Live& live_on)
{
    const Precision arithmetic =
        nest.arithmetic(device.simulation.machine.timing.half_lanes.has_value());
    const CompilerGpu* const gpu = known_compiler_gpu(device.name);
    const Instructions& instructions = device.simulation.machine.instructions;
    if (gpu == nullptr) {
        constexpr int counted = 2; // texels on their way that the live values of the text hold
        const int texel = arithmetic == Precision::fp16 ? 2 : 4;
        return {nest.registers(arithmetic) +
                    texel * std::max(0, instructions.reads_in_flight - counted),
                0};
    }
    if (gpu->family == CompilerFamily::mali) {
        return mali_registers(nest, arithmetic, *gpu);
    }
    const int live = live_on(arithmetic, *gpu, instructions.reads_in_flight,
                             UnrollRule{instructions.unroll_iterations, instructions.unroll_size});
    return adreno_registers(nest, live, *gpu, device.limits.registers_per_item);
}

} // namespace

RegisterEstimator::RegisterEstimator(LoopNest nest)
    : nest_(std::make_unique<LoopNest>(std::move(nest)))
{}

RegisterEstimator::~RegisterEstimator() = default;
RegisterEstimator::RegisterEstimator(RegisterEstimator&&) noexcept = default;
RegisterEstimator& RegisterEstimator::operator=(RegisterEstimator&&) noexcept = default;

RegisterEstimate RegisterEstimator::on(const DeviceProfile& device)
{
    return estimate_on(*nest_, device,
                       [&](Precision arithmetic, const CompilerGpu& gpu, int reads_at_once,
                           const UnrollRule& unroll) {
                           const Order order{gpu.name, arithmetic == Precision::fp16, reads_at_once,
                                             unroll.iterations, unroll.instructions};
                           auto known = live_.find(order);
                           if (known == live_.end()) {
                               const int live =
                                   adreno_live(*nest_, arithmetic, gpu, reads_at_once, unroll);
                               known = live_.emplace(order, live).first;
                           }
                           return known->second;
                       });
}

RegisterEstimate register_estimate(const LoopNest& nest, const DeviceProfile& device)
{
    return estimate_on(nest, device,
                       [&](Precision arithmetic, const CompilerGpu& gpu, int reads_at_once,
                           const UnrollRule& unroll) {
                           return adreno_live(nest, arithmetic, gpu, reads_at_once, unroll);
                       });
}

int estimated_registers(const LoopNest& nest, const DeviceProfile& device)
{
    return register_estimate(nest, device).registers;
}

} // namespace texelscope::devices
