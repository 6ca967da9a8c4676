#pragma once

#include "sim/memory/image_storage.hpp"
#include "traces/trace_source.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace texelscope::sim {

/// Granules (lines, or sectors where there are some) of an image whose numbers are sums: one over
/// columns, one over rows.
class GranuleSums {
public:
    /// Nothing where layout offsets are no sums, or where those of granules are not: a texel lies
    /// across two, or what columns and rows add inside of a granule carries into the next.
    static std::optional<GranuleSums> of(const StoredImage& image, std::int64_t granule);

    struct Found {
        std::size_t lanes = 0; ///< from the first on, that read the same image
        std::size_t count = 0; ///< of them, that touch memory
        bool distinct = false; ///< known: no granule is there twice
    };
    /// The granule of each lane that touches memory, in their order, to `granules`: up to the first
    /// that reads another image than the first one, which reads this.
    Found find(std::span<const LaneRead> lanes, std::int32_t* granules) const;

private:
    /// ((column >> shift) & mask) * factor
    struct Term {
        std::int32_t shift = 0;
        std::int32_t mask = 0;
        std::int32_t factor = 0;
    };
    /// What goes with columns, or with rows.
    struct Axis {
        std::vector<std::int32_t> values; ///< by column or row
        std::vector<Term> terms;          ///< whose sum is the value
        bool has_terms = false;           ///< else there are no such
    };
    /// Below zero as soon as a value is not more than that of the lane before.
    struct Order {
        std::int32_t x = 0;
        std::int32_t y = 0;
    };

    GranuleSums(Extent2D extent, AddressMode address_mode)
        : extent_(extent), address_mode_(address_mode)
    {}
    static void add_terms(Axis& axis);
    /// As many lanes from the first on as go 16 at a time, all of one image and inside: how many.
    std::size_t find_16(std::span<const LaneRead> lanes, std::int32_t* granules,
                        Order& order) const;

    Extent2D extent_;
    AddressMode address_mode_;
    std::int32_t first_ = 0; ///< granule where the image starts
    Axis x_;
    Axis y_;
    /// A granule has one value of x and one of y: lanes whose x (or y) all differ need different
    /// granules.
    bool unique_ = false;
    bool vectors_ = false;
};

} // namespace texelscope::sim
