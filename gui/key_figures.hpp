#pragma once

#include "experiments/study.hpp"

#include <QString>
#include <optional>
#include <vector>

namespace texelscope {

struct KeyFigure {
    QString name;
    QString value;
    QString about;                     ///< one sentence, for a tool tip; may be empty
    std::optional<double> number = {}; ///< the value where a change of it can be told in percent
};
struct KeyFigures {
    QString title;
    std::vector<KeyFigure> figures;
};

/// What a study found, in the order in which it is shown: caches, occupancy, time, the prediction level by level.
[[nodiscard]] std::vector<KeyFigures> key_figures(const StudyResult& study);
/// The same without the prediction.
[[nodiscard]] std::vector<KeyFigures> launch_figures(const LaunchResult& launch);

} // namespace texelscope
