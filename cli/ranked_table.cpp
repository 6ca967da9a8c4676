#include "cli/ranked_table.hpp"

#include "base/number_text.hpp"
#include "cli/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace texelscope::cli {

std::string ranked_table(const std::vector<RankedRow>& rows, const std::string& order)
{
    if (rows.empty()) {
        return "";
    }
    const std::vector<JudgedTime>& judges = rows.front().times;
    std::vector<bool> ties;
    Cells header{"rank", "configuration"};
    std::string below;
    for (std::size_t judge = 0; judge < judges.size(); ++judge) {
        ties.push_back(std::ranges::any_of(rows, [&](const RankedRow& row) { return row.times[judge].alike > 1; }));
        header.push_back(judges[judge].judge);
        if (ties.back()) {
            header.emplace_back("alike");
            below +=
                fmt::format("alike: so many configurations are {} to take this long; {}\n", judges[judge].judge,
                            judge + 1 < judges.size() ? "the " + judges.back().judge + " times order them" : order);
        }
    }
    std::vector<Cells> cells;
    for (const RankedRow& row : rows) {
        Cells& line = cells.emplace_back(Cells{std::to_string(cells.size() + 1), row.config});
        for (std::size_t judge = 0; judge < judges.size(); ++judge) {
            const JudgedTime& said = row.times[judge];
            line.push_back(said.time ? human_time(said.time->value) : "-");
            if (ties[judge]) {
                line.push_back(said.alike > 1 ? count_text(said.alike) : "");
            }
        }
    }
    return format_table(header, cells) + below;
}

} // namespace texelscope::cli
