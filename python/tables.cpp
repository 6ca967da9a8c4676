#include "python/tables.hpp"

#include "workbench/plots/html.hpp"

#include <fmt/format.h>

#include <variant>

namespace texelscope::python {
namespace {

nb::object to_python(const ResultTable::Value& value)
{
    const auto* const word = std::get_if<std::string>(&value);
    if (word != nullptr && word->empty()) {
        // An empty word in a table means that there is no value.
        return nb::none();
    }
    return std::visit([](const auto& held) -> nb::object { return nb::cast(held); }, value);
}

std::string text_of(const ResultTable::Value& value)
{
    const auto text = [](const auto& held) {
        if constexpr (std::is_floating_point_v<std::decay_t<decltype(held)>>) {
            return fmt::format("{:.6g}", held);
        } else {
            return fmt::format("{}", held);
        }
    };
    return std::visit(text, value);
}

} // namespace

ResultTable with_units_apart(ResultTable table)
{
    for (std::string& column : table.columns) {
        if (column.ends_with("_ns")) {
            column[column.size() - 3] = ' ';
        }
    }
    return table;
}

nb::list rows_of(const ResultTable& table)
{
    nb::list rows;
    for (const auto& row : table.rows) {
        nb::dict named;
        for (std::size_t column = 0; column < row.size(); ++column) {
            named[table.columns[column].c_str()] = to_python(row[column]);
        }
        rows.append(named);
    }
    return rows;
}

nb::object pandas()
{
    try {
        return nb::module_::import_("pandas");
    } catch (nb::python_error& error) {
        if (!error.matches(PyExc_ImportError)) {
            throw;
        }
        throw nb::import_error(
            "pandas is not there; install it with pip install pandas, or take rows");
    }
}

nb::object frame_of(const ResultTable& table)
{
    nb::list columns;
    for (const std::string& column : table.columns) {
        columns.append(nb::cast(column));
    }
    return pandas().attr("DataFrame")(rows_of(table), nb::arg("columns") = columns);
}

std::string html_of(const ResultTable& table, const std::string& heading)
{
    // Rows that a notebook shows; pandas shows as many.
    constexpr std::size_t most = 60;
    HtmlTable shown;
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
        const bool number =
            !table.rows.empty() && !std::holds_alternative<std::string>(table.rows.front()[column]);
        shown.columns.push_back({escape_html(table.columns[column]), number});
    }
    for (std::size_t row = 0; row < table.rows.size() && row < most; ++row) {
        auto& cells = shown.rows.emplace_back();
        for (const ResultTable::Value& value : table.rows[row]) {
            cells.push_back(escape_html(text_of(value)));
        }
    }
    const std::string rest = table.rows.size() > most
                                 ? fmt::format("<p>{} of {} rows</p>", most, table.rows.size())
                                 : std::string();
    return (heading.empty() ? "" : "<p>" + escape_html(heading) + "</p>") + to_html(shown) + rest;
}

} // namespace texelscope::python
