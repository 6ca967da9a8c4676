#include "cli/ranked_table.hpp"

#include "base/number_text.hpp"
#include "cli/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace texelscope::cli {

std::string ranked_table(const std::vector<RankedRow>& rows, const std::string& judged,
                         const std::string& order)
{
    if (rows.empty()) {
        return "";
    }
    Cells header{"rank", "configuration"};
    std::vector<Cells> cells;
    for (const RankedRow& row : rows) {
        cells.push_back({std::to_string(cells.size() + 1), row.config});
    }
    std::string below;
    const auto add = [&](const std::string& judge, const std::string& order_of_alike,
                         const auto& time, std::int64_t RankedRow::*alike) {
        // The column of ties is left out where there are none.
        const bool ties =
            std::ranges::any_of(rows, [&](const RankedRow& row) { return row.*alike > 1; });
        header.push_back(judge);
        if (ties) {
            header.emplace_back("alike");
            below += fmt::format("alike: so many configurations are {} to take this long; {}\n",
                                 judge, order_of_alike);
        }
        for (std::size_t i = 0; i < rows.size(); ++i) {
            cells[i].push_back(time(rows[i]));
            if (ties) {
                cells[i].push_back(rows[i].*alike > 1 ? count_text(rows[i].*alike) : "");
            }
        }
    };
    if (rows.front().predicted) {
        const auto time = [](const RankedRow& row) {
            return row.predicted ? human_time(row.predicted->value) : std::string("-");
        };
        add("predicted", "the " + judged + " times order them", time, &RankedRow::predicted_alike);
    }
    add(
        judged, order,
        [](const RankedRow& row) { return (row.rough ? "~" : "") + human_time(row.time.value); },
        &RankedRow::alike);
    if (std::ranges::any_of(rows, &RankedRow::rough)) {
        below += "~: roughly, by the first work-groups of one core alone\n";
    }
    return format_table(header, cells) + below;
}

} // namespace texelscope::cli
