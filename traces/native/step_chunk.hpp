#pragma once

#include "traces/native/byte_columns.hpp"
#include "traces/native/trace_record.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace texelscope::traces {

[[nodiscard]] constexpr bool is_image(AccessKind kind)
{
    return kind == AccessKind::image_read || kind == AccessKind::image_write;
}

/// What one work-item does in one step of its work-group.
struct StepRow {
    std::int32_t item = 0;
    AccessKind kind = AccessKind::image_read;
    std::uint16_t object = 0;
    std::int64_t x = 0; ///< texel; of buffers, the offset in bytes
    std::int32_t y = 0;
    std::int32_t z = 0;
    std::int32_t bytes = 0; ///< buffers only

    bool operator==(const StepRow&) const = default;
};

[[nodiscard]] StepRow row_of(std::int32_t item, const TracedAccess& access);
[[nodiscard]] TracedAccess access_of(const StepRow& row);

/// What a row accesses, as one number.
[[nodiscard]] constexpr std::uint32_t target_of(const StepRow& row)
{
    return std::uint32_t{static_cast<std::uint8_t>(row.kind)} << 16 | row.object;
}

/// Steps of work-groups, in order of group and step. The rows of a step are those of its shape,
/// moved: most steps of regular programs do what an earlier one did, elsewhere.
struct StepChunk {
    struct Segment {
        std::int64_t group = 0;
        std::uint32_t steps = 0;
        std::uint32_t begin = 0; ///< its first step's place in `steps` below
    };
    struct Step {
        std::uint32_t number = 0;
        std::uint32_t shape = 0;
        /// Added to that of every row of the shape; modulo 2^64, and 2^32 for texels.
        std::int64_t x = 0;
        std::int32_t y = 0; ///< the same, modulo 2^32
        std::int32_t z = 0;
    };
    std::vector<Segment> segments;
    std::vector<Step> steps;
    /// Index of a shape's first row; one more at the end.
    std::vector<std::uint32_t> shape_begin{0};
    std::vector<StepRow> rows; ///< of the shapes, each in ascending order of items

    [[nodiscard]] std::size_t shape_count() const { return shape_begin.size() - 1; }
    [[nodiscard]] std::span<const StepRow> shape(std::uint32_t number) const
    {
        return std::span(rows).subspan(shape_begin[number],
                                       shape_begin[number + 1] - shape_begin[number]);
    }
    /// The rows of a step, where they really are.
    [[nodiscard]] std::vector<StepRow> rows_of(const Step& step) const;
    [[nodiscard]] std::int64_t accesses() const;
};

/// A row of a shape in the place that a step moves it to.
[[nodiscard]] StepRow moved(StepRow row, const StepChunk::Step& step);

/// Most rows in a step, and most steps in a chunk, that a file may hold.
inline constexpr std::size_t most_rows = std::size_t{1} << 21;
inline constexpr std::size_t most_steps = std::size_t{1} << 20;

[[nodiscard]] ByteWriter encode(const StepChunk& chunk);
/// How many objects there are for accesses of each kind; 0 where the kind may not occur.
using ObjectCounts = std::array<std::size_t, 4>;

/// Throws std::out_of_range, with words, for anything that encode() cannot have written, and for
/// accesses of other kinds or objects.
[[nodiscard]] StepChunk decode_steps(std::string_view bytes, const ObjectCounts& objects);

} // namespace texelscope::traces
