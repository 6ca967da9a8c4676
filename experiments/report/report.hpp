#pragma once

#include "experiments/study/crosscheck.hpp"
#include "experiments/study/study.hpp"

#include <optional>
#include <string>

namespace texelscope::experiments {

/// One self-contained HTML file about a study: heat maps (PNG inside), histograms and scatter plots (SVG inside),
/// level-by-level prediction, ranking, kernel text, every setting with its source; works offline, light and dark.
[[nodiscard]] std::string html_report(const StudyResult& study, const std::optional<CrosscheckResult>& crosscheck,
                                      const std::string& opencl_device);

} // namespace texelscope::experiments
