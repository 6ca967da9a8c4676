#pragma once

#include "experiments/shared/experiment_result.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace texelscope::test {
using namespace experiments;

/// The one finding whose claim starts with these words.
inline Finding finding_of(const std::vector<Finding>& findings, const std::string& start)
{
    const auto starts = [&](const Finding& finding) { return finding.claim.starts_with(start); };
    if (std::count_if(findings.begin(), findings.end(), starts) != 1) {
        throw std::runtime_error("not one finding starts with: " + start);
    }
    return *std::find_if(findings.begin(), findings.end(), starts);
}

/// The cells of a CSV without quotes, header first.
inline std::vector<std::vector<std::string>> csv_cells(const std::string& text)
{
    std::vector<std::vector<std::string>> rows;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream cells(line);
        rows.emplace_back();
        for (std::string cell; std::getline(cells, cell, ',');) {
            rows.back().push_back(cell);
        }
    }
    return rows;
}

} // namespace texelscope::test
