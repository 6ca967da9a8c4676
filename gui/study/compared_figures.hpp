#pragma once

#include "gui/study/key_figures.hpp"

namespace texelscope::gui {

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

/// A's figures in their order, each beside B's of that name in the group of that title; figures that only B has follow in
/// their groups.
[[nodiscard]] std::vector<ComparedFigures> compared_figures(const std::vector<KeyFigures>& a,
                                                            const std::vector<KeyFigures>& b);

/// "+12.5 %", "−3 %", "same", "× 2.5" from twice on; empty where B is zero and A is not.
[[nodiscard]] QString change_text(double a, double b);

} // namespace texelscope::gui
