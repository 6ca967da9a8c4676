#pragma once

#include "workbench/plots/result_table.hpp"

#include <nlohmann/json.hpp>

#include <optional>

namespace texelscope::workbench::report {

using nlohmann::ordered_json;

/// An array of what `json_of` makes of each item.
template <class Items, class JsonOf>
[[nodiscard]] ordered_json json_list(const Items& items, const JsonOf& json_of)
{
    ordered_json list = ordered_json::array();
    for (const auto& item : items) {
        list.push_back(json_of(item));
    }
    return list;
}

/// The value, or null where there is none.
template <class Value>
[[nodiscard]] ordered_json json_or_null(const std::optional<Value>& value)
{
    return value ? ordered_json(*value) : ordered_json();
}

/// An array with an object for each row, whose members are named as the columns.
[[nodiscard]] inline ordered_json rows_json(const ResultTable& table)
{
    return json_list(table.rows, [&](const std::vector<ResultTable::Value>& row) {
        ordered_json one = ordered_json::object();
        for (std::size_t i = 0; i < row.size(); ++i) {
            one[table.columns[i]] =
                std::visit([](const auto& value) { return ordered_json(value); }, row[i]);
        }
        return one;
    });
}

} // namespace texelscope::workbench::report
