// Orders the warps of a core without time. With `batch`, an occupancy group of warps makes step
// after step together, lane by lane of the list, before the next group begins. Otherwise residents
// take turns, one access each, and a warp that ends is replaced at once.

#include "sim/schedule/untimed.hpp"

#include "sim/options/occupancy.hpp"

#include <algorithm>

namespace texelscope::sim {

UntimedCore::UntimedCore(const TraceSource& source, const SimulationOptions& options, int core,
                         bool repeated)
    : source_(source), dispatch_(source, core, options.machine.cores, options.machine.warp_size),
      batch_(options.machine.group_schedule == GroupSchedule::batch), repeated_(repeated),
      occupancy_(static_cast<std::size_t>(occupancy(options).warps)),
      warp_size_(options.machine.warp_size)
{
    if (!batch_) {
        for (const WarpId id : dispatch_.next_residents(batch_, occupancy_)) {
            residents_.push_back(open(id));
        }
    }
}

UntimedCore::Resident UntimedCore::open(WarpId id) const
{
    Resident resident{id, source_.open(id.group, id.warp, warp_size_), {}, false};
    resident.pending = read(*resident.stream, resident.access);
    return resident;
}

void UntimedCore::issue(Resident& resident, WarpAccess& access, WarpId& warp) const
{
    swap(access, resident.access);
    warp = resident.id;
    resident.pending = read(*resident.stream, resident.access);
}

bool UntimedCore::next(WarpAccess& access, WarpId& warp)
{
    return batch_ ? next_batch(access, warp) : next_refill(access, warp);
}

bool UntimedCore::next_batch(WarpAccess& access, WarpId& warp)
{
    while (true) {
        // All residents at this step make their access.
        for (; position_ < residents_.size(); ++position_) {
            Resident& resident = residents_[position_];
            if (resident.pending && resident.access.step == step_) {
                issue(resident, access, warp);
                ++position_;
                return true;
            }
        }
        // Nobody is left at this step: goes on to the earliest step that somebody waits at. Warps
        // may lack steps, so this need not be the next number.
        position_ = 0;
        bool any = false;
        for (const Resident& resident : residents_) {
            if (resident.pending) {
                step_ = any ? std::min(step_, resident.access.step) : resident.access.step;
                any = true;
            }
        }
        if (any) {
            continue;
        }
        residents_.clear();
        for (const WarpId id : dispatch_.next_occupancy_group(occupancy_)) {
            residents_.push_back(open(id));
        }
        if (residents_.empty()) {
            return false;
        }
        ++occupancy_groups_;
        position_ = residents_.size(); // the loop above finds the first step
    }
}

bool UntimedCore::next_refill(WarpAccess& access, WarpId& warp)
{
    // Ended warps are removed only between rounds, so that positions stay valid within one.
    if (position_ >= residents_.size()) {
        std::erase_if(residents_, [](const Resident& resident) { return !resident.pending; });
        position_ = 0;
    }
    if (residents_.empty()) {
        return false;
    }
    Resident& resident = residents_[position_++];
    issue(resident, access, warp);
    if (!resident.pending) {
        if (const auto id = dispatch_.next()) {
            resident = open(*id);
        }
    }
    return true;
}

void add_cores(std::span<const UntimedCore> cores, SimulationResult& result)
{
    result.cores.resize(cores.size());
    for (std::size_t core = 0; core < cores.size(); ++core) {
        result.cores[core].warps += cores[core].dispatch().warps();
        result.cores[core].occupancy_groups += cores[core].occupancy_groups();
        result.groups += cores[core].dispatch().groups();
    }
}

} // namespace texelscope::sim
