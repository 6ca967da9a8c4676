// Makes warp accesses from access functions, lazily: only the loop counters of the warp's place in
// the program are kept.
//
// A coordinate is mostly the sum of a part that depends on the work-item and a part that depends on
// loops. The first is evaluated once for the lanes of a warp, the second once for each access and
// added to all lanes, so an access costs an addition for each lane.

#include "traces/launch_source.hpp"

#include <algorithm>
#include <array>

namespace texelscope::traces {
namespace {

/// One coordinate of an access function, split so that what depends on the work-item is computed
/// once for a warp.
struct Coordinate {
    IndexExpr whole;
    IndexExpr item; ///< terms over work-item ids alone
    IndexExpr rest; ///< the others
    bool separable; ///< `rest` does not depend on the work-item

    explicit Coordinate(const IndexExpr& e)
        : whole(e), item(e.split(0, slots::first_loop_slot).inside),
          rest(e.split(0, slots::first_loop_slot).rest),
          separable(!rest.uses_slots(0, slots::first_loop_slot))
    {}
};

// A read of the program with its coordinates ready to be evaluated.
struct FlatAccess {
    std::uint16_t image;
    Coordinate x;
    Coordinate y;
};

/// The statement tree with each access replaced by its number in the flat list. Loops that read
/// nothing are left out.
struct FlatStatement {
    int access = -1; ///< or a loop:
    int slot = 0;
    std::int64_t extent = 0;
    std::vector<FlatStatement> body;
};

std::vector<FlatStatement> flatten(const std::vector<Statement>& body,
                                   std::vector<FlatAccess>& accesses, int& last_slot)
{
    std::vector<FlatStatement> flat;
    for (const Statement& statement : body) {
        if (const auto* access = std::get_if<AccessFunction>(&statement)) {
            flat.push_back({static_cast<int>(accesses.size()), 0, 0, {}});
            accesses.push_back({static_cast<std::uint16_t>(access->image), Coordinate(access->x),
                                Coordinate(access->y)});
        } else if (const auto* loop = std::get_if<Loop>(&statement);
                   loop != nullptr && loop->extent() > 0 && reads_per_item(loop->body) > 0) {
            last_slot = std::max(last_slot, loop->variable.slot);
            flat.push_back({-1, loop->variable.slot, loop->extent(),
                            flatten(loop->body, accesses, last_slot)});
        }
    }
    return flat;
}

/// Work-item ids of the active lanes of a warp, as columns for IndexExpr::evaluate.
struct Lanes {
    std::vector<std::uint16_t> numbers;
    std::array<std::vector<std::int32_t>, slots::first_loop_slot> ids;
};

class LaunchStream final : public WarpStream {
public:
    LaunchStream(const std::vector<FlatStatement>& body, const std::vector<FlatAccess>& accesses,
                 int last_slot, Lanes lanes)
        : accesses_(accesses), lanes_(std::move(lanes)),
          values_(static_cast<std::size_t>(last_slot) + 1, 0)
    {
        columns_.resize(values_.size());
        for (std::size_t i = 0; i < lanes_.ids.size(); ++i) {
            columns_[i] = lanes_.ids[i];
        }
        base_.reserve(accesses.size());
        for (const FlatAccess& access : accesses) {
            base_.push_back({item_part(access.x), item_part(access.y)});
        }
        stack_.push_back({&body, 0, 0, 1, -1});
    }

    bool next(WarpAccess& out) override
    {
        while (!stack_.empty()) {
            Frame& frame = stack_.back();
            if (frame.position == frame.body->size()) {
                if (++frame.iteration < frame.extent) {
                    values_[static_cast<std::size_t>(frame.slot)] = frame.iteration;
                    frame.position = 0;
                } else {
                    stack_.pop_back();
                }
                continue;
            }
            const FlatStatement& statement = (*frame.body)[frame.position++];
            if (statement.access >= 0) {
                deliver(static_cast<std::size_t>(statement.access), out);
                return true;
            }
            values_[static_cast<std::size_t>(statement.slot)] = 0;
            stack_.push_back({&statement.body, 0, 0, statement.extent, statement.slot});
        }
        return false;
    }

private:
    // A body that is being run, and how far. Its loop has `extent` iterations; the program itself
    // counts as a loop of one iteration, whose slot -1 is never written.
    struct Frame {
        const std::vector<FlatStatement>* body;
        std::size_t position;
        std::int64_t iteration;
        std::int64_t extent;
        int slot;
    };
    struct Base {
        std::vector<std::int32_t> x;
        std::vector<std::int32_t> y;
    };

    // The part of a coordinate that the work-items alone decide; empty where the parts do not
    // separate.
    [[nodiscard]] std::vector<std::int32_t> item_part(const Coordinate& coordinate) const
    {
        std::vector<std::int32_t> values(coordinate.separable ? lanes_.numbers.size() : 0);
        if (coordinate.separable) {
            coordinate.item.evaluate(columns_, values);
        }
        return values;
    }

