#include "gui/ranking/ranking_table.hpp"

#include "gui/widgets/controls.hpp"
#include "gui/widgets/table.hpp"

#include <QHeaderView>
#include <QMenu>
#include <QScopedValueRollback>
#include <QShortcut>
#include <algorithm>

namespace texelscope::gui {

RankingTable::RankingTable() : model_(new RankingModel(this))
{
    named(this, "ranking_table", tr("Ranking of the configurations"));
    setModel(model_);
    setSortingEnabled(true);
    horizontalHeader()->setSortIndicator(RankingColumn::rank, Qt::AscendingOrder);
    horizontalHeader()->setHighlightSections(false);
    // The times come first and are always in sight; a configuration without room is cut in its
    // middle, and its tool tip has all.
    horizontalHeader()->moveSection(RankingColumn::configuration, RankingColumn::measured);
    setTextElideMode(Qt::ElideMiddle);
    horizontalHeader()->setResizeContentsPrecision(100);
    horizontalHeader()->setContextMenuPolicy(Qt::CustomContextMenu);
    set_up_rows(*this);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    connect(model_, &RankingModel::order_asked, this, &RankingTable::order_asked);
    connect(this, &QTableView::activated, this, [this](const QModelIndex& index) {
        emit row_activated(model_->shown()[static_cast<std::size_t>(index.row())]);
    });
    connect(selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        if (!marking_) {
            std::vector<std::size_t> rows = selected();
            std::sort(rows.begin(), rows.end());
            emit rows_selected(rows);
        }
    });
    auto* copy_key = new QShortcut(QKeySequence::Copy, this);
    copy_key->setContext(Qt::WidgetShortcut);
    connect(copy_key, &QShortcut::activated, this, &RankingTable::copy_asked);
}

void RankingTable::add_columns_to(QMenu& menu)
{
    columns_ = &menu;
    const QStringList titles{tr("&Predicted"),       tr("&Simulated"),
                             tr("&Measured"),        tr("&Registers, compiled"),
                             tr("W&arps, compiled"), tr("Sp&ills, compiled"),
                             tr("Pruned &by"),       tr("&Tile"),
                             tr("&Warp shape"),      tr("Work-&group")};
    for (int i = 0; i < titles.size(); ++i) {
        const int column = RankingColumn::predicted + i;
        QAction* entry = menu.addAction(titles[i]);
        entry->setCheckable(true);
        // Columns for which there is nothing to show yet.
        const bool later = column == RankingColumn::measured || is_compiled(column);
        entry->setChecked(column != RankingColumn::pruned && !later);
        connect(entry, &QAction::toggled, this,
                [this, column](bool shown) { setColumnHidden(column, !shown); });
    }
    connect(horizontalHeader(), &QHeaderView::customContextMenuRequested, this,
            [this](const QPoint& at) { columns_->popup(horizontalHeader()->mapToGlobal(at)); });
}

void RankingTable::set_rows(RankingRows rows)
{
    fresh_ = fresh_ || model_->rows().ranked == nullptr;
    const QScopedValueRollback marking(marking_, true);
    model_->set_rows(std::move(rows));
    show_measured();
}

void RankingTable::set_known(const RankingRows& rows)
{
    model_->set_known(rows);
    show_measured();
}

void RankingTable::show_measured()
{
    if (!measured_ && !model_->rows().measured->empty()) {
        measured_ = true;
        entry_of(RankingColumn::measured).setChecked(true);
        fit_configurations();
    }
}

void RankingTable::show_rows(std::vector<std::size_t> shown, const std::vector<std::size_t>& marked)
{
    {
        const QScopedValueRollback marking(marking_, true);
        model_->show(std::move(shown));
    }
    if (std::exchange(fresh_, false)) {
        fit_columns();
    }
    select(marked); // and the first rows stay in sight, wherever the marked are
}

