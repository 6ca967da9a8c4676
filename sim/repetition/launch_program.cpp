// A launch prepared for lockstep simulation: each coordinate is split into a part over work-item
// ids, which is evaluated once for a warp, and a part over loop variables, which is the same for
// all warps. Mixed coordinates have no such split, and make() returns null for a launch that has
// one.

#include "sim/repetition/launch_program.hpp"

#include "traces/index/uniform_shift.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace texelscope::sim {
namespace {

constexpr int items = slots::first_loop_slot; ///< slots below are work-item ids
constexpr int local_ids = slots::group_x;     ///< slots below are local ids

/// Whether a coordinate of some read is no sum of a part over work-item ids and one over loops.
bool has_mixed_coordinate(const std::vector<Statement>& body)
{
    return std::any_of(body.begin(), body.end(), [](const Statement& statement) {
        if (const auto* access = std::get_if<AccessFunction>(&statement)) {
            return access->x.split(0, items).rest.uses_slots(0, items) ||
                   access->y.split(0, items).rest.uses_slots(0, items);
        }
        const auto* loop = std::get_if<Loop>(&statement);
        return loop != nullptr && has_mixed_coordinate(loop->body);
    });
}

/// The uniform shifts of all reads of a loop's body along the loop's variable.
struct BodyShift {
    std::int64_t period = 1;     ///< common multiple of all periods
    std::vector<UniformShift> x; ///< by read
    std::vector<UniformShift> y; ///< by read
    std::vector<int> images;     ///< by read
};

/// Adds the shifts of the reads of a body; false where some read has none within `longest`.
bool add_shifts(const std::vector<Statement>& body, int slot, std::int64_t longest, BodyShift& sum)
{
    return std::all_of(body.begin(), body.end(), [&](const Statement& statement) {
        const auto* access = std::get_if<AccessFunction>(&statement);
        if (const auto* loop = std::get_if<Loop>(&statement)) {
            return add_shifts(loop->body, slot, longest, sum);
        }
        if (access == nullptr) {
            return true;
        }
        const auto x = uniform_shift(access->x, slot, longest);
        const auto y = uniform_shift(access->y, slot, longest);
        if (!x || !y) {
            return false;
        }
        sum.period = std::lcm(sum.period, std::lcm(x->period, y->period));
        sum.x.push_back(*x);
        sum.y.push_back(*y);
        sum.images.push_back(access->image);
        return sum.period <= longest;
    });
}

/// Distance of a shift over `period` iterations, a multiple of its own period.
std::int32_t over(const UniformShift& shift, std::int64_t period)
{
    return static_cast<std::int32_t>(shift.distance * (period / shift.period));
}

} // namespace

// Sums of variables, the usual case, are evaluated without walking an expression.
LoopPart::LoopPart(const IndexExpr& e) : constant_(e.constant())
{
    IndexExpr rest = 0;
    for (const IndexTerm& term : e.terms()) {
        if (term.atom.kind == IndexAtom::Kind::variable) {
            linear_.emplace_back(term.atom.variable.slot, term.factor);
        } else {
            rest = rest + term.atom.expr() * term.factor;
        }
    }
    if (!rest.is_constant()) {
        general_ = rest;
    }
}

// Splits once more, into local ids and group ids: the local part is the same in every group. A part
// that mixes the two is kept whole.
LaunchProgram::ItemPart::ItemPart(const IndexExpr& e)
    : local(e.split(0, local_ids).inside), group(0)
{
    const IndexExpr rest = e.split(0, local_ids).rest;
    if (rest.uses_slots(0, local_ids)) {
        mixed = e;
    } else {
        group = rest;
    }
}

std::unique_ptr<LaunchProgram> LaunchProgram::make(const Launch& launch, int warp_size)
{
    if (has_mixed_coordinate(launch.body)) {
        return nullptr;
    }
    return std::unique_ptr<LaunchProgram>(new LaunchProgram(launch, warp_size));
}

LaunchProgram::LaunchProgram(const Launch& launch, int warp_size)
    : launch_(launch), warp_size_(warp_size),
      warps_(static_cast<std::size_t>((launch.group_size() + warp_size - 1) / warp_size))
{
    body_ = flatten(launch.body);
    for (const Guard& guard : launch.guards) {
        guards_.emplace_back(guard.value);
    }
}

std::vector<LaunchProgram::Statement>
LaunchProgram::flatten(const std::vector<texelscope::traces::Statement>& body)
{
    std::vector<Statement> flat;
    for (const texelscope::traces::Statement& statement : body) {
        if (const auto* access = std::get_if<AccessFunction>(&statement)) {
            const auto x = access->x.split(0, items);
            const auto y = access->y.split(0, items);
            flat.emplace_back(
                Access{access->image, access_count(), LoopPart(x.rest), LoopPart(y.rest)});
            accesses_.push_back({ItemPart(x.inside), ItemPart(y.inside)});
            images_.push_back(access->image);
            continue;
        }
        const auto* const inner = std::get_if<texelscope::traces::Loop>(&statement);
        if (inner == nullptr || inner->extent() <= 0 || reads_per_item(inner->body) == 0) {
            continue;
        }
        const texelscope::traces::Loop& source = *inner;
        Loop loop;
        loop.number = loops_++;
        loop.slot = static_cast<std::size_t>(source.variable.slot);
        loop.extent = source.extent();
        loop.distance.resize(launch_.images.size());
        loop.reads.resize(launch_.images.size(), false);
        slots_ = std::max(slots_, loop.slot + 1);
        // The loop has a period only where all reads of one image move by the same distance.
        BodyShift shift;
        bool uniform = add_shifts(source.body, source.variable.slot, loop.extent, shift);
        for (std::size_t i = 0; i < shift.images.size(); ++i) {
            const auto image = static_cast<std::size_t>(shift.images[i]);
            const Texel distance{over(shift.x[i], shift.period), over(shift.y[i], shift.period)};
            uniform = uniform && (!loop.reads[image] || loop.distance[image] == distance);
            loop.distance[image] = distance;
            loop.reads[image] = true;
        }
        if (uniform) {
            loop.period = shift.period;
        }
        loop.body = flatten(source.body);
        flat.emplace_back(std::move(loop));
    }
    return flat;
}

