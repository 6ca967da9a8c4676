#pragma once

#include "workbench/study/study.hpp"

#include <QString>
#include <QTreeWidget>
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

/// What a study found, in the order in which it is shown: caches, occupancy, time, the prediction
/// level by level.
[[nodiscard]] std::vector<KeyFigures> key_figures(const StudyResult& study);
/// The same without the prediction.
[[nodiscard]] std::vector<KeyFigures> launch_figures(const LaunchResult& launch);

/// A figure of two launches.
struct ComparedFigure {
    QString name;
    QString a;
    QString b;      ///< empty where B has no such figure
    QString change; ///< from B to A, in percent; empty where there is none to tell
};
struct ComparedFigures {
    QString title;
    std::vector<ComparedFigure> figures;
};

/// A's figures in their order, each beside B's of that name in the group of that title; figures
/// that only B has follow in their groups.
[[nodiscard]] std::vector<ComparedFigures> compared_figures(const std::vector<KeyFigures>& a,
                                                            const std::vector<KeyFigures>& b);

/// "+12.5 %", "−3 %", "same", "× 2.5" from twice on; empty where B is zero and A is not.
[[nodiscard]] QString change_text(double a, double b);

class Session;

/// The key figures of a study: caches, occupancy, time, the prediction level by level.
class ResultsPanel : public QTreeWidget {
    Q_OBJECT

public:
    explicit ResultsPanel(Session& session);

    /// Groups that the user closed stay closed. `others`: figures of another launch, which get a
    /// column beside, and one for the change; none: no such columns.
    void show_figures(const std::vector<KeyFigures>& groups,
                      const std::vector<KeyFigures>& others = {});
};

} // namespace texelscope::gui
