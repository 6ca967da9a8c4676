#include "gui/ranking_panel.hpp"

#include "gui/empty_hint.hpp"
#include "gui/number_text.hpp"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QVBoxLayout>

namespace texelscope {

RankingPanel::RankingPanel(QWidget* parent)
    : QWidget(parent), model_(new RankingModel(this)), filter_(new RankingFilter(this)), text_(new QLineEdit),
      count_(new QLabel), table_(new QTableView)
{
    text_->setObjectName("ranking_filter");
    text_->setAccessibleName(tr("Filter of the ranking"));
    text_->setPlaceholderText(tr("Filter: words that must all occur, e.g. block4 8x8"));
    text_->setClearButtonEnabled(true);

    filter_->setSourceModel(model_);
    table_->setObjectName("ranking_table");
    table_->setAccessibleName(tr("Ranking of the configurations"));
    table_->setModel(filter_);
    table_->setSortingEnabled(true);
    table_->sortByColumn(RankingModel::rank_column, Qt::AscendingOrder);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setAlternatingRowColors(true);
    table_->setTabKeyNavigation(false);
    table_->setWordWrap(false);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    table_->setToolTip(tr("Double click or Enter runs a configuration"));

    hint_while_empty(*table_, [this] {
        return model_->rowCount() == 0
                   ? tr("No ranking yet.\nTick \"Rank all configurations\" in the study and run it (F5).")
                   : tr("No configuration has all of these words.\nClear the filter to see them all.");
    });

    auto* row = new QHBoxLayout;
    row->addWidget(text_, 1);
    row->addWidget(count_);
    auto* layout = new QVBoxLayout(this);
    layout->addLayout(row);
    layout->addWidget(table_, 1);

    connect(text_, &QLineEdit::textChanged, this, [this](const QString& text) {
        filter_->set_filter(text);
        show_count();
    });
    connect(table_, &QTableView::activated, this, &RankingPanel::choose);
}

void RankingPanel::show_study(const StudyRequest& request, const Ranking& ranking)
{
    std::vector<std::string> names;
    for (const Tensor& tensor : request.op.inputs) {
        names.push_back(tensor.name);
    }
    model_->set_ranking(ranking, std::move(names));
    table_->resizeColumnsToContents();
    show_count();
    const int row = model_->row_of(request.schedule);
    if (row >= 0) {
        const QModelIndex own = filter_->mapFromSource(model_->index(row, 0));
        table_->setCurrentIndex(own);
        table_->scrollTo(own, QAbstractItemView::PositionAtCenter);
    } else {
        table_->clearSelection();
    }
}

void RankingPanel::show_count()
{
    const Ranking& ranking = model_->ranking();
    count_->setText(tr("%1 of %2 configurations").arg(count_text(filter_->rowCount()), count_text(ranking.space)));
}

void RankingPanel::choose(const QModelIndex& index)
{
    const QModelIndex source = filter_->mapToSource(index);
    if (source.isValid()) {
        emit configuration_chosen(model_->ranking().best[static_cast<std::size_t>(source.row())].schedule);
    }
}

} // namespace texelscope
