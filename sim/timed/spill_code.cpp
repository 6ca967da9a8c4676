#include "sim/timed/spill_code.hpp"

#include "sim/options/occupancy.hpp"

#include <algorithm>
#include <variant>

namespace texelscope::sim {
namespace {

constexpr int bytes_of_register = 4;

/// How many registers out of so many a work-item stores and loads in all of a body.
double spill_visits(const std::vector<Statement>& body, double registers)
{
    double own = 0; // operations of the body itself
    double inside = 0;
    for (const Statement& statement : body) {
        if (const auto* loop = std::get_if<Loop>(&statement)) {
            inside += static_cast<double>(loop->extent()) * spill_visits(loop->body, registers);
        } else if (const auto* work = std::get_if<Work>(&statement)) {
            own += work->operations;
        }
    }
    return std::min(own, registers) + inside;
}

} // namespace

double operations_of(const std::vector<Statement>& body)
{
    double sum = 0;
    for (const Statement& statement : body) {
        if (const auto* loop = std::get_if<Loop>(&statement)) {
            sum += static_cast<double>(loop->extent()) * operations_of(loop->body);
        } else if (const auto* work = std::get_if<Work>(&statement)) {
            sum += work->operations;
        }
    }
    return sum;
}

double spilled_bytes(const SimulationOptions& options)
{
    constexpr int registers_of_texel = 4;
    if (options.machine.spills != SpillRule::operand || options.kernel.spill_accesses) {
        return 0;
    }
    // Addresses and the texels of reads under way keep their registers. So the spilled values are
    // among the rest, which is calculated with: each operand is one of them with equal chance.
    const int texels = registers_of_texel * options.machine.instructions.reads_in_flight;
    const int kept = std::max(1, options.kernel.registers_per_item.value_or(0) - texels);
    return 2.0 * bytes_of_register * options.kernel.spilled_registers /
           (kept + options.kernel.spilled_registers);
}

double spill_accesses(const Launch& launch, const SimulationOptions& options)
{
    if (options.kernel.spill_accesses) {
        return *options.kernel.spill_accesses;
    }
    return options.machine.spills == SpillRule::body
               ? 2 * spill_visits(launch.body, options.kernel.spilled_registers)
               : 0;
}

double spilled_past_caches(const SimulationOptions& options)
{
    const Machine& machine = options.machine;
    const double kept = static_cast<double>(occupancy(options).warps) * machine.warp_size *
                        machine.cores * options.kernel.spilled_registers * bytes_of_register;
    const bool are_words = machine.spills == SpillRule::body || options.kernel.spill_accesses;
    if (!are_words || kept == 0) {
        return 0;
    }
    const CacheLevel& last = machine.last_level();
    const double room = machine.goes_past_l1() ? static_cast<double>(last.geometry.capacity.value) *
                                                     (last.shared ? 1 : machine.cores)
                                               : 0;
    return std::max(0.0, 1 - room / kept);
}

} // namespace texelscope::sim
