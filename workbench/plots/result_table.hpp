#pragma once

#include "base/layers.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace texelscope::workbench::plots {

/// A table of results. A value is a word, a count or a number.
struct ResultTable {
    using Value = std::variant<std::string, std::int64_t, double>;
    std::vector<std::string> columns;
    std::vector<std::vector<Value>> rows; ///< one value for each column
};
/// CSV: a header line, then a line for each row. Numbers have as many digits as tell them from all
/// others; words with a comma are quoted.
[[nodiscard]] std::string to_csv(const ResultTable& table);

} // namespace texelscope::workbench::plots
