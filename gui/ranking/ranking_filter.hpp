#pragma once

#include "gui/ranking/ranking_rows.hpp"

#include <QLineEdit>
#include <QWidget>

class QCheckBox;
class QCompleter;
class QLabel;
class QMenu;
class QStringListModel;

namespace texelscope::gui {

/// A line for conditions that completes the name under the cursor, not the whole line.
class ConditionEdit : public QLineEdit {
    Q_OBJECT

public:
    explicit ConditionEdit(QWidget* parent = nullptr);

    /// What can be completed: names of parameters, words in quotes.
    void set_names(const QStringList& names);
    [[nodiscard]] QCompleter& completer_of_names() { return *completer_; }

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    /// Where the name or quoted word that ends at the cursor begins.
    [[nodiscard]] int begin_of_name() const;
    void complete();
    void insert(const QString& name);

    QStringListModel* names_;
    QCompleter* completer_;
};

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
    void show_count(const RankingRows& rows, std::size_t shown, std::size_t selected);
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
