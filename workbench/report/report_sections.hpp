#pragma once

#include "workbench/report/judged_configurations.hpp"
#include "workbench/study/study.hpp"

#include <string>

namespace texelscope::workbench::report {

// The sections of the report; each returns one or more well-formed <section> elements.

/// Heat maps of reads and misses of every image.
[[nodiscard]] std::string heat_map_section(const StudyResult& study);
/// Cross-block strides of each image, the fitted weights, and the product of both, which is the
/// predicted time.
[[nodiscard]] std::string histogram_section(const StudyResult& study);
/// The prediction level by level.
[[nodiscard]] std::string prediction_section(const StudyResult& study);
/// Errors of the fits.
[[nodiscard]] std::string calibration_section(const StudyResult& study);
/// The best configurations by the model. Empty without a ranking.
[[nodiscard]] std::string ranking_section(const StudyResult& study);
/// Counters of both modes of the simulator, and where the cycles went.
[[nodiscard]] std::string simulation_section(const StudyResult& study);
/// What each judge would choose, what sets its choice apart from others, and how well the judges
/// agree.
[[nodiscard]] std::string choices_section(const JudgedConfigurations& judged);
/// <figure> elements, one for each pair of judges: the times of one against those of the other.
[[nodiscard]] std::string agreement_figures(const CrosscheckResult& crosscheck);
/// The three judges' table.
[[nodiscard]] std::string crosscheck_section(const CrosscheckResult& crosscheck,
                                             const Schedule& schedule);
/// The time of a row on the device as text, marked where it is wall-clock time.
[[nodiscard]] std::string measured_text(const CrosscheckRow& row);
/// Every value of the device's profile with its source.
[[nodiscard]] std::string device_section(const StudyResult& study);

} // namespace texelscope::workbench::report