// What is the same for this warp in every group: computed at its first use.
const LaunchProgram::WarpLanes& LaunchProgram::lanes_of(std::int32_t warp)
{
    auto& known = warps_[static_cast<std::size_t>(warp)];
    if (known) {
        return *known;
    }
    WarpLanes lanes;
    const std::int64_t first = std::int64_t{warp} * warp_size_;
    const std::int64_t last = std::min(first + warp_size_, launch_.group_size());
    const std::int64_t bx = launch_.local[0];
    const std::int64_t by = launch_.local[1];
    for (std::int64_t item = first; item < last; ++item) {
        lanes.ids[0].push_back(static_cast<std::int32_t>(item % bx));
        lanes.ids[1].push_back(static_cast<std::int32_t>(item / bx % by));
        lanes.ids[2].push_back(static_cast<std::int32_t>(item / (bx * by)));
    }
    const std::array<std::span<const std::int32_t>, 3> columns{lanes.ids[0], lanes.ids[1],
                                                               lanes.ids[2]};
    const auto local_part = [&](const ItemPart& part) {
        std::vector<std::int32_t> local(lanes.ids[0].size(), 0);
        if (!part.mixed) {
            part.local.evaluate(columns, local);
        }
        return local;
    };
    for (const ItemAccess& access : accesses_) {
        lanes.x.push_back(local_part(access.x));
        lanes.y.push_back(local_part(access.y));
        lanes.shapes.push_back(
            access.x.mixed || access.y.mixed ? -1 : shapes_.number(lanes.x.back(), lanes.y.back()));
    }
    for (const ItemPart& guard : guards_) {
        lanes.guards.push_back(local_part(guard));
    }
    known = std::move(lanes);
    return *known;
}

std::vector<std::int32_t> LaunchProgram::values(const ItemPart& part, const WarpLanes& lanes,
                                                const std::vector<std::int32_t>& local,
                                                std::span<const std::int64_t> ids) const
{
    std::vector<std::int32_t> sum = local;
    if (!part.mixed) {
        const auto group = static_cast<std::int32_t>(part.group.evaluate(ids));
        std::for_each(sum.begin(), sum.end(), [group](std::int32_t& v) { v += group; });
        return sum;
    }
    std::vector<std::int64_t> item(ids.begin(), ids.end());
    for (std::size_t lane = 0; lane < sum.size(); ++lane) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            item[axis] = lanes.ids[axis][lane];
        }
        sum[lane] = static_cast<std::int32_t>(part.mixed->evaluate(item));
    }
    return sum;
}

std::vector<PlacedAccess> LaunchProgram::place(std::int64_t group, std::int32_t warp)
{
    const WarpLanes& lanes = lanes_of(warp);
    const std::int64_t nx = launch_.groups[0];
    const std::int64_t ny = launch_.groups[1];
    const std::array<std::int64_t, items> ids{
        0, 0, 0, group % nx, group / nx % ny, group / (nx * ny)};

    // Which lanes pass all guards.
    const std::size_t count = lanes.ids[0].size();
    std::vector<std::size_t> active;
    if (!guards_.empty()) {
        std::vector<bool> passes(count, true);
        for (std::size_t g = 0; g < guards_.size(); ++g) {
            const auto value = values(guards_[g], lanes, lanes.guards[g], ids);
            for (std::size_t lane = 0; lane < count; ++lane) {
                passes[lane] = passes[lane] && value[lane] < launch_.guards[g].bound;
            }
        }
        for (std::size_t lane = 0; lane < count; ++lane) {
            if (passes[lane]) {
                active.push_back(lane);
            }
        }
    }
    const bool all = guards_.empty() || active.size() == count;

    std::vector<PlacedAccess> placed;
    placed.reserve(accesses_.size());
    for (std::size_t a = 0; a < accesses_.size(); ++a) {
        const ItemAccess& access = accesses_[a];
        // The usual case: all lanes read, in the same shape in every group, which only moves.
        if (all && lanes.shapes[a] >= 0) {
            placed.push_back(
                {{lanes.x[a].front() + static_cast<std::int32_t>(access.x.group.evaluate(ids)),
                  lanes.y[a].front() + static_cast<std::int32_t>(access.y.group.evaluate(ids))},
                 lanes.shapes[a]});
            continue;
        }
        std::vector<std::int32_t> x = values(access.x, lanes, lanes.x[a], ids);
        std::vector<std::int32_t> y = values(access.y, lanes, lanes.y[a], ids);
        if (!all) {
            const auto keep = [&active](std::vector<std::int32_t>& v) {
                for (std::size_t i = 0; i < active.size(); ++i) {
                    v[i] = v[active[i]];
                }
                v.resize(active.size());
            };
            keep(x);
            keep(y);
        }
        placed.push_back({{x.front(), y.front()}, shapes_.number(x, y)});
    }
    return placed;
}

} // namespace texelscope::sim