void RankingTable::fit_columns()
{
    resizeColumnsToContents(); // by the rows in sight alone: others have more digits
    longest_ = columnWidth(RankingColumn::configuration) +
               fontMetrics().horizontalAdvance(QStringLiteral("0000"));
    for (int column = RankingColumn::predicted; column < RankingColumn::first_pattern; ++column) {
        setColumnHidden(column, !entry_of(column).isChecked());
    }
    fit_configurations();
}

// The configuration takes what room the columns before it leave, between a short and its longest
// text.
void RankingTable::fit_configurations()
{
    if (longest_ == 0) {
        return;
    }
    int before = columnWidth(RankingColumn::rank);
    for (int column = RankingColumn::predicted; column <= RankingColumn::measured; ++column) {
        before += isColumnHidden(column) ? 0 : columnWidth(column);
    }
    const int least =
        fontMetrics().horizontalAdvance(QStringLiteral("A=block2,block2;T=…;G=16x16x1"));
    setColumnWidth(RankingColumn::configuration,
                   std::clamp(viewport()->width() - before, std::min(least, longest_), longest_));
}

void RankingTable::resizeEvent(QResizeEvent* event)
{
    QTableView::resizeEvent(event);
    fit_configurations();
}

QAction& RankingTable::entry_of(int column) const
{
    return *columns_->actions()[column - RankingColumn::predicted];
}

void RankingTable::show_compiled()
{
    constexpr std::array columns{RankingColumn::registers, RankingColumn::warps,
                                 RankingColumn::spills};
    if (std::ranges::none_of(columns,
                             [this](int column) { return entry_of(column).isChecked(); })) {
        for (const int column : columns) {
            entry_of(column).setChecked(true);
        }
        scrollTo(currentIndex().siblingAtColumn(RankingColumn::spills));
    }
}

std::vector<std::size_t> RankingTable::selected() const
{
    std::vector<std::size_t> places;
    // By ranges: asking the model for an index of each cell is slow.
    for (const QItemSelectionRange& range : selectionModel()->selection()) {
        for (int row = range.top(); row <= range.bottom(); ++row) {
            places.push_back(static_cast<std::size_t>(row));
        }
    }
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    std::transform(places.begin(), places.end(), places.begin(),
                   [this](std::size_t place) { return model_->shown()[place]; });
    return places;
}

void RankingTable::mark(const std::vector<std::size_t>& rows)
{
    if (const QModelIndex first = select(rows); first.isValid()) {
        scrollTo(first);
    }
}

QModelIndex RankingTable::select(const std::vector<std::size_t>& rows)
{
    const QScopedValueRollback marking(marking_, true);
    const std::vector<std::size_t>& shown = model_->shown();
    std::vector<bool> wanted(model_->rows().size());
    for (const std::size_t row : rows) {
        wanted[row] = true;
    }
    QItemSelection selection;
    // Most ranges that are selected: more are slow to paint, and nobody can tell them apart.
    constexpr qsizetype most_ranges = 10'000;
    const int last_column = std::max(0, model_->columnCount() - 1);
    for (std::size_t i = 0; !rows.empty() && i < shown.size() && selection.size() < most_ranges;
         ++i) {
        const std::size_t begin = i;
        while (i < shown.size() && wanted[shown[i]]) {
            ++i;
        }
        if (i > begin) {
            selection.append(
                QItemSelectionRange(model_->index(static_cast<int>(begin), 0),
                                    model_->index(static_cast<int>(i) - 1, last_column)));
        }
    }
    selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect);
    if (selection.isEmpty()) {
        return {};
    }
    const QModelIndex first = selection.front().topLeft();
    const bool follows = hasAutoScroll();
    // Setting the current index would scroll to it.
    setAutoScroll(false);
    selectionModel()->setCurrentIndex(first.siblingAtColumn(RankingColumn::configuration),
                                      QItemSelectionModel::NoUpdate);
    setAutoScroll(follows);
    return first;
}

} // namespace texelscope::gui
