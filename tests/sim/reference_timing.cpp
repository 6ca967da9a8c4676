#include "tests/sim/reference_timing.hpp"

#include "tests/sim/reference_core.hpp"
#include "tests/sim/reference_dispatch.hpp"
#include "tests/sim/reference_memory.hpp"
#include "tests/sim/reference_schedule.hpp"

#include <algorithm>
#include <array>

namespace texelscope::test {
using namespace sim;

namespace {

using Core = ReferenceCoreState;

/// The lookups of the warp access under way.
class Lookups : public SimulationObserver {
public:
    void on_lookup(const LookupEvent& event) override { events.push_back(event); }
    std::vector<LookupEvent> events;
};

class Reference {
public:
    explicit Reference(const SimulationCase& c)
        : options_(c.options), timing_(c.options.timing), dispatch_(c), memory_(c.options),
          caches_(c.images, options_, stop_, observers_), cores_(static_cast<std::size_t>(c.options.cores))
    {
        for (std::size_t i = 0; i < cores_.size(); ++i) {
            cores_[i].number = static_cast<int>(i);
        }
    }

    ReferenceTiming run()
    {
        for (Tick now = 0;; ++now) {
            const bool whole = now % ticks_per_cycle == 0;
            for (Core& core : cores_) {
                arrivals(core, now);
            }
            dispatch_.hand_out(cores_, now);
            for (Core& core : cores_) {
                texture_unit(core, now);
                if (whole) {
                    cycle(core, now);
                }
            }
            memory_.tick(now);
            const auto done = [&](const Core& core) { return dispatch_.done(core, now); };
            if (whole && std::all_of(cores_.begin(), cores_.end(), done)) {
                return finish();
            }
        }
    }

private:
    void arrivals(Core& core, Tick now)
    {
        std::erase_if(core.entries, [&](const auto& fill) { return fill->there(now); });
        if (timing_.latency_fifo > 0) {
            while (!core.flights.empty() && core.flights.front().there(now)) {
                core.flights.pop_front();
            }
        } else {
            std::erase_if(core.flights, [&](const ReferenceFlight& flight) { return flight.there(now); });
        }
        for (std::size_t i = 0; i < core.slots.size(); ++i) {
            ReferenceSlot& slot = core.slots[i];
            const bool waits = slot && slot->data == not_yet;
            const bool in_unit = !core.lookups.empty() && core.issued == i;
            const bool in_flight = std::any_of(core.flights.begin(), core.flights.end(),
                                               [&](const ReferenceFlight& flight) { return flight.slot == i; });
            if (waits && !in_unit && !in_flight && slot->hit_data <= now) {
                slot->data = now;
                slot->ready = now + ticks(timing_.alu_cycles_per_step);
                core.finished = slot->left.empty() ? std::max(core.finished, slot->ready) : core.finished;
            }
        }
    }

    void texture_unit(Core& core, Tick now)
    {
        if (core.lookups.empty() || now < core.unit_next) {
            return;
        }
        const LookupEvent lookup = core.lookups.front();
        ReferenceFlight flight{core.issued, now + timing_.hit_latency.value * ticks_per_cycle, nullptr};
        if (timing_.latency_fifo > 0 && core.flights.size() == static_cast<std::size_t>(timing_.latency_fifo)) {
            core.unit_state = UnitState::fifo_full;
            return;
        }
        const auto entry = std::find_if(core.entries.begin(), core.entries.end(),
                                        [&](const auto& fill) { return fill->address == lookup.address; });
        if (!lookup.l1.hit()) {
            if (core.entries.size() == static_cast<std::size_t>(timing_.outstanding_misses)) {
                core.unit_state = UnitState::no_entry;
                core.failures.no_entry += core.refused_entry ? 0 : 1;
                core.refused_entry = true;
                return;
            }
            flight.not_before = now;
            flight.fill = memory_.request(lookup);
            core.entries.push_front(flight.fill);
        } else if (entry != core.entries.end()) {
            if (timing_.misses_merges > 0 && (*entry)->merges == timing_.misses_merges) {
                core.unit_state = UnitState::no_merge_slot;
                core.failures.no_merge_slot += core.refused_merge ? 0 : 1;
                core.refused_merge = true;
                return;
            }
            ++(*entry)->merges;
            flight.fill = *entry;
        }
        core.flights.push_back(flight);
        core.lookups.pop_front();
        core.refused_entry = core.refused_merge = false;
        core.unit_state = UnitState::serving;
        core.unit_next = now + ticks(1 / timing_.lookups_per_cycle);
    }

