#include "traces/native/steps_of_items.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

namespace texelscope::traces {
namespace {

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

void for_each_step(std::span<const TracedItem> items,
                   const std::function<void(bool reads, std::uint32_t step, std::span<const StepRow> rows)>& visit)
{
    refuse_twice(items);
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
