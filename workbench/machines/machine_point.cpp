#include "workbench/machines/machine_point.hpp"

#include "base/error.hpp"

#include <cmath>

namespace texelscope::workbench::machines {
namespace {

/// Whether each level answers later than the one before it, and memory last.
bool latencies_grow(const Machine& machine)
{
    Cycles before{0};
    for (const CacheLevel& level : machine.levels()) {
        if (level.latency <= before) {
            return false;
        }
        before = level.latency;
    }
    return machine.timing.memory_latency > before;
}

bool sectors_are_parts(const Machine& machine)
{
    for (const CacheLevel& level : machine.levels()) {
        if (level.geometry.sector >= level.geometry.line) {
            return false;
        }
    }
    return true;
}

} // namespace

std::vector<std::string> texts_of(const std::vector<Unknown>& unknowns, const Places& places)
{
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < unknowns.size(); ++i) {
        texts.push_back(unknowns[i].text(places[i]));
    }
    return texts;
}

Places places_of(const std::vector<Unknown>& unknowns, const DeviceProfile& profile)
{
    Places places;
    for (const Unknown& unknown : unknowns) {
        const auto value = profile.values.find(unknown.key);
        places.push_back(value == profile.values.end() ? 0.5 : unknown.place(value->second.text));
    }
    return places;
}

std::optional<PricedMachine> machine_of(const DeviceProfile& profile,
                                        const std::vector<Unknown>& unknowns,
                                        const std::vector<std::string>& texts)
{
    PricedMachine made{.device = {.name = profile.name,
                                  .description = {},
                                  .simulation = profile.simulation,
                                  .model = profile.model,
                                  .limits = profile.limits,
                                  .values = {}},
                       .reads = {}};
    try {
        for (std::size_t i = 0; i < unknowns.size(); ++i) {
            const std::string& key = unknowns[i].key;
            set_option(made.device, key, texts[i]);
            if (unknowns[i].row->says == PriorRow::Says::reads) {
                made.reads += texts[i] + ";";
            }
        }
        validate(made.device.model);
        validate(made.device.simulation);
    } catch (const Error&) { // the prior has combinations that no machine can be
        return std::nullopt;
    }
    const Machine& machine = made.device.simulation.machine;
    return latencies_grow(machine) && sectors_are_parts(machine) ? std::optional(std::move(made))
                                                                 : std::nullopt;
}

Machine at_clock(Machine machine, double clock)
{
    if (clock == 1) {
        return machine;
    }
    Timing& timing = machine.timing;
    timing.clock_mhz *= clock;
    timing.memory_bytes_per_cycle /= clock;
    // What lies behind the last level of cache keeps its time; the way there is the core's.
    const auto caches = static_cast<double>(machine.last_level().latency.value);
    const double behind = static_cast<double>(timing.memory_latency.value) - caches;
    timing.memory_latency = Cycles{std::llround(caches + behind * clock)};
    return machine;
}

} // namespace texelscope::workbench::machines
