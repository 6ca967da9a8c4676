#pragma once

#include "traces/byte_columns.hpp"
#include "traces/trace_record.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace texelscope {

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

/// Steps of work-groups, in order of group and step. The rows of a step are those of its shape, moved: most steps of
/// regular programs do what an earlier one did, elsewhere.
struct StepChunk {
    struct Segment {
        std::int64_t group = 0;
        std::uint32_t steps = 0;
    };
    struct Step {
        std::uint32_t number = 0;
        std::uint32_t shape = 0;
        std::int64_t x = 0; ///< added to that of every row of the shape; modulo 2^64, and 2^32 for texels
        std::int64_t y = 0;
        std::int64_t z = 0;
    };
    std::vector<Segment> segments;
    std::vector<Step> steps;
    std::vector<std::uint32_t> shape_begin{0}; ///< index of a shape's first row; one more at the end
    std::vector<StepRow> rows;                 ///< of the shapes, each in ascending order of items

    [[nodiscard]] std::size_t shape_count() const { return shape_begin.size() - 1; }
    [[nodiscard]] std::span<const StepRow> shape(std::uint32_t number) const
    {
        return std::span(rows).subspan(shape_begin[number], shape_begin[number + 1] - shape_begin[number]);
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
/// Throws std::out_of_range, with words, for anything that encode() cannot have written.
[[nodiscard]] StepChunk decode_steps(std::string_view bytes);

/// Puts steps together. Groups ascend, and the steps within a group.
class StepChunkBuilder {
public:
    void add(std::int64_t group, std::uint32_t step, std::span<const StepRow> rows);
    [[nodiscard]] bool full() const;
    [[nodiscard]] bool empty() const { return chunk_.steps.empty(); }
    [[nodiscard]] StepChunk take();

private:
    std::uint32_t shape_of(std::span<const StepRow> rows);

    StepChunk chunk_;
    std::unordered_multimap<std::uint64_t, std::uint32_t> shapes_; ///< by hash
};

} // namespace texelscope
