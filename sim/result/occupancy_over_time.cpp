#include "sim/result/occupancy_over_time.hpp"

namespace texelscope::sim {

void OccupancyRecorder::append(Run run)
{
    if (!runs_.empty()) {
        Run& last = runs_.back();
        const bool same_height = last.warp_cycles == (run.begin - last.begin) * warps_;
        if (same_height || last.begin / width_ == run.begin / width_) {
            last.warp_cycles += run.warp_cycles;
            return;
        }
    }
    runs_.push_back(run);
    while (runs_.size() + 1 >= most_points_) { // result() adds the last point
        width_ *= 2;
        std::vector<Run> merged;
        for (const Run& each : runs_) {
            if (!merged.empty() && merged.back().begin / width_ == each.begin / width_) {
                merged.back().warp_cycles += each.warp_cycles;
            } else {
                merged.push_back(each);
            }
        }
        runs_ = std::move(merged);
    }
}

void OccupancyRecorder::change(std::int64_t cycle, int difference)
{
    if (cycle > begin_) {
        const std::int64_t area = (cycle - begin_) * warps_;
        warp_cycles_ += area;
        append({begin_, area});
        begin_ = cycle;
    }
    warps_ += difference;
}

void OccupancyRecorder::leave_until(std::int64_t cycle)
{
    while (!leaving_.empty() && leaving_.top() <= cycle) {
        change(leaving_.top(), -1);
        leaving_.pop();
    }
}

void OccupancyRecorder::enter(std::int64_t cycle)
{
    leave_until(cycle);
    change(cycle, 1);
}

OccupancyOverTime OccupancyRecorder::result() const
{
    OccupancyRecorder done = *this;
    while (!done.leaving_.empty()) {
        done.leave_until(done.leaving_.top());
    }
    OccupancyOverTime over_time;
    over_time.warp_cycles = done.warp_cycles_;
    for (std::size_t i = 0; i < done.runs_.size(); ++i) {
        const std::int64_t end = i + 1 < done.runs_.size() ? done.runs_[i + 1].begin : done.begin_;
        over_time.points.push_back(
            {done.runs_[i].begin, static_cast<double>(done.runs_[i].warp_cycles) /
                                      static_cast<double>(end - done.runs_[i].begin)});
    }
    if (!over_time.points.empty()) {
        over_time.points.push_back({done.begin_, 0});
    }
    return over_time;
}

} // namespace texelscope::sim
