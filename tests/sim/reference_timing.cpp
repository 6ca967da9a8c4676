#include "tests/sim/reference_timing.hpp"

#include "sim/memory/address_turns.hpp"
#include "tests/sim/reference_core.hpp"
#include "tests/sim/reference_dispatch.hpp"
#include "tests/sim/reference_memory.hpp"
#include "tests/sim/reference_schedule.hpp"

#include <algorithm>
#include <array>
#include <cmath>

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
    Reference(const SimulationCase& c, const std::deque<ReferenceStep>& steps)
        : options_(c.options), timing_(c.options.machine.timing), images_(c.images),
          dispatch_(c, steps), memory_(c.options), caches_(c.images, options_, stop_, observers_),
          turns_(caches_.images(), options_),
          cores_(static_cast<std::size_t>(c.options.machine.cores))
    {
        for (const CacheLevel& level :
             options_.machine.caches) { // stores go to the first that is shared
            const bool goes =
                level.shared && (level.name == "L2" || level.geometry.capacity.value > 0);
            stores_per_cycle_ =
                stores_per_cycle_ == 0 && goes ? level.bytes_per_cycle : stores_per_cycle_;
        }
        stores_per_cycle_ = options_.machine.stores.bytes_per_cycle.value_or(stores_per_cycle_);
        for (std::size_t i = 0; i < cores_.size(); ++i) {
            cores_[i].number = static_cast<int>(i);
            cores_[i].partitions.resize(
                static_cast<std::size_t>(options_.machine.instructions.partitions));
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
                skip_reads(core);
                barriers(core, now);
                texture_unit(core, now);
                if (whole) {
                    core.resident.push_back(static_cast<int>(std::count_if(
                        core.slots.begin(), core.slots.end(),
                        [&](const ReferenceSlot& slot) { return !gone(slot, now); })));
                    for (std::size_t partition = 0; partition < core.partitions.size();
                         ++partition) {
                        cycle(core, partition, now);
                    }
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
        if (timing_.latency_fifo) {
            while (!core.flights.empty() && core.flights.front().there(now)) {
                core.flights.pop_front();
            }
        } else {
            std::erase_if(core.flights,
                          [&](const ReferenceFlight& flight) { return flight.there(now); });
        }
        for (std::size_t i = 0; i < core.slots.size(); ++i) {
            for (std::size_t read = 0; core.slots[i] && read < core.slots[i]->back.size(); ++read) {
                Tick& back = core.slots[i]->back[read];
                const bool in_unit =
                    !core.lookups.empty() && core.issued == i && core.issued_read == read;
                const bool in_flight = std::any_of(
                    core.flights.begin(), core.flights.end(), [&](const ReferenceFlight& flight) {
                        return flight.slot == i && flight.read == read;
                    });
                if (back == not_yet && !in_unit && !in_flight &&
                    core.slots[i]->hit_data[read] <= now) {
                    back = now;
                }
            }
            if (core.slots[i] && core.slots[i]->ended(now)) {
                core.finished = std::max(core.finished, last_of(*core.slots[i]));
            }
        }
    }

    static Tick last_of(const ReferenceWarp& warp)
    {
        Tick last = warp.earliest;
        for (const Tick back : warp.back) {
            last = std::max(last, back);
        }
        return last;
    }

    /// What the compiler shares with an earlier read is not read.
    static void skip_reads(Core& core)
    {
        for (ReferenceSlot& slot : core.slots) {
            while (slot && !slot->steps.empty() &&
                   slot->steps.front().kind == ReferenceStep::Kind::skip) {
                slot->steps.pop_front();
                slot->left.pop_front();
            }
        }
    }

    /// Warps that have come to a barrier wait until those of their group that are there have, too.
    static void barriers(Core& core, Tick now)
    {
        const auto comes = [&](const ReferenceSlot& slot) {
            return slot && !slot->steps.empty() && slot->steps.front().barrier && slot->ready(now);
        };
        for (ReferenceSlot& slot : core.slots) {
            if (comes(slot)) {
                slot->at_barrier = true;
            }
        }
        for (ReferenceSlot& slot : core.slots) {
            if (slot && slot->at_barrier &&
                std::none_of(core.slots.begin(), core.slots.end(), [&](const ReferenceSlot& other) {
                    return other && other->group == slot->group && !other->at_barrier &&
                           !other->met && !other->ended(now);
                })) {
                slot->met = true;
            }
        }
        for (ReferenceSlot& slot : core.slots) {
            if (slot && slot->met) {
                slot->met = false;
                slot->at_barrier = false;
                slot->steps.front().barrier = false;
            }
        }
    }

    static bool unit_free(const Core& core, Tick now)
    {
        return core.lookups.empty() && core.unit_next <= now && core.unit_addresses <= now;
    }

    void begin(Core& core, const ReferenceAccess& access, Tick now)
    {
        core.lookups = access.lookups;
        core.buffer = access.buffer;
        core.unit_next = now;
        core.unit_addresses = now + access.addresses;
        core.unit_state = UnitState::serving;
        core.issued = access.slot;
        core.issued_read = access.read;
        core.slots[access.slot]->hit_data[access.read] =
            now + hit_latency(core) + std::max<Tick>(0, access.addresses - ticks_per_cycle);
    }

    [[nodiscard]] Tick hit_latency(const Core& core) const
    {
        return core.buffer && timing_.buffers.latency
                   ? ticks(*timing_.buffers.latency)
                   : options_.machine.l1().latency.value * ticks_per_cycle;
    }

    void texture_unit(Core& core, Tick now)
    {
        while (!core.waiting.empty() && unit_free(core, now)) { // some look nothing up
            begin(core, core.waiting.front(), now);
            core.waiting.pop_front();
        }
        if (core.lookups.empty() || now < core.unit_next) {
            return;
        }
        const LookupEvent lookup = core.lookups.front();
        ReferenceFlight flight{core.issued, core.issued_read, now + hit_latency(core), nullptr};
        if (timing_.latency_fifo &&
            core.flights.size() == static_cast<std::size_t>(*timing_.latency_fifo)) {
            core.unit_state = UnitState::fifo_full;
            return;
        }
        const auto entry =
            std::find_if(core.entries.begin(), core.entries.end(),
                         [&](const auto& fill) { return fill->address == lookup.address; });
        if (!lookup.l1.hit()) {
            if (core.entries.size() == static_cast<std::size_t>(timing_.outstanding_misses)) {
                core.unit_state = UnitState::no_entry;
                core.failures.no_entry += core.refused_entry ? 0 : 1;
                core.refused_entry = true;
                return;
            }
            if (!memory_.has_way(lookup, now)) {
                core.unit_state = UnitState::serving;
                return;
            }
            flight.fill = memory_.request(lookup);
            const Tick sooner =
                options_.machine.l1().latency.value * ticks_per_cycle - hit_latency(core);
            if (sooner != 0) {
                flight.fill = std::make_shared<ReferenceFill>(
                    ReferenceFill{lookup.address, now + hit_latency(core), flight.fill, 0, sooner});
            }
            flight.not_before = now;
            core.entries.push_front(flight.fill);
        } else if (entry != core.entries.end()) {
            if ((*entry)->merges == timing_.misses_merges) {
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
        core.unit_next =
            now + ticks(1 / (core.buffer ? timing_.buffers.lookups_per_cycle : std::nullopt)
                                .value_or(timing_.lookups_per_cycle));
    }

    void cycle(Core& core, std::size_t number, Tick now)
    {
        Core::Partition& partition = core.partitions[number];
        const bool port_free = partition.port_free <= now;
        const bool unit_takes =
            core.waiting.size() < static_cast<std::size_t>(timing_.texture_queue) ||
            (core.waiting.empty() && unit_free(core, now));
        if (const auto chosen =
                port_free ? choose_warp(core, number, options_, unit_takes, now) : std::nullopt) {
            const bool reads = core.slots[*chosen]->steps.front().kind == ReferenceStep::Kind::read;
            partition.reasons.push_back(reads ? &StallStatistics::issued
                                              : &StallStatistics::alu_busy);
            issue(core, *chosen, now);
            return;
        }
        bool any_ready = false;
        for (std::size_t i = number; i < core.slots.size(); i += core.partitions.size()) {
            any_ready = any_ready || (core.slots[i] && core.slots[i]->ready(now));
        }
        if (!port_free) {
            partition.reasons.push_back(&StallStatistics::alu_busy);
        } else if (any_ready) {
            partition.reasons.push_back(
                core.unit_state == UnitState::no_entry        ? &StallStatistics::outstanding_misses
                : core.unit_state == UnitState::no_merge_slot ? &StallStatistics::merge_slots
                : core.unit_state == UnitState::fifo_full     ? &StallStatistics::latency_fifo
                                                              : &StallStatistics::texture_unit);
        } else {
            partition.reasons.push_back(&StallStatistics::waiting_for_data);
        }
    }

    void issue(Core& core, std::size_t chosen, Tick now)
    {
        ReferenceWarp& warp = *core.slots[chosen];
        const ReferenceStep step = warp.steps.front();
        warp.steps.pop_front();
        warp.earliest = now + step.own;
        core.partitions[chosen % core.partitions.size()].port_free =
            now + std::max(ticks_per_cycle, step.port);
        remember_issue(core, options_, chosen);
        if (step.local > 0) {
            core.local_free = std::max(core.local_free, now) + step.local;
            warp.earliest = std::max(warp.earliest, core.local_free);
        }
        if (step.stored > 0) { // bytes for whose time the port is held
            const double cycles = step.stored / stores_per_cycle_;
            store_free_ =
                std::max(store_free_, static_cast<double>(now) / ticks_per_cycle) + cycles;
            core.stored = store_free_;
        }
        if (step.kind != ReferenceStep::Kind::read) {
            return;
        }
        lookups_.events.clear();
        const WarpAccess& access = warp.left.front();
        caches_.access(core.number, {warp.group, warp.number}, access);
        result_.issues.push_back(
            {now / ticks_per_cycle, core.number, warp.group, warp.number, access.step});
        Tick addresses = ticks(turns_.of(access.lanes));
        double back = 0; // cycles for the texels of all lanes, whatever these share
        for (const LaneRead& lane : access.lanes) {
            const auto rate = images_[lane.image].buffer && timing_.buffers.returned
                                  ? timing_.buffers.returned
                                  : timing_.texture_return;
            if (rate) {
                back += static_cast<double>(images_[lane.image].bytes_per_texel.value) / *rate;
            }
        }
        addresses = std::max(addresses, ticks(back));
        core.waiting.push_back({{lookups_.events.begin(), lookups_.events.end()},
                                addresses,
                                !access.lanes.empty() && images_[access.lanes.front().image].buffer,
                                chosen,
                                warp.back.size()});
        warp.back.push_back(not_yet);
        warp.hit_data.push_back(not_yet);
        warp.left.pop_front();
        for (const LookupEvent& lookup : lookups_.events) {
            memory_.announce(lookup);
        }
        texture_unit(core, now);
    }

    ReferenceTiming finish()
    {
        const auto cycle_of = [](Tick tick) {
            return (tick + ticks_per_cycle - 1) / ticks_per_cycle;
        };
        const auto end_of = [&](const Core& core) {
            return std::max(cycle_of(core.finished), static_cast<Tick>(std::ceil(core.stored)));
        };
        for (const Core& core : cores_) {
            result_.cycles = std::max(result_.cycles, end_of(core));
        }
        SimulationResult counted;
        counted.cores.resize(cores_.size());
        caches_.finish(counted);
        for (Core& core : cores_) {
            ReferenceCore out{core.warps,
                              core.groups,
                              core.occupancy_groups,
                              end_of(core),
                              {},
                              core.failures,
                              core.resident,
                              counted.cores[static_cast<std::size_t>(core.number)].l1};
            out.resident.resize(static_cast<std::size_t>(out.cycles));
            for (Core::Partition& partition : core.partitions) {
                partition.reasons.resize(static_cast<std::size_t>(out.cycles),
                                         &StallStatistics::waiting_for_data);
                partition.reasons.resize(static_cast<std::size_t>(result_.cycles),
                                         &StallStatistics::idle);
                for (const auto reason : partition.reasons) {
                    ++(out.stalls.*reason);
                }
            }
            result_.cores.push_back(out);
        }
        return result_;
    }

    SimulationOptions options_;
    Timing timing_;
    std::vector<Image> images_;
    ReferenceDispatch dispatch_;
    ReferenceMemory memory_;
    Lookups lookups_;
    std::array<SimulationObserver*, 1> observers_{&lookups_};
    StopToken stop_;
    MemoryHierarchy caches_;
    AddressTurns turns_;
    std::vector<Core> cores_;
    double stores_per_cycle_ = 0; ///< of that port, bytes
    double store_free_ = 0;       ///< port of all cores' stores, in cycles
    ReferenceTiming result_;
};

} // namespace

ReferenceTiming reference_timing(const SimulationCase& c, const std::deque<ReferenceStep>& steps)
{
    return Reference(c, steps).run();
}

} // namespace texelscope::test
