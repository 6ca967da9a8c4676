// Finds, for each step of a group, a shape that an earlier step of the chunk had elsewhere, and
// notes only by how much it moved. Loops of regular kernels so take a few numbers for each step,
// whatever the number of work-items.

#include "traces/native/step_chunk_builder.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

namespace texelscope::traces {
namespace {

// A chunk is closed from these sizes on: large enough to compress well, small enough to be read for
// one group.
constexpr std::size_t rows_wanted = std::size_t{1} << 17;
constexpr std::size_t steps_wanted = std::size_t{1} << 16;

std::int64_t minus(std::int64_t a, std::int64_t b)
{
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15U; // 2^64 over the golden ratio
    return hash ^ (hash >> 29);
}

// Coordinates enter relative to those of the first row, so that moved copies have the same hash.
std::uint64_t hash_of(std::span<const StepRow> rows)
{
    const StepRow& first = rows.front();
    std::uint64_t hash = rows.size();
    for (const StepRow& row : rows) {
        hash = mixed(hash, static_cast<std::uint64_t>(minus(row.x, first.x)) ^
                               static_cast<std::uint64_t>(std::int64_t{row.y} - first.y) << 24);
        hash =
            mixed(hash, static_cast<std::uint64_t>(row.item) ^ std::uint64_t{target_of(row)} << 32 ^
                            static_cast<std::uint64_t>(std::int64_t{row.z} - first.z) << 20);
    }
    return hash;
}

/// Whether `b` is `a` moved as a whole: the same items, objects and sizes, and all coordinates
/// apart by the same distance.
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
            a[i].bytes != b[i].bytes || minus(b[i].x, a[i].x) != x ||
            std::int64_t{b[i].y} - a[i].y != y || std::int64_t{b[i].z} - a[i].z != z) {
            return false;
        }
    }
    return true;
}

/// Goes over the image reads of a work-item, or over its other accesses.
class Cursor {
public:
    Cursor(const TracedItem& item, bool reads) : item_(&item), reads_(reads) { skip(); }

    [[nodiscard]] bool at_end() const { return position_ == item_->accesses.size(); }
    [[nodiscard]] std::uint32_t step() const { return step_; }
    [[nodiscard]] StepRow row() const { return row_of(item_->item, item_->accesses[position_]); }
    void advance()
    {
        ++position_;
        ++step_;
        skip();
    }

    /// Whether it comes behind another one.
    bool operator>(const Cursor& other) const
    {
        return std::tie(step_, item_->item) > std::tie(other.step_, other.item_->item);
    }

private:
    void skip()
    {
        while (!at_end() && (item_->accesses[position_].kind == AccessKind::image_read) != reads_) {
            ++position_;
            step_ += reads_ ? 0U : 1U; // of other accesses, the step counts all
        }
    }

    const TracedItem* item_;
    bool reads_;
    std::size_t position_ = 0;
    std::uint32_t step_ = 0;
};

void refuse_twice(std::span<const TracedItem> items)
{
    std::vector<std::int32_t> numbers;
    for (const TracedItem& item : items) {
        numbers.push_back(item.item);
    }
    std::sort(numbers.begin(), numbers.end());
    const auto twice = std::adjacent_find(numbers.begin(), numbers.end());
    if (twice != numbers.end()) {
        throw bad_input(fmt::format("work-item {} is there twice in a group", *twice));
    }
}

} // namespace

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
        chunk_.segments.push_back({group, 0, static_cast<std::uint32_t>(chunk_.steps.size())});
    }
    ++chunk_.segments.back().steps;
    chunk_.steps.push_back({step, number, minus(rows.front().x, known.x),
                            // modulo 2^32
                            static_cast<std::int32_t>(std::int64_t{rows.front().y} - known.y),
                            static_cast<std::int32_t>(std::int64_t{rows.front().z} - known.z)});
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

void for_each_step(
    std::span<const TracedItem> items,
    const std::function<void(bool reads, std::uint32_t step, std::span<const StepRow> rows)>& visit)
{
    refuse_twice(items);
    // The cursors of all items are merged by step, then by item.
    for (const bool reads : {true, false}) {
        std::priority_queue<Cursor, std::vector<Cursor>, std::greater<>> next;
        for (const TracedItem& item : items) {
            if (const Cursor cursor(item, reads); !cursor.at_end()) {
                next.push(cursor);
            }
        }
        std::vector<StepRow> rows;
        while (!next.empty()) {
            rows.clear();
            const std::uint32_t step = next.top().step();
            while (!next.empty() && next.top().step() == step) {
                Cursor cursor = next.top();
                next.pop();
                rows.push_back(cursor.row());
                cursor.advance();
                if (!cursor.at_end()) {
                    next.push(cursor);
                }
            }
            visit(reads, step, rows);
        }
    }
}

} // namespace texelscope::traces
