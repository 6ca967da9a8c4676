#pragma once

#include "gui/ranking/ranked_space.hpp"
#include "gui/ranking/row_filter.hpp"

#include <QWidget>

class QCheckBox;
class QLabel;
class QMenu;
class QPushButton;

namespace texelscope::gui {

class ConditionEdit;

/// A line of conditions or words, how many rows it leaves, and below it what is wrong with it.
class RankingFilter : public QWidget {
    Q_OBJECT

public:
    RankingFilter();

    /// Conditions on its parameters are completed from now on.
    void set_operator(const Operator& op);
    /// What is written. Throws bad_input, with the column, for a condition that is malformed.
    [[nodiscard]] RowFilter read(const Operator& op);
    /// What is written cannot be applied: the rows are those of the filter before.
    void refuse(const QString& line);
    /// Rows are shown, by what is written or, after refuse(), by the filter before.
    void show_count(const QString& count);
    void show_applied();
    [[nodiscard]] QWidget* line() const;

signals:
    void changed();

private:
    ConditionEdit* filter_;
    QLabel* count_;
    QLabel* error_;
    bool refused_ = false; ///< what is written is not what the rows are filtered by
};

/// Whether configurations that Romou's criteria exclude are hidden, and by which of the criteria.
class PruningChoice : public QWidget {
    Q_OBJECT

public:
    PruningChoice();

    /// The criteria by which rows are to be hidden.
    [[nodiscard]] CriteriaSet hidden() const;
    /// Criteria that are off cannot be chosen.
    void show_criteria(const SpacePruning& pruning);

signals:
    void changed();

private:
    QCheckBox* hide_;
    QMenu* criteria_;
};

} // namespace texelscope::gui
