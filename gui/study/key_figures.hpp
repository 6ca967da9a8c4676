#pragma once

#include "experiments/study/study.hpp"

#include <QString>
#include <optional>
#include <vector>

namespace texelscope::gui {

/// docs/quantities.md has a text on each.
struct KeyFigure {
    QString name; ///< indented below what it is a part of
    QString value;
    std::optional<double> number = {}; ///< the value where a change of it can be told in percent
};
struct KeyFigures {
    QString title;
    std::vector<KeyFigure> figures;
};

/// The key of its text: without the indentation and without names of images.
[[nodiscard]] QString quantity_key(const KeyFigure& figure);

/// What a study found, in the order in which it is shown: caches, occupancy, time, the prediction level by level.
[[nodiscard]] std::vector<KeyFigures> key_figures(const StudyResult& study);
/// The same without the prediction.
[[nodiscard]] std::vector<KeyFigures> launch_figures(const LaunchResult& launch);

} // namespace texelscope::gui
