#pragma once

#include "workbench/report/judged_configurations.hpp"
#include "workbench/study/study.hpp"

#include <optional>
#include <string>

namespace texelscope::workbench::report {

/// One self-contained HTML file about a study: what the judges would take, heat maps (PNG inside),
/// histograms and scatter plots (SVG inside), level-by-level prediction, ranking, kernel text,
/// every setting with its source; works offline, light and dark.
[[nodiscard]] std::string html_report(const StudyResult& study,
                                      const std::optional<JudgedConfigurations>& judged,
                                      const std::string& opencl_device);

} // namespace texelscope::workbench::report
