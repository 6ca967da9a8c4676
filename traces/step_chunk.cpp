#include "traces/step_chunk.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <utility>

namespace texelscope {
namespace {

// A chunk is closed from these sizes on: large enough to compress well, small enough to be read for one group.
constexpr std::size_t rows_wanted = std::size_t{1} << 17;
constexpr std::size_t steps_wanted = std::size_t{1} << 16;

std::int64_t plus(std::int64_t a, std::int64_t b)
{
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

std::int64_t minus(std::int64_t a, std::int64_t b)
{
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

bool is_image(AccessKind kind)
{
    return kind == AccessKind::image_read || kind == AccessKind::image_write;
}

std::uint32_t target_of(const StepRow& row)
{
    return std::uint32_t{static_cast<std::uint8_t>(row.kind)} << 16 | row.object;
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15U; // 2^64 over the golden ratio
    return hash ^ (hash >> 29);
}

std::uint64_t hash_of(std::span<const StepRow> rows)
{
    const StepRow& first = rows.front();
    std::uint64_t hash = rows.size();
    for (const StepRow& row : rows) {
        hash = mixed(hash, static_cast<std::uint64_t>(minus(row.x, first.x)) ^
                               static_cast<std::uint64_t>(std::int64_t{row.y} - first.y) << 24);
        hash = mixed(hash, static_cast<std::uint64_t>(row.item) ^ std::uint64_t{target_of(row)} << 32 ^
                               static_cast<std::uint64_t>(std::int64_t{row.z} - first.z) << 20);
    }
    return hash;
}

/// Whether both do the same from place to place.
bool same_shape(std::span<const StepRow> a, std::span<const StepRow> b)
{
    if (a.size() != b.size()) {
        return false;
    }
    const std::int64_t x = minus(b.front().x, a.front().x);
    const std::int64_t y = std::int64_t{b.front().y} - a.front().y;
    const std::int64_t z = std::int64_t{b.front().z} - a.front().z;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i].item != b[i].item || a[i].kind != b[i].kind || a[i].object != b[i].object ||
            a[i].bytes != b[i].bytes || minus(b[i].x, a[i].x) != x || std::int64_t{b[i].y} - a[i].y != y ||
            std::int64_t{b[i].z} - a[i].z != z) {
            return false;
        }
    }
    return true;
}

/// The distance at which most shapes of the steps come again.
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

void require(bool holds, const char* what)
{
    if (!holds) {
        throw std::out_of_range(what);
    }
}

template <class Number>
Number narrow(std::int64_t value, const char* what)
{
    require(std::in_range<Number>(value), what);
    return static_cast<Number>(value);
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
    put(out, chunk.steps, steps, [](const auto& s) { return s.y; });
    put(out, chunk.steps, steps, [](const auto& s) { return s.z; });
    std::vector<std::int64_t> sizes;
    for (std::size_t i = 0; i < chunk.shape_count(); ++i) {
        sizes.push_back(std::int64_t{chunk.shape_begin[i + 1]} - chunk.shape_begin[i]);
    }
    out.column(sizes, next);
    // The row of the same item in the shape before, where all shapes are as large as the first one.
    const std::array<std::size_t, 2> rows{1, sizes.empty() ? 1 : static_cast<std::size_t>(sizes.front())};
    put(out, chunk.rows, rows, [](const StepRow& r) { return std::int64_t{r.item}; });
    put(out, chunk.rows, rows, [](const StepRow& r) { return std::int64_t{target_of(r)}; });
    put(out, chunk.rows, rows, [](const StepRow& r) { return r.x; });
    put(out, chunk.rows, rows, [](const StepRow& r) { return std::int64_t{r.y}; });
    put(out, chunk.rows, rows, [](const StepRow& r) { return std::int64_t{r.z}; });
    put(out, chunk.rows, rows, [](const StepRow& r) { return std::int64_t{r.bytes}; });
    return out;
}

StepChunk decode_steps(std::string_view bytes)
{
    ByteReader in(bytes);
    const std::size_t segments = in.u32();
    const std::size_t steps = in.u32();
    const std::size_t shapes = in.u32();
    const std::size_t rows = in.u32();
    require(steps <= most_steps && rows <= most_rows && segments <= steps && shapes <= steps && shapes <= rows,
            "its counts are too large");
    StepChunk chunk;
    const auto groups = in.column(segments);
    const auto counts = in.column(segments);
    std::int64_t counted = 0;
    for (std::size_t i = 0; i < segments; ++i) {
        require(groups[i] >= 0 && groups[i] < std::numeric_limits<std::int64_t>::max() &&
                    (i == 0 || groups[i] > groups[i - 1]),
                "its groups do not ascend");
        require(counts[i] > 0 && counts[i] <= static_cast<std::int64_t>(steps), "a group has no steps");
        counted += counts[i];
        chunk.segments.push_back({groups[i], static_cast<std::uint32_t>(counts[i])});
    }
    require(counted == static_cast<std::int64_t>(steps), "its groups do not have its steps");
    const auto numbers = in.column(steps);
    const auto used = in.column(steps);
    const auto x = in.column(steps);
    const auto y = in.column(steps);
    const auto z = in.column(steps);
    for (std::size_t i = 0; i < steps; ++i) {
        require(used[i] >= 0 && used[i] < static_cast<std::int64_t>(shapes), "a step has a shape that is not there");
        chunk.steps.push_back({narrow<std::uint32_t>(numbers[i], "a step's number is out of range"),
                               static_cast<std::uint32_t>(used[i]), x[i], y[i], z[i]});
    }
    std::size_t step = 0;
    for (const StepChunk::Segment& segment : chunk.segments) {
        for (std::uint32_t i = 1; i < segment.steps; ++i) {
            require(chunk.steps[step + i].number > chunk.steps[step + i - 1].number, "its steps do not ascend");
        }
        step += segment.steps;
    }
    std::int64_t end = 0;
    for (const std::int64_t size : in.column(shapes)) {
        require(size > 0 && size <= static_cast<std::int64_t>(rows) - end, "a shape has rows that are not there");
        end += size;
        chunk.shape_begin.push_back(static_cast<std::uint32_t>(end));
    }
    require(end == static_cast<std::int64_t>(rows), "its shapes do not have its rows");
    const auto items = in.column(rows);
    const auto targets = in.column(rows);
    const auto row_x = in.column(rows);
    const auto row_y = in.column(rows);
    const auto row_z = in.column(rows);
    const auto sizes = in.column(rows);
    require(in.left() == 0, "it goes on behind its end");
    constexpr const char* range = "a row is out of range";
    for (std::size_t i = 0; i < rows; ++i) {
        require(items[i] >= 0 && targets[i] >= 0 && targets[i] < std::int64_t{4} << 16, range);
        const auto kind = static_cast<AccessKind>(targets[i] >> 16);
        require(!is_image(kind) || std::in_range<std::int32_t>(row_x[i]), range);
        chunk.rows.push_back({narrow<std::int32_t>(items[i], range), kind,
                              static_cast<std::uint16_t>(targets[i] & 0xffff), row_x[i],
                              narrow<std::int32_t>(row_y[i], range), narrow<std::int32_t>(row_z[i], range),
                              narrow<std::int32_t>(sizes[i], range)});
    }
    for (std::uint32_t s = 0; s < shapes; ++s) {
        const auto shape = chunk.shape(s);
        for (std::size_t i = 1; i < shape.size(); ++i) {
            require(shape[i].item > shape[i - 1].item, "the items of a step do not ascend");
        }
    }
    return chunk;
}

std::uint32_t StepChunkBuilder::shape_of(std::span<const StepRow> rows)
{
    const std::uint64_t hash = hash_of(rows);
    const auto [begin, end] = shapes_.equal_range(hash);
    for (auto known = begin; known != end; ++known) {
        if (same_shape(chunk_.shape(known->second), rows)) {
            return known->second;
        }
    }
    const auto number = static_cast<std::uint32_t>(chunk_.shape_count());
    chunk_.rows.insert(chunk_.rows.end(), rows.begin(), rows.end());
    chunk_.shape_begin.push_back(static_cast<std::uint32_t>(chunk_.rows.size()));
    shapes_.emplace(hash, number);
    return number;
}

void StepChunkBuilder::add(std::int64_t group, std::uint32_t step, std::span<const StepRow> rows)
{
    const std::uint32_t number = shape_of(rows);
    const StepRow& known = chunk_.shape(number).front();
    if (chunk_.segments.empty() || chunk_.segments.back().group != group) {
        chunk_.segments.push_back({group, 0});
    }
    ++chunk_.segments.back().steps;
    chunk_.steps.push_back({step, number, minus(rows.front().x, known.x), std::int64_t{rows.front().y} - known.y,
                            std::int64_t{rows.front().z} - known.z});
}

bool StepChunkBuilder::full() const
{
    return chunk_.rows.size() >= rows_wanted || chunk_.steps.size() >= steps_wanted;
}

StepChunk StepChunkBuilder::take()
{
    shapes_.clear();
    return std::exchange(chunk_, {});
}

} // namespace texelscope