    /// The coordinate of every lane at the present values of the loop variables.
    void coordinate_values(const Coordinate& coordinate, const std::vector<std::int32_t>& base,
                           std::vector<std::int32_t>& out)
    {
        out.resize(lanes_.numbers.size());
        if (coordinate.separable) {
            const auto shift = static_cast<std::int32_t>(coordinate.rest.evaluate(values_));
            std::transform(base.begin(), base.end(), out.begin(),
                           [shift](std::int32_t v) { return v + shift; });
            return;
        }
        // The expression mixes work-item and loops, as in (lx + i) / 4: evaluated as a whole. A
        // loop variable has the same value in every lane.
        loop_columns_.resize(values_.size());
        for (std::size_t slot = slots::first_loop_slot; slot < values_.size(); ++slot) {
            loop_columns_[slot].assign(out.size(), static_cast<std::int32_t>(values_[slot]));
            columns_[slot] = loop_columns_[slot];
        }
        coordinate.whole.evaluate(columns_, out);
    }

    void deliver(std::size_t access, WarpAccess& out)
    {
        coordinate_values(accesses_[access].x, base_[access].x, x_);
        coordinate_values(accesses_[access].y, base_[access].y, y_);
        out.step = step_++;
        out.lanes.resize(x_.size());
        for (std::size_t i = 0; i < x_.size(); ++i) {
            out.lanes[i] = {Texel{x_[i], y_[i]}, accesses_[access].image, lanes_.numbers[i]};
        }
    }

    const std::vector<FlatAccess>& accesses_;
    Lanes lanes_;
    std::vector<std::int64_t> values_;
    std::vector<std::span<const std::int32_t>> columns_;
    std::vector<std::vector<std::int32_t>> loop_columns_;
    std::vector<Base> base_;
    std::vector<Frame> stack_;
    std::vector<std::int32_t> x_;
    std::vector<std::int32_t> y_;
    std::uint32_t step_ = 0;
};

class LaunchSource final : public TraceSource {
public:
    explicit LaunchSource(Launch launch) : launch_(std::move(launch))
    {
        body_ = flatten(launch_.body, accesses_, last_slot_);
    }

    [[nodiscard]] const std::string& name() const override { return launch_.kernel; }
    [[nodiscard]] const Launch* launch() const override { return &launch_; }
    [[nodiscard]] std::span<const Image> images() const override { return launch_.images; }
    [[nodiscard]] std::int64_t group_count() const override { return launch_.group_count(); }

    [[nodiscard]] std::vector<std::int32_t> warps(std::int64_t group, int warp_size) const override
    {
        std::vector<std::int32_t> present;
        if (accesses_.empty()) {
            return present;
            // A warp exists if one of its work-items passes the guards.
        }
        const std::int64_t size = launch_.group_size();
        for (std::int64_t first = 0; first < size; first += warp_size) {
            for (std::int64_t item = first; item < std::min(first + warp_size, size); ++item) {
                if (active(group, item)) {
                    present.push_back(static_cast<std::int32_t>(first / warp_size));
                    break;
                }
            }
        }
        return present;
    }

    [[nodiscard]] std::unique_ptr<WarpStream> open(std::int64_t group, std::int32_t warp,
                                                   int warp_size) const override
    {
        Lanes lanes;
        const std::int64_t first = std::int64_t{warp} * warp_size;
        const std::int64_t last = std::min(first + warp_size, launch_.group_size());
        for (std::int64_t item = first; item < last; ++item) {
            if (active(group, item)) {
                lanes.numbers.push_back(static_cast<std::uint16_t>(item - first));
                const auto ids = item_ids(group, item);
                for (std::size_t i = 0; i < ids.size(); ++i) {
                    lanes.ids[i].push_back(static_cast<std::int32_t>(ids[i]));
                }
            }
        }
        return std::make_unique<LaunchStream>(body_, accesses_, last_slot_, std::move(lanes));
    }

private:
    [[nodiscard]] std::array<std::int64_t, slots::first_loop_slot> item_ids(std::int64_t group,
                                                                            std::int64_t item) const
    {
        const std::int64_t bx = launch_.local[0];
        const std::int64_t by = launch_.local[1];
        const std::int64_t nx = launch_.groups[0];
        const std::int64_t ny = launch_.groups[1];
        return {item % bx,  item / bx % by,  item / (bx * by),
                group % nx, group / nx % ny, group / (nx * ny)};
    }

    [[nodiscard]] bool active(std::int64_t group, std::int64_t item) const
    {
        const auto ids = item_ids(group, item);
        return std::all_of(launch_.guards.begin(), launch_.guards.end(), [&](const Guard& guard) {
            return guard.value.evaluate(ids) < guard.bound;
        });
    }

    Launch launch_;
    std::vector<FlatAccess> accesses_;
    int last_slot_ = slots::first_loop_slot - 1;
    std::vector<FlatStatement> body_;
};

} // namespace

std::unique_ptr<TraceSource> make_trace_source(Launch launch)
{
    return std::make_unique<LaunchSource>(std::move(launch));
}

} // namespace texelscope::traces
