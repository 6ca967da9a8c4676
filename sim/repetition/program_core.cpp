// One core that walks through a LaunchProgram by itself: each access of the program by all its
// resident warps, then the next access. It serves where cores are not in step with each other.

#include "sim/repetition/program_core.hpp"

namespace texelscope::sim {

ProgramCursor::ProgramCursor(const LaunchProgram& program)
    : program_(program), values_(program.slot_count(), 0)
{}

const LaunchProgram::Access* ProgramCursor::next()
{
    if (stack_.empty()) {
        stack_.push_back({&program_.body(), nullptr});
    }
    while (!stack_.empty()) {
        Frame& frame = stack_.back();
        if (frame.position == frame.body->size()) {
            ++frame.iteration;
            if (frame.loop != nullptr && frame.iteration < frame.loop->extent) {
                values_[frame.loop->slot] = frame.iteration;
                frame.position = 0;
                continue;
            }
            if (frame.loop != nullptr) {
                values_[frame.loop->slot] = 0;
            }
            stack_.pop_back();
            continue;
        }
        const LaunchProgram::Statement& statement = (*frame.body)[frame.position++];
        if (const auto* access = std::get_if<LaunchProgram::Access>(&statement)) {
            offset_ = {access->x.value(values_), access->y.value(values_)};
            return access;
        }
        const auto& loop = std::get<LaunchProgram::Loop>(statement);
        stack_.push_back({&loop.body, &loop});
    }
    return nullptr;
}

ProgramCore::ProgramCore(LaunchProgram& program, int core, bool batch, std::size_t occupancy,
                         WarpDispatch dispatch, const std::vector<WarpId>& resident)
    : program_(program), core_(static_cast<std::uint16_t>(core)), batch_(batch),
      occupancy_(occupancy), dispatch_(std::move(dispatch)), cursor_(program)
{
    place(resident);
}

void ProgramCore::place(const std::vector<WarpId>& warps)
{
    placed_.clear();
    for (const WarpId warp : warps) {
        placed_.push_back(program_.place(warp.group, warp.warp));
    }
    warp_ = placed_.size(); // all turns are over, so that next() starts with the first access
    occupancy_groups_ += batch_ && !placed_.empty() ? 1 : 0;
}

bool ProgramCore::next(LoggedAccess& access)
{
    while (warp_ == placed_.size()) {
        if (placed_.empty()) {
            return false;
        }
        access_ = cursor_.next();
        warp_ = 0;
        if (access_ == nullptr) {
            place(dispatch_.next_residents(batch_, occupancy_));
        }
    }
    const PlacedAccess& at = placed_[warp_++][static_cast<std::size_t>(access_->number)];
    const Texel offset = cursor_.offset();
    access = {{at.first.x + offset.x, at.first.y + offset.y},
              at.shape,
              static_cast<std::uint16_t>(access_->image),
              core_};
    return true;
}

} // namespace texelscope::sim
