#pragma once

#include "sim/memory/coalescer.hpp"
#include "traces/launch.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace texelscope::sim {

// A launch, taken apart so that the simulator computes its coordinates fast.
//
// In goes a Launch (traces/launch.hpp), whose reads have coordinates over work-item ids and loop
// variables. LaunchProgram::make() splits each coordinate into a sum:
//
//   coordinate = part over local ids + part over group ids + part over loop variables
//
// The first part is the same in every group, and gives the warp's shape: where its lanes read
// relative to the first lane (LaneShapes). The second moves the whole shape. Both come out of
// place(group, warp), once for each warp: one PlacedAccess for each access of the program. The
// third is a LoopPart, the same for all warps, which whoever walks through body() adds in each
// iteration (ProgramCursor).
//
// What always holds: accesses are numbered in program order, the same in body(), images() and
// place(); all warps make the same accesses; a shape's number never changes. Loops without reads
// are left out.

/// The part of a coordinate that depends on loop variables alone, with the coordinate's constant.
class LoopPart {
public:
    explicit LoopPart(const IndexExpr& e);
    /// Its value where `loop_values` has the loop variables by slot.
    [[nodiscard]] std::int32_t value(std::span<const std::int64_t> loop_values) const
    {
        std::int64_t sum = constant_;
        for (const auto& [slot, factor] : linear_) {
            sum += factor * loop_values[slot];
        }
        return static_cast<std::int32_t>(general_ ? sum + general_->evaluate(loop_values) : sum);
    }

private:
    std::int64_t constant_ = 0;
    std::vector<std::pair<std::size_t, std::int64_t>> linear_; ///< slots of variables, and factors
    std::optional<IndexExpr> general_; ///< the terms with divisions and remainders
};

/// Where one warp reads in one access, without what the loops add to the coordinates.
struct PlacedAccess {
    Texel first;   ///< texel of the first active lane
    int shape = 0; ///< in LaunchProgram::shapes()

    bool operator==(const PlacedAccess&) const = default;
};

/// A launch whose coordinates are split into parts, see the top of this file.
class LaunchProgram {
public:
    /// Null where some coordinate mixes work-item ids and loop variables in one division or
    /// remainder: it is no sum of parts, and every lane has to be computed in every step.
    [[nodiscard]] static std::unique_ptr<LaunchProgram> make(const Launch& launch, int warp_size);

    struct Access {
        int image = 0;
        int number = 0; ///< in program order
        LoopPart x;
        LoopPart y;
    };
    struct Loop;
    using Statement = std::variant<Access, Loop>;
    struct Loop {
        int number = 0;          ///< over all loops, an outer loop before those inside of it
        std::size_t slot = 0;    ///< of its variable
        std::int64_t extent = 0; ///< iterations
        /// After `period` iterations, all reads of one image inside of the loop have moved by the
        /// same distance, whatever the values of the other variables. nullopt where no such period
        /// lies within the extent.
        std::optional<std::int64_t> period;
        std::vector<Texel> distance; ///< by image: that distance; valid where there is a period
        std::vector<bool> reads;     ///< by image: whether something inside of the loop reads it
        std::vector<Statement> body;
    };

    [[nodiscard]] const std::vector<Statement>& body() const { return body_; }
    [[nodiscard]] int access_count() const { return static_cast<int>(accesses_.size()); }
    [[nodiscard]] int loop_count() const { return loops_; }
    [[nodiscard]] std::size_t slot_count() const { return slots_; }
    [[nodiscard]] const LaneShapes& shapes() const { return shapes_; }
    /// Image of each access.
    [[nodiscard]] const std::vector<int>& images() const { return images_; }

    /// Where one warp reads, by access. The warp must have an active lane.
    [[nodiscard]] std::vector<PlacedAccess> place(std::int64_t group, std::int32_t warp);

private:
    /// The terms over work-item ids of a coordinate or a guard.
    struct ItemPart {
        IndexExpr local; ///< terms over local ids
        IndexExpr group; ///< the other terms
        /// In place of both, where one division or remainder has local and group ids.
        std::optional<IndexExpr> mixed;
        explicit ItemPart(const IndexExpr& e);
    };
    /// The lanes of one warp, which are the same in every group.
    struct WarpLanes {
        std::array<std::vector<std::int32_t>, 3> ids;  ///< local x, y, z of each lane
        std::vector<std::vector<std::int32_t>> x;      ///< [access][lane]: local part of x
        std::vector<std::vector<std::int32_t>> y;      ///< [access][lane]: local part of y
        std::vector<std::vector<std::int32_t>> guards; ///< [guard][lane]: local part of its value
        /// By access: the shape where all lanes are active; -1 where it depends on the group.
        std::vector<int> shapes;
    };

    LaunchProgram(const Launch& launch, int warp_size);
    /// The body without its work, for body_; adds the accesses and loops that it meets.
    std::vector<Statement> flatten(const std::vector<texelscope::traces::Statement>& body);
    /// The lanes of a warp, computed when they are first asked for.
    const WarpLanes& lanes_of(std::int32_t warp);
    /// The value of a part in each lane. `local`: its local part by lane; `ids`: work-item ids of
    /// which only those of the group count.
    [[nodiscard]] std::vector<std::int32_t> values(const ItemPart& part, const WarpLanes& lanes,
                                                   const std::vector<std::int32_t>& local,
                                                   std::span<const std::int64_t> ids) const;

    Launch launch_;
    int warp_size_;
    std::vector<Statement> body_;
    struct ItemAccess {
        ItemPart x;
        ItemPart y;
    };
    std::vector<ItemAccess> accesses_;
    std::vector<int> images_;
    std::vector<ItemPart> guards_;
    int loops_ = 0;
    std::size_t slots_ = slots::first_loop_slot;
    LaneShapes shapes_;
    std::vector<std::optional<WarpLanes>> warps_; ///< by warp; nullopt: not asked for yet
};

} // namespace texelscope::sim
