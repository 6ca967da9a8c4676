#include "workbench/report/html_tables.hpp"

#include "base/number_text.hpp"

#include <algorithm>

namespace texelscope::workbench::report {
namespace {

std::string cell_text(const std::string& column, const ResultTable::Value& value)
{
    if (const auto* const count = std::get_if<std::int64_t>(&value)) {
        return column.starts_with("bytes") ? bytes_text(Bytes{*count}) : count_text(*count);
    }
    if (const auto* const number = std::get_if<double>(&value)) {
        return column.ends_with("ns") ? time_text(Nanoseconds{*number}) : percent_text(*number);
    }
    const std::string& word = std::get<std::string>(value);
    return word.empty() ? std::string(dash) : escape_html(word);
}

} // namespace

HtmlTable html_table(const ResultTable& table)
{
    HtmlTable html;
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
        const std::string& name = table.columns[column];
        const bool number = std::ranges::any_of(table.rows, [&](const auto& row) {
            return !std::holds_alternative<std::string>(row[column]);
        });
        html.columns.push_back(
            {escape_html(name == "ns"            ? "time"
                         : name.ends_with("_ns") ? name.substr(0, name.size() - 3)
                                                 : name),
             number});
    }
    for (const auto& row : table.rows) {
        auto& cells = html.rows.emplace_back();
        for (const ResultTable::Value& value : row) {
            cells.push_back(cell_text(table.columns[cells.size()], value));
        }
    }
    return html;
}

} // namespace texelscope::workbench::report
