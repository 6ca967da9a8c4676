#include "workbench/machines/code_totals.hpp"

#include <algorithm>
#include <cmath>

namespace texelscope::workbench::machines {
namespace {

bool nearly(double a, double b)
{
    constexpr double rounding = 1e-9;
    return std::abs(a - b) <= rounding * std::max(1.0, std::max(std::abs(a), std::abs(b)));
}

} // namespace

CodeTotals::Sums CodeTotals::sums_of(const Launch& launch, const SimulationOptions& options)
{
    // One cycle for each instruction, then twice the price of a store, and a machine unlike both.
    SimulationOptions plain = options;
    plain.machine.timing.alu_lanes =
        static_cast<double>(options.machine.warp_size) * options.machine.instructions.partitions;
    plain.machine.instructions.read = 1;
    plain.machine.instructions.store = 0;
    plain.machine.instructions.gap = 1;
    plain.kernel.operation = 1;
    SimulationOptions store = plain;
    store.machine.instructions.store = 1;
    SimulationOptions other = options;
    other.machine.timing.alu_lanes = 0.37 * *plain.machine.timing.alu_lanes;
    other.machine.instructions.read = 2.3;
    other.machine.instructions.store = 5.1;
    other.machine.instructions.gap = 1.7;
    other.kernel.operation = 0.6;

    Sums sums;
    sums.totals = WarpCode(&launch, plain).totals();
    sums.rest = sums.totals.cycles - sums.totals.reads - sums.totals.operations;
    sums.stores = WarpCode(&launch, store).totals().cycles - sums.totals.cycles;
    const WarpCode::Totals seen = WarpCode(&launch, other).totals();
    const WarpCode::Totals worked_out = from(sums, other);
    sums.linear = options.kernel.alu_cycles_per_step == 0 &&
                  options.machine.timing.alu_lanes.has_value() &&
                  nearly(seen.cycles, worked_out.cycles) && nearly(seen.alone, worked_out.alone) &&
                  seen.reads == worked_out.reads && seen.waits == worked_out.waits;
    return sums;
}

WarpCode::Totals CodeTotals::from(const Sums& sums, const SimulationOptions& options)
{
    const Instructions& instructions = options.machine.instructions;
    WarpCode::Totals totals = sums.totals;
    totals.cycles = totals.reads * std::max(1.0, issue_cycles(options.machine, instructions.read)) +
                    issue_cycles(options.machine, options.kernel.operation * totals.operations +
                                                      sums.rest + instructions.store * sums.stores);
    totals.alone = totals.cycles * instructions.gap;
    return totals;
}

WarpCode::Totals CodeTotals::on(const Launch& launch, const SimulationOptions& options)
{
    const Instructions& instructions = options.machine.instructions;
    const int spilled =
        options.machine.spills == SpillRule::body ? options.kernel.spilled_registers : 0;
    const Kind kind{instructions.reads_in_flight,
                    instructions.unroll_iterations,
                    instructions.unroll_size,
                    instructions.exponential,
                    options.machine.warp_size,
                    options.machine.timing.half_lanes.has_value(),
                    spilled};
    auto known = known_.find(kind);
    if (known == known_.end()) {
        known = known_.emplace(kind, sums_of(launch, options)).first;
    }
    return known->second.linear ? from(known->second, options)
                                : WarpCode(&launch, options).totals();
}

} // namespace texelscope::workbench::machines
