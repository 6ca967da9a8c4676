#include "sim/miss_path.hpp"

#include <algorithm>

namespace texelscope {

MissPath::MissPath(const SimulationOptions& options)
    : timing_(options.timing), has_l2_(options.has_l2()), l1_granule_(options.l1.granule()),
      l2_granule_(options.l2.granule()), l1_pending_(static_cast<std::size_t>(options.cores)),
      under_way_(static_cast<std::size_t>(options.cores))
{}

double MissPath::arrival(const Pending& pending, std::int64_t address, double otherwise)
{
    const auto found = pending.find(address);
    return found == pending.end() ? otherwise : std::max(found->second, otherwise);
}

void MissPath::remember(Pending& pending, std::int64_t address, double arrival) const
{
    constexpr std::size_t most = 4096; // what has arrived is dropped now and then, so memory stays bounded
    if (pending.size() >= most) {
        std::erase_if(pending, [this](const auto& entry) { return entry.second <= now_; });
    }
    pending[address] = arrival;
}

double MissPath::memory_fill(double time, Bytes bytes)
{
    const double start =
        memory_port_.book(time, static_cast<double>(bytes.value) / timing_.memory_bytes_per_cycle, now_);
    return start + static_cast<double>(timing_.memory_latency.value);
}

double MissPath::fill(const LookupEvent& event, double time)
{
    if (!has_l2_) {
        return memory_fill(time, l1_granule_);
    }
    const std::int64_t l2_address = event.address / l2_granule_.value;
    const double start = l2_port_.book(time, static_cast<double>(l1_granule_.value) / timing_.l2_bytes_per_cycle, now_);
    if (event.l2->hit()) {
        return arrival(l2_pending_, l2_address, start + static_cast<double>(timing_.l2_latency.value));
    }
    const double filled = memory_fill(start, l2_granule_);
    remember(l2_pending_, l2_address, filled);
    return filled;
}

MissPath::Reply MissPath::request(const LookupEvent& event, double time, double now)
{
    now_ = now;
    const auto core = static_cast<std::size_t>(event.core);
    if (event.l1.hit()) {
        return {arrival(l1_pending_[core], event.address, time + static_cast<double>(timing_.hit_latency.value)), time};
    }
    Earliest& under_way = under_way_[core];
    while (!under_way.empty() && under_way.top() <= time) {
        under_way.pop();
    }
    if (under_way.size() >= static_cast<std::size_t>(timing_.outstanding_misses)) {
        time = under_way.top();
        under_way.pop();
    }
    const double filled = fill(event, time);
    under_way.push(filled);
    remember(l1_pending_[core], event.address, filled);
    return {filled, time};
}

} // namespace texelscope
