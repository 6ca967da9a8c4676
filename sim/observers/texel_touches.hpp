#pragma once

#include "sim/memory/image_storage.hpp"
#include "sim/options/options.hpp"
#include "sim/result/heat_map.hpp"
#include "sim/result/line_origins.hpp"
#include "sim/result/simulation_observer.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace texelscope::sim {

/// A warp access in which some lane reads the texel that is asked about (or, where asked for, one
/// in the same L1 line).
struct TexelTouch {
    int core = 0;
    std::int64_t group = 0;
    std::int32_t warp = 0;
    std::uint32_t step = 0;
    std::int64_t access_index = 0;
    struct Lane {
        std::uint16_t lane = 0;
        Texel texel; ///< after the address mode was applied
    };
    std::vector<Lane> lanes; ///< the lanes that read it
    struct Lookup {
        std::int64_t address = 0;
        LookupOutcome l1;
        LevelOutcomes behind; ///< empty where L1 hit
        /// Texel whose read had brought in the L1 line that this lookup threw out.
        std::optional<ImageTexel> evicted_from;
    };
    std::vector<Lookup> lookups; ///< one, unless the texels straddle lines (sectors)
};

/// Who touched a texel, and when, in the order of the simulation.
class TexelTouchObserver : public SimulationObserver {
public:
    /// `whole_line`: reads of every texel whose first byte is in the same L1 line count as well.
    /// Keeps the first `limit` touches of the selected accesses. Throws bad_input where the image
    /// does not contain the texel.
    TexelTouchObserver(std::span<const Image> images, const SimulationOptions& options,
                       ImageTexel texel, bool whole_line, AccessSelection selection,
                       std::size_t limit);

    void on_access(int core, std::int64_t group, std::int32_t warp, std::uint32_t step,
                   std::int64_t access_index, std::span<const LaneRead> lanes) override;
    void on_lookup(const LookupEvent& event) override;

    [[nodiscard]] const std::vector<TexelTouch>& touches() const { return touches_; }
    /// Number of all touches, kept or not.
    [[nodiscard]] std::int64_t count() const { return count_; }

private:
    [[nodiscard]] bool concerns(const LaneRead& read) const;

    std::vector<StoredImage> images_;
    std::int64_t line_;    ///< bytes
    std::int64_t granule_; ///< bytes
    ImageTexel texel_;
    bool whole_line_;
    AccessSelection selection_;
    std::size_t limit_;
    std::int64_t target_line_;

    std::vector<TexelTouch> touches_;
    std::int64_t count_ = 0;
    /// Addresses of the lookups that belong to the touch under way.
    std::vector<std::int64_t> awaited_;
    LineOrigins origins_;
};

} // namespace texelscope::sim
