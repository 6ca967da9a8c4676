#pragma once

#include "experiments/study.hpp"
#include "gui/ranking_model.hpp"

#include <QWidget>

class QLabel;
class QLineEdit;
class QTableView;

namespace texelscope {

/// The ranked configurations: sortable, with a filter. A double click or Enter asks to run one.
class RankingPanel : public QWidget {
    Q_OBJECT

public:
    explicit RankingPanel(QWidget* parent = nullptr);

    /// Shows the study's ranking and selects its own configuration where that is in it.
    void show_study(const StudyRequest& request, const Ranking& ranking);
    [[nodiscard]] const Ranking& ranking() const { return model_->ranking(); }

signals:
    void configuration_chosen(const texelscope::Schedule& schedule);

private:
    void choose(const QModelIndex& index);
    void show_count();

    RankingModel* model_;
    RankingFilter* filter_;
    QLineEdit* text_;
    QLabel* count_;
    QTableView* table_;
};

} // namespace texelscope
