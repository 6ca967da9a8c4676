#include "traces/steps_of_items.hpp"

#include "traces/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace texelscope {

void for_each_step(std::span<const TracedItem> items,
                   const std::function<void(bool reads, std::uint32_t step, std::span<const StepRow> rows)>& visit)
{
    struct Numbered {
        std::uint32_t step;
        StepRow row;
    };
    for (const bool reads : {true, false}) {
        std::vector<Numbered> all;
        for (const TracedItem& item : items) {
            std::uint32_t step = 0;
            for (const TracedAccess& access : item.accesses) {
                const bool is_read = access.kind == AccessKind::image_read;
                if (is_read == reads) {
                    all.push_back({step, row_of(item.item, access)});
                }
                step += is_read || !reads ? 1U : 0U;
            }
        }
        std::sort(all.begin(), all.end(), [](const Numbered& a, const Numbered& b) {
            return std::pair(a.step, a.row.item) < std::pair(b.step, b.row.item);
        });
        std::vector<StepRow> rows;
        for (std::size_t i = 0; i < all.size();) {
            rows.clear();
            const std::uint32_t step = all[i].step;
            for (; i < all.size() && all[i].step == step; ++i) {
                if (!rows.empty() && rows.back().item == all[i].row.item) {
                    throw bad_input(fmt::format("work-item {} is there twice in a group", rows.back().item));
                }
                rows.push_back(all[i].row);
            }
            visit(reads, step, rows);
        }
    }
}

} // namespace texelscope
