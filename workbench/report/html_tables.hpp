#pragma once

#include "workbench/plots/html.hpp"
#include "workbench/plots/result_table.hpp"

namespace texelscope::workbench::report {

/// A table of results as a page shows it: times (columns that end with _ns, or "ns", shown without
/// that) and bytes (columns that begin with "bytes") in fitting units, other fractions in percent,
/// a dash for no value.
[[nodiscard]] HtmlTable html_table(const ResultTable& table);

} // namespace texelscope::workbench::report
