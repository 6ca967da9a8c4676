#pragma once

#include "sim/memory/image_storage.hpp"
#include "traces/trace_source.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace texelscope::sim {

/// Fast granule numbers of an image where they are sums: the granule (sector, or line where there
/// are none) of a texel at column x and row y is
///
///     first granule of the image + value(x) + value(y)
///
/// with one table of values for columns and one for rows.
class GranuleSums {
public:
    /// nullopt where granule numbers are no such sums: because offsets of the layout are not;
    /// because a texel lies across two granules, or a granule in two images; or because what
    /// columns and rows add to the offset inside of a granule can carry into the next one.
    static std::optional<GranuleSums> of(const StoredImage& image, std::int64_t granule);

    struct Found {
        std::size_t lanes = 0; ///< leading lanes that read this image
        std::size_t count = 0; ///< number of these that touch memory: granules written
        bool distinct = false; ///< the granules are known to be distinct
    };
    /// Writes the granule of each lane that touches memory to `granules`, in their order, repeated
    /// granules included. Stops at the first lane that reads another image; the first lane must
    /// read this one.
    Found find(std::span<const LaneRead> lanes, std::int32_t* granules) const;

private:
    /// ((i >> shift) & mask) * factor for a column or row i: computes some bits of a value.
    struct Term {
        std::int32_t shift = 0;
        std::int32_t mask = 0;
        std::int32_t factor = 0;
    };
    /// The values of all columns, or of all rows.
    struct Axis {
        std::vector<std::int32_t> values; ///< by column or row
        std::vector<Term> terms;          ///< the value as a sum of terms, for vectors
        bool has_terms = false;           ///< whether the terms give all values
    };
    /// Whether values of x and of y ascend from lane to lane: a number is negative as soon as some
    /// value is not greater than that of the lane before.
    struct Order {
        std::int32_t x = 0;
        std::int32_t y = 0;
    };

    GranuleSums(Extent2D extent, AddressMode address_mode)
        : extent_(extent), address_mode_(address_mode)
    {}
    static void add_terms(Axis& axis);
    /// The part of find() that takes 16 lanes at a time with vectors. Stops before the first 16 of
    /// which some read another image or outside of it. Returns how many lanes it has done.
    std::size_t find_16(std::span<const LaneRead> lanes, std::int32_t* granules,
                        Order& order) const;

    Extent2D extent_;
    AddressMode address_mode_;
    std::int32_t first_ = 0; ///< granule where the image starts
    Axis x_;                 ///< columns
    Axis y_;                 ///< rows
    /// A granule belongs to a single pair of values. Then lanes whose values of x (or of y) all
    /// differ need distinct granules.
    bool unique_ = false;
    bool vectors_ = false; ///< find_16() can be used
};

} // namespace texelscope::sim
