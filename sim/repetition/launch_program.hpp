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

/// The part of a coordinate that depends on loop variables alone, constant included.
class LoopPart {
public:
    explicit LoopPart(const IndexExpr& e);
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
    std::vector<std::pair<std::size_t, std::int64_t>> linear_; ///< variables times constants
    std::optional<IndexExpr> general_;                         ///< the rest
};

/// Where the warps of a group read in one access, without what the loops add.
struct PlacedAccess {
    Texel first;   ///< of the first active lane
    int shape = 0; ///< in LaunchProgram::shapes()

    bool operator==(const PlacedAccess&) const = default;
};

/// A launch, taken apart for the simulator: what its loops add to a coordinate, what the work-group
/// adds, and what is the same for all groups.
class LaunchProgram {
public:
    /// Nothing where some coordinate of a read mixes work-item ids and loop variables in one
    /// division: then every lane has to be computed in every step.
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
        int number = 0; ///< over all loops
        std::size_t slot = 0;
        std::int64_t extent = 0;
        /// Iterations after which all reads inside, of each image, have moved by the same distance,
        /// whatever the other variables are: the distance by image. No period where there is none
        /// within the extent.
        std::optional<std::int64_t> period;
        std::vector<Texel> distance;
        std::vector<bool> reads; ///< by image: something inside reads it
        std::vector<Statement> body;
    };

    [[nodiscard]] const std::vector<Statement>& body() const { return body_; }
    [[nodiscard]] int access_count() const { return static_cast<int>(accesses_.size()); }
    [[nodiscard]] int loop_count() const { return loops_; }
    [[nodiscard]] std::size_t slot_count() const { return slots_; }
    [[nodiscard]] const LaneShapes& shapes() const { return shapes_; }
    /// Image of each access.
    [[nodiscard]] const std::vector<int>& images() const { return images_; }

    /// Where one warp reads: for each access. The warp has an active lane.
    [[nodiscard]] std::vector<PlacedAccess> place(std::int64_t group, std::int32_t warp);

private:
    /// Terms over work-item ids of a coordinate or a guard.
    struct ItemPart {
        IndexExpr local;                ///< over local ids
        IndexExpr group;                ///< over group ids
        std::optional<IndexExpr> mixed; ///< instead of both, where a division mixes them
        explicit ItemPart(const IndexExpr& e);
    };
    /// The lanes of warp number w of any group.
    struct WarpLanes {
        std::array<std::vector<std::int32_t>, 3> ids; ///< local x, y, z
        std::vector<std::vector<std::int32_t>> x;     ///< by access: local part of each lane
        std::vector<std::vector<std::int32_t>> y;
        std::vector<std::vector<std::int32_t>> guards; ///< by guard
        /// By access, all lanes active; -1: depends on the group.
        std::vector<int> shapes;
    };

    LaunchProgram(const Launch& launch, int warp_size);
    std::vector<Statement> flatten(const std::vector<texelscope::traces::Statement>& body);
    const WarpLanes& lanes_of(std::int32_t warp);
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
    std::vector<std::optional<WarpLanes>> warps_;
};

} // namespace texelscope::sim
