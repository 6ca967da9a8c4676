// Encodes and decodes the chunks that hold steps; traces/FORMAT.md has the layout. Whatever a
// damaged file may say is checked here (require()), so that callers can index by what they get.

#include "traces/native/step_chunk.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <utility>

namespace texelscope::traces {
namespace {

std::int64_t plus(std::int64_t a, std::int64_t b)
{
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

/// The distance at which most shapes of the steps come again: the period of the loop that made
/// them. As the distance of a column, it makes most differences 0.
std::size_t step_period(std::span<const StepChunk::Step> steps)
{
    const std::size_t sample = std::min<std::size_t>(steps.size(), 2048);
    std::size_t best = 1;
    std::size_t best_count = 0;
    for (std::size_t period = 1; period <= std::min<std::size_t>(sample / 2, 512); ++period) {
        std::size_t count = 0;
        for (std::size_t i = period; i < sample; ++i) {
            count += steps[i].shape == steps[i - period].shape ? 1U : 0U;
        }
        if (count * sample > best_count * (sample + sample / 64)) { // shorter periods are better
            best = period;
            best_count = count;
        }
        if (count == sample - period) {
            break;
        }
    }
    return best;
}

// Writes a column of one member of all elements.
template <class Range, class Get>
void put(ByteWriter& out, const Range& range, std::span<const std::size_t> distances, Get get)
{
    std::vector<std::int64_t> values;
    values.reserve(range.size());
    for (const auto& one : range) {
        values.push_back(get(one));
    }
    out.column(values, distances);
}

std::vector<StepChunk::Segment> read_segments(ByteReader& in, std::size_t count, std::size_t steps)
{
    std::vector<StepChunk::Segment> segments;
    const auto groups = in.column(count);
    const auto counts = in.column(count);
    std::int64_t left = static_cast<std::int64_t>(steps);
    for (std::size_t i = 0; i < count; ++i) {
        require(groups[i] >= 0 && groups[i] < std::numeric_limits<std::int64_t>::max() &&
                    (i == 0 || groups[i] > groups[i - 1]),
                "its groups do not ascend");
        require(counts[i] > 0 && counts[i] <= left, "a group has steps that are not there");
        segments.push_back({groups[i], static_cast<std::uint32_t>(counts[i]),
                            static_cast<std::uint32_t>(static_cast<std::int64_t>(steps) - left)});
        left -= counts[i];
    }
    require(left == 0, "its groups do not have its steps");
    return segments;
}

std::vector<StepChunk::Step> read_steps(ByteReader& in, std::size_t count, std::size_t shapes)
{
    std::vector<StepChunk::Step> steps;
    steps.reserve(count);
    ColumnBlocks columns(in, 5, count);
    while (columns.next()) {
        const std::int64_t* const number = columns[0];
        const std::int64_t* const shape = columns[1];
        const std::int64_t* const x = columns[2];
        const std::int64_t* const y = columns[3];
        const std::int64_t* const z = columns[4];
        for (std::size_t i = 0; i < columns.size(); ++i) {
            require(std::in_range<std::uint32_t>(number[i]), "a step's number is out of range");
            require(shape[i] >= 0 && shape[i] < static_cast<std::int64_t>(shapes),
                    "a step has a shape that is not there");
            steps.push_back({static_cast<std::uint32_t>(number[i]),
                             static_cast<std::uint32_t>(shape[i]), x[i],
                             static_cast<std::int32_t>(y[i]), static_cast<std::int32_t>(z[i])});
        }
    }
    return steps;
}

std::vector<std::uint32_t> read_shapes(ByteReader& in, std::size_t count, std::size_t rows)
{
    std::vector<std::uint32_t> begin{0};
    begin.reserve(count + 1);
    for (const std::int64_t size : in.column(count)) {
        require(size > 0 && size <= static_cast<std::int64_t>(rows - begin.back()),
                "a shape has rows that are not there");
        begin.push_back(begin.back() + static_cast<std::uint32_t>(size));
    }
    require(begin.back() == rows, "its shapes do not have its rows");
    return begin;
}

/// Everything about a row is checked while it is at hand, for there are many.
std::vector<StepRow> read_rows(ByteReader& in, std::span<const std::uint32_t> shape_begin,
                               const ObjectCounts& objects)
{
    const std::size_t count = shape_begin.back();
    std::vector<StepRow> rows;
    rows.reserve(count);
    std::size_t next_shape = 0;
    std::int64_t last_item = 0;
    ColumnBlocks columns(in, 6, count);
    while (columns.next()) {
        const std::int64_t* const item = columns[0];
        const std::int64_t* const target = columns[1];
        const std::int64_t* const x = columns[2];
        const std::int64_t* const y = columns[3];
        const std::int64_t* const z = columns[4];
        const std::int64_t* const bytes = columns[5];
        for (std::size_t i = 0; i < columns.size(); ++i) {
            // A target is the kind of access in the bits from 16 on, and the object below them.
            const auto kind = static_cast<AccessKind>(target[i] >> 16);
            const auto fits = [](std::int64_t value) { return std::in_range<std::int32_t>(value); };
            require(item[i] >= 0 && fits(item[i]) && target[i] >= 0 &&
                        target[i] < std::int64_t{4} << 16 && (fits(x[i]) || !is_image(kind)) &&
                        fits(y[i]) && fits(z[i]) && fits(bytes[i]),
                    "a row is out of range");
            const auto object = static_cast<std::size_t>(target[i] & 0xffff);
            require(object < objects[static_cast<std::size_t>(kind)],
                    "an access is of another kind, or names an object that its launch has not");
            const std::size_t row = columns.begin() + i;
            // At the first row of a shape, items begin anew.
            if (row == shape_begin[next_shape]) {
                ++next_shape; // there is one more entry than shapes
            } else {
                require(item[i] > last_item, "the items of a step do not ascend");
            }
            last_item = item[i];
            rows.push_back({static_cast<std::int32_t>(item[i]), kind,
                            static_cast<std::uint16_t>(object), x[i],
                            static_cast<std::int32_t>(y[i]), static_cast<std::int32_t>(z[i]),
                            static_cast<std::int32_t>(bytes[i])});
        }
    }
    return rows;
}

} // namespace

StepRow row_of(std::int32_t item, const TracedAccess& access)
{
    if (is_image(access.kind)) {
        return {item, access.kind, access.object, access.x, access.y, access.z, 0};
    }
    return {item, access.kind, access.object, access.offset, 0, 0, access.bytes};
}

TracedAccess access_of(const StepRow& row)
{
    TracedAccess access;
    access.kind = row.kind;
    access.object = row.object;
    if (is_image(row.kind)) {
        access.x = static_cast<std::int32_t>(row.x);
        access.y = row.y;
        access.z = row.z;
    } else {
        access.offset = row.x;
        access.bytes = row.bytes;
    }
    return access;
}

StepRow moved(StepRow row, const StepChunk::Step& step)
{
    row.x = plus(row.x, step.x);
    if (is_image(row.kind)) {
        row.x = static_cast<std::int32_t>(row.x); // modulo 2^32
    }
    row.y = static_cast<std::int32_t>(plus(row.y, step.y));
    row.z = static_cast<std::int32_t>(plus(row.z, step.z));
    return row;
}

std::vector<StepRow> StepChunk::rows_of(const Step& step) const
{
    std::vector<StepRow> placed;
    for (const StepRow& row : shape(step.shape)) {
        placed.push_back(moved(row, step));
    }
    return placed;
}

std::int64_t StepChunk::accesses() const
{
    std::int64_t sum = 0;
    for (const Step& step : steps) {
        sum += shape_begin[step.shape + 1] - shape_begin[step.shape];
    }
    return sum;
}

ByteWriter encode(const StepChunk& chunk)
{
    ByteWriter out;
    out.u32(static_cast<std::uint32_t>(chunk.segments.size()));
    out.u32(static_cast<std::uint32_t>(chunk.steps.size()));
    out.u32(static_cast<std::uint32_t>(chunk.shape_count()));
    out.u32(static_cast<std::uint32_t>(chunk.rows.size()));
    const std::array<std::size_t, 1> next{1};
    put(out, chunk.segments, next, [](const auto& s) { return s.group; });
    put(out, chunk.segments, next, [](const auto& s) { return std::int64_t{s.steps}; });
    const std::array<std::size_t, 2> steps{1, step_period(chunk.steps)};
    put(out, chunk.steps, next, [](const auto& s) { return std::int64_t{s.number}; });
    put(out, chunk.steps, steps, [](const auto& s) { return std::int64_t{s.shape}; });
    put(out, chunk.steps, steps, [](const auto& s) { return s.x; });
    put(out, chunk.steps, steps, [](const auto& s) { return std::int64_t{s.y}; });
    put(out, chunk.steps, steps, [](const auto& s) { return std::int64_t{s.z}; });
    std::vector<std::int64_t> sizes;
    for (std::size_t i = 0; i < chunk.shape_count(); ++i) {
        sizes.push_back(std::int64_t{chunk.shape_begin[i + 1]} - chunk.shape_begin[i]);
    }
    out.column(sizes, next);
    // The row of the same item in the shape before, where all shapes are as large as the first one.
    const std::array<std::size_t, 2> rows{
        1, sizes.empty() ? 1 : static_cast<std::size_t>(sizes.front())};
    put(out, chunk.rows, rows, [](const StepRow& r) { return std::int64_t{r.item}; });
    put(out, chunk.rows, rows, [](const StepRow& r) { return std::int64_t{target_of(r)}; });
    put(out, chunk.rows, rows, [](const StepRow& r) { return r.x; });
    put(out, chunk.rows, rows, [](const StepRow& r) { return std::int64_t{r.y}; });
    put(out, chunk.rows, rows, [](const StepRow& r) { return std::int64_t{r.z}; });
    put(out, chunk.rows, rows, [](const StepRow& r) { return std::int64_t{r.bytes}; });
    return out;
}

StepChunk decode_steps(std::string_view bytes, const ObjectCounts& objects)
{
    ByteReader in(bytes);
    const std::size_t segments = in.u32();
    const std::size_t steps = in.u32();
    const std::size_t shapes = in.u32();
    const std::size_t rows = in.u32();
    require(steps <= most_steps && rows <= most_rows && segments <= steps && shapes <= steps &&
                shapes <= rows,
            "its counts are too large");
    StepChunk chunk;
    chunk.segments = read_segments(in, segments, steps);
    chunk.steps = read_steps(in, steps, shapes);
    std::size_t step = 0;
    for (const StepChunk::Segment& segment : chunk.segments) {
        for (std::uint32_t i = 1; i < segment.steps; ++i) {
            require(chunk.steps[step + i].number > chunk.steps[step + i - 1].number,
                    "its steps do not ascend");
        }
        step += segment.steps;
    }
    chunk.shape_begin = read_shapes(in, shapes, rows);
    chunk.rows = read_rows(in, chunk.shape_begin, objects);
    require(in.left() == 0, "it goes on behind its end");
    return chunk;
}

} // namespace texelscope::traces
