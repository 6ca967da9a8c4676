#pragma once

#include "gui/study/key_figures.hpp"

#include <QTreeWidget>

namespace texelscope::gui {

class Session;

/// The key figures of a study: caches, occupancy, time, the prediction level by level.
class ResultsPanel : public QTreeWidget {
    Q_OBJECT

public:
    explicit ResultsPanel(Session& session);

    /// Groups that the user closed stay closed.
    /// `others`: figures of another launch, which get a column beside, and one for the change; none: no such columns.
    void show_figures(const std::vector<KeyFigures>& groups, const std::vector<KeyFigures>& others = {});
};

} // namespace texelscope::gui
