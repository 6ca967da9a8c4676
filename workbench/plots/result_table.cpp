#include "workbench/plots/result_table.hpp"

#include "base/csv.hpp"

#include <fmt/format.h>

namespace texelscope::workbench::plots {
namespace {

struct CsvText {
    std::string operator()(const std::string& word) const { return csv_field(word); }
    std::string operator()(std::int64_t count) const { return fmt::format("{}", count); }
    std::string operator()(double number) const { return fmt::format("{}", number); }
};

} // namespace

std::string to_csv(const ResultTable& table)
{
    std::string out;
    // Every value is followed by a comma; the end of the line takes the place of the last.
    const auto end_line = [&] { out.back() = '\n'; };
    for (const std::string& column : table.columns) {
        out += csv_field(column) + ",";
    }
    end_line();
    for (const auto& row : table.rows) {
        for (const ResultTable::Value& value : row) {
            out += std::visit(CsvText{}, value) + ",";
        }
        end_line();
    }
    return out;
}

} // namespace texelscope::workbench::plots
