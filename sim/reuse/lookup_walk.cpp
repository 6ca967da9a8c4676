// Walks over the L1 lookups of a core in the order of the untimed simulation, as line numbers,
// without simulating a cache. A launch with access functions goes through its program (line
// patterns are cached by shape); other sources are read and coalesced access by access.

#include "sim/reuse/lookup_walk.hpp"

#include "base/error.hpp"
#include "sim/options/occupancy.hpp"
#include "sim/repetition/program_core.hpp"
#include "sim/schedule/untimed.hpp"

#include <algorithm>

namespace texelscope::sim {
namespace {

const SimulationOptions& checked(const SimulationOptions& options)
{
    validate(options);
    if (options.machine.dispatch == Dispatch::dynamic) {
        throw bad_input(
            "dynamic asks which core frees up first, and an order without time does not say",
            "schedule.dispatch", "use schedule.dispatch=round-robin");
    }
    return options;
}

} // namespace

LookupWalk::LookupWalk(const TraceSource& source, const SimulationOptions& options,
                       const StopToken& stop)
    : source_(source), options_(checked(options)), poll_(stop),
      images_(store_images(source.images(), options)),
      sectors_per_line_(options.machine.l1().geometry.line /
                        options.machine.l1().geometry.granule()),
      coalescer_(images_, options.machine.l1().geometry.granule().value)
{
    if (const Launch* launch = source.launch()) {
        program_ = LaunchProgram::make(*launch, options.machine.warp_size);
    }
    if (program_) {
        patterns_ = std::make_unique<LinePatterns>(images_, options, program_->shapes());
    }
}

std::int64_t LookupWalk::line_count() const
{
    return granule_count(images_, options_.machine.l1().geometry.line.value);
}

LookupWalk::LineRange LookupWalk::lines_of(std::size_t image) const
{
    const StoredImage& stored = images_[image];
    const std::int64_t line = options_.machine.l1().geometry.line.value;
    return {stored.base / line, (stored.base + stored.layout.size().value + line - 1) / line};
}

std::int64_t LookupWalk::run(int core, const Visitor& visit, const Bounds& bounds)
{
    return program_ ? run_program(core, visit, bounds) : run_streamed(core, visit, bounds);
}

void LookupWalk::pass_on(std::size_t image, std::int64_t first,
                         std::span<const std::int32_t> granules, const Visitor& visit)
{
    if (granules.empty()) {
        return;
    }
    if (sectors_per_line_ == 1) {
        visit(image, {first, granules, true});
        return;
    }
    // With sectors, several granules may lie in the same line: then the list may have a line twice.
    lines_.resize(granules.size());
    std::transform(granules.begin(), granules.end(), lines_.begin(), [&](std::int32_t granule) {
        return static_cast<std::int32_t>((first + granule) / sectors_per_line_);
    });
    visit(image, {0, lines_});
}

std::int64_t LookupWalk::run_program(int core, const Visitor& visit, const Bounds& bounds)
{
    const bool batch = options_.machine.group_schedule == GroupSchedule::batch;
    const auto room = static_cast<std::size_t>(occupancy(options_).warps);
    WarpDispatch dispatch(source_, core, options_.machine.cores, options_.machine.warp_size);
    const std::vector<WarpId> resident = dispatch.next_residents(batch, room);
    ProgramCore warps(*program_, core, batch, room, std::move(dispatch), resident);
    LoggedAccess access;
    std::int64_t walked = 0;
    while (walked < bounds.accesses && warps.next(access) &&
           warps.occupancy_groups() <= bounds.occupancy_groups) {
        poll_();
        ++walked;
        const LinePatterns::Placed found =
            patterns_->find(access.image, access.shape, access.first);
        pass_on(access.image, found.first, found.pattern->granules, visit);
    }
    return walked;
}

std::int64_t LookupWalk::run_streamed(int core, const Visitor& visit, const Bounds& bounds)
{
    UntimedCore warps(source_, options_, core);
    WarpAccess access;
    WarpId warp;
    std::int64_t walked = 0;
    while (walked < bounds.accesses && warps.next(access, warp) &&
           warps.occupancy_groups() <= bounds.occupancy_groups) {
        poll_();
        ++walked;
        const Coalescer::Coalesced found = coalescer_.coalesce(access.lanes);
        if (found.images.empty()) {
            pass_on(found.image, 0, found.granules, visit);
            continue;
        }
        // An access of several images is passed on image by image.
        for (std::size_t begin = 0, end = 0; begin < found.granules.size(); begin = end) {
            const std::uint16_t image = found.images[begin];
            while (end < found.granules.size() && found.images[end] == image) {
                ++end;
            }
            pass_on(image, 0, found.granules.subspan(begin, end - begin), visit);
        }
    }
    return walked;
}

} // namespace texelscope::sim