    void cycle(Core& core, Tick now)
    {
        core.resident.push_back(static_cast<int>(std::count_if(
            core.slots.begin(), core.slots.end(), [&](const ReferenceSlot& slot) { return !gone(slot, now); })));
        const bool port_free = core.port_free <= now;
        const bool unit_free = core.lookups.empty() && core.unit_next <= now;
        if (const auto chosen = port_free && unit_free ? choose_warp(core, options_, now) : std::nullopt) {
            core.reasons.push_back(&StallStatistics::issued);
            issue(core, *chosen, now);
            return;
        }
        bool any_ready = false;
        bool any_computes = false;
        for (const ReferenceSlot& slot : core.slots) {
            any_ready = any_ready || (slot && !slot->left.empty() && slot->ready <= now);
            any_computes = any_computes || (slot && slot->data <= now && now < slot->ready);
        }
        if (!port_free) {
            core.reasons.push_back(&StallStatistics::alu_busy);
        } else if (any_ready && !unit_free) {
            core.reasons.push_back(core.unit_state == UnitState::no_entry        ? &StallStatistics::outstanding_misses
                                   : core.unit_state == UnitState::no_merge_slot ? &StallStatistics::merge_slots
                                   : core.unit_state == UnitState::fifo_full     ? &StallStatistics::latency_fifo
                                                                                 : &StallStatistics::texture_unit);
        } else {
            core.reasons.push_back(any_computes ? &StallStatistics::alu_busy : &StallStatistics::waiting_for_data);
        }
    }

    void issue(Core& core, std::size_t chosen, Tick now)
    {
        ReferenceWarp& warp = *core.slots[chosen];
        lookups_.events.clear();
        caches_.access(core.number, {warp.group, warp.number}, warp.left.front());
        result_.issues.push_back({now / ticks_per_cycle, core.number, warp.group, warp.number, warp.left.front().step});
        warp.left.pop_front();
        warp.data = not_yet;
        warp.ready = not_yet;
        warp.hit_data = now + timing_.hit_latency.value * ticks_per_cycle;
        core.port_free = now + std::max(ticks_per_cycle, ticks(timing_.alu_cycles_per_step));
        core.lookups.assign(lookups_.events.begin(), lookups_.events.end());
        for (const LookupEvent& lookup : core.lookups) {
            memory_.announce(lookup);
        }
        core.unit_next = now;
        core.issued = chosen;
        remember_issue(core, options_, chosen);
        texture_unit(core, now);
    }

    ReferenceTiming finish()
    {
        const auto cycle_of = [](Tick tick) { return (tick + ticks_per_cycle - 1) / ticks_per_cycle; };
        for (const Core& core : cores_) {
            result_.cycles = std::max(result_.cycles, cycle_of(core.finished));
        }
        SimulationResult counted;
        counted.cores.resize(cores_.size());
        caches_.finish(counted);
        for (Core& core : cores_) {
            ReferenceCore out{core.warps,
                              core.groups,
                              core.occupancy_groups,
                              cycle_of(core.finished),
                              {},
                              core.failures,
                              core.resident,
                              counted.cores[static_cast<std::size_t>(core.number)].l1};
            out.resident.resize(static_cast<std::size_t>(out.cycles));
            core.reasons.resize(static_cast<std::size_t>(out.cycles));
            core.reasons.resize(static_cast<std::size_t>(result_.cycles), &StallStatistics::idle);
            for (const auto reason : core.reasons) {
                ++(out.stalls.*reason);
            }
            result_.cores.push_back(out);
        }
        return result_;
    }

    SimulationOptions options_;
    Timing timing_;
    ReferenceDispatch dispatch_;
    ReferenceMemory memory_;
    Lookups lookups_;
    std::array<SimulationObserver*, 1> observers_{&lookups_};
    StopToken stop_;
    MemoryHierarchy caches_;
    std::vector<Core> cores_;
    ReferenceTiming result_;
};

} // namespace

ReferenceTiming reference_timing(const SimulationCase& c)
{
    return Reference(c).run();
}

} // namespace texelscope::test
