#include "gui/ranking/ranking_panel.hpp"

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "experiments/space/tunable_parameters.hpp"
#include "gui/ranking/condition_edit.hpp"
#include "gui/ranking/ranking_scatter.hpp"
#include "gui/widgets/named_widget.hpp"
#include "gui/widgets/note_page.hpp"
#include "gui/widgets/note_text.hpp"
#include "gui/widgets/number_text.hpp"
#include "gui/widgets/row_table.hpp"

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QInputDialog>
#include <QLabel>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QShortcut>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace texelscope::gui {
namespace {

QStringList words_to_complete(const Operator& op)
{
    QStringList words;
    for (const std::string& name : parameter_names(op)) {
        words << QString::fromStdString(name);
        for (const std::string& word : parameter_words(name)) {
            words << QStringLiteral("'%1'").arg(QString::fromStdString(word));
        }
    }
    words.removeDuplicates();
    words.sort();
    return words;
}

} // namespace

RankingPanel::RankingPanel(QWidget* parent)
    : QWidget(parent), model_(new RankingModel(this)), selection_(new SelectedConfigurations(this)),
      table_(new QTableView), splitter_(new QSplitter), scatter_(new RankingScatter),
      rank_job_({.progressed =
                     [this](const QString& stage, double fraction) {
                         progress_->setValue(static_cast<int>(std::lround(fraction * progress_->maximum())));
                         show_note(stage);
                     },
                 .finished = [this](const std::shared_ptr<Ranked>& ranked) { show_ranked(*ranked); },
                 .failed = [this](const QString& line) { end_with(line, true); },
                 .cancelled = [this] { end_with(tr("Cancelled."), false); }}),
      arrange_job_(
          {.progressed = [](const QString&, double) {},
           .finished =
               [this](const std::shared_ptr<std::vector<std::size_t>>& shown) { show_arranged(std::move(*shown)); },
           .failed = [this](const QString& line) { refuse_filter(line); },
           .cancelled = [] {}}),
      simulate_job_({.progressed =
                         [this](const QString& stage, double fraction) {
                             progress_->setValue(static_cast<int>(std::lround(fraction * progress_->maximum())));
                             show_note(stage);
                             take_simulated();
                         },
                     .finished =
                         [this](const std::shared_ptr<SimulatedCount>& count) {
                             take_simulated();
                             arrange(); // by the new times, where they are what the rows are ordered by
                             const QString done =
                                 tr("%1 simulated").arg(count_text(static_cast<std::int64_t>(count->done)));
                             end_with(count->error.empty()
                                          ? count->stopped ? tr("Cancelled: %1.").arg(done) : done + u'.'
                                          : tr("%1; not all: %2").arg(done, QString::fromStdString(count->error)),
                                      !count->error.empty());
                         },
                     .failed = [this](const QString& line) { end_with(line, true); },
                     .cancelled = [this] { end_with(tr("Cancelled."), false); }}),
      store_job_({.progressed = [](const QString&, double) {},
                  .finished = [this](const std::shared_ptr<StoreTable>& table) { take_stored(*table); },
                  .failed = [this](const QString& line) { end_with(line, true); },
                  .cancelled = [this] { end_with(tr("Cancelled."), false); }})
{
    setObjectName("ranking_panel");
    build_table();
    splitter_->setObjectName("ranking_splitter");
    splitter_->setChildrenCollapsible(false);
    splitter_->addWidget(table_);
    splitter_->addWidget(scatter_);
    splitter_->setStretchFactor(0, 3);
    splitter_->setStretchFactor(1, 2);
    scatter_->hide();
    page_ = new NotePage(splitter_);

    auto* layout = new QVBoxLayout(this);
    layout->addWidget(build_filter_row());
    filter_error_ = named_with_tip(new QLabel, "ranking_filter_error", tr("What is wrong with the filter"));
    filter_error_->setToolTip({});
    filter_error_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred); // one line, the tool tip has all of it
    filter_error_->hide();
    layout->addWidget(filter_error_);
    layout->addWidget(build_tool_row());
    layout->addWidget(page_, 1);
    setTabOrder(filter_, table_); // what is filtered is looked at next
    setTabOrder(table_, variant_);
    connect_parts();
    show_state();
}

void RankingPanel::build_table()
{
    named_with_tip(table_, "ranking_table", tr("Ranking of the configurations"));
    table_->setToolTip({}); // cells have their own
    table_->setModel(model_);
    table_->setSortingEnabled(true);
    table_->horizontalHeader()->setSortIndicator(RankingColumn::rank, Qt::AscendingOrder);
    table_->horizontalHeader()->setHighlightSections(false);
    table_->horizontalHeader()->setResizeContentsPrecision(100);
    table_->horizontalHeader()->setContextMenuPolicy(Qt::CustomContextMenu);
    set_up_rows(*table_);
    table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
}

QWidget* RankingPanel::build_filter_row()
{
    filter_ =
        named_with_tip(new ConditionEdit, "ranking_filter", tr("Filter of the ranking"),
                       tr("Words that must all occur, or a condition as tune --where takes it: a text that compares "
                          "(==, !=, <, >) or names a parameter"));
    filter_->setPlaceholderText(tr("Filter: tile_x * tile_y <= 16 and pattern_1 != 'row', or words, e.g. block4 8x8"));
    filter_->setClearButtonEnabled(true);
    count_ = new QLabel;
    count_->setObjectName("ranking_count");
    auto* row = new QWidget;
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(filter_, 1);
    layout->addWidget(count_);
    return row;
}

QWidget* RankingPanel::build_tool_row()
{
    variant_ = named_with_tip(new QComboBox, "ranking_variant", tr("Variant of the model that ranks"));
    for (const ModelVariant variant : all_model_variants) {
        variant_->addItem(QString::fromStdString(to_string(variant)));
    }
    auto* model_label = new QLabel(tr("&Model"));
    model_label->setBuddy(variant_);
    hide_pruned_ =
        named_with_tip(new QCheckBox(tr("Hide pr&uned")), "ranking_hide_pruned", tr("Hide pruned configurations"),
                       tr("Leave out what one of the chosen criteria of Romou excludes"));
    criteria_ = named_with_tip(new QPushButton(tr("by")), "ranking_criteria", tr("Criteria that prune"));
    criteria_menu_ = new QMenu(this);
    criteria_menu_->setToolTipsVisible(true);
    criteria_->setMenu(criteria_menu_);
    simulate_ = named_with_tip(new QPushButton(tr("Simulate selec&ted")), "ranking_simulate",
                               tr("Simulate the selected configurations"),
                               tr("Time the selected configurations on the simulated device, in the background"));
    more_ = named_with_tip(new QPushButton(tr("More")), "ranking_more", tr("Copy, export, stored times, columns"));
    plot_button_ =
        named_with_tip(new QPushButton(tr("&Plot")), "ranking_show_plot", tr("Plot two columns beside the table"));
    plot_button_->setCheckable(true);
    note_ = named_with_tip(new QLabel, "ranking_note", tr("State of the ranking"));
    note_->setToolTip({});
    note_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    note_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    progress_ = named_with_tip(new QProgressBar, "ranking_progress", tr("Progress"));
    progress_->setRange(0, 1000);
    progress_->setTextVisible(false);
    progress_->setMaximumWidth(8 * fontMetrics().height());
    cancel_ = named_with_tip(new QPushButton(tr("Cancel")), "ranking_cancel", tr("Cancel what is under way (Esc)"));
    build_menu();

    auto* row = new QWidget;
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(model_label);
    layout->addWidget(variant_);
    layout->addWidget(hide_pruned_);
    layout->addWidget(criteria_);
    layout->addWidget(simulate_);
    layout->addWidget(plot_button_);
    layout->addWidget(more_);
    layout->addWidget(progress_);
    layout->addWidget(cancel_);
    layout->addWidget(note_, 1);
    return row;
}

void RankingPanel::build_menu()
{
    auto* menu = new QMenu(this);
    menu->addAction(tr("&Copy selected rows\tCtrl+C"), this, &RankingPanel::copy);
    menu->addAction(tr("&Export the rows shown…"), this, [this] { ask_and_export(false); });
    menu->addAction(tr("Export the &selected rows…"), this, [this] { ask_and_export(true); });
    menu->addSeparator();
    menu->addAction(tr("&Take measured times from a store…"), this, [this] {
        const QString path = QFileDialog::getOpenFileName(this, tr("Take times from a store"));
        if (!path.isEmpty()) {
            asks_device_ = true;
            take_from_store(path);
        }
    });
    menu->addSeparator();
    columns_ = menu->addMenu(tr("Co&lumns"));
    more_->setMenu(menu);
    const QStringList titles{tr("&Predicted"), tr("&Simulated"),  tr("&Measured"),  tr("Pruned &by"),
                             tr("&Tile"),      tr("&Warp shape"), tr("Work-&group")};
    for (int i = 0; i < titles.size(); ++i) {
        const int column = RankingColumn::predicted + i;
        QAction* entry = columns_->addAction(titles[i]);
        entry->setCheckable(true);
        entry->setChecked(column != RankingColumn::pruned);
        connect(entry, &QAction::toggled, this,
                [this, column](bool shown) { table_->setColumnHidden(column, !shown); });
    }
    for (std::size_t c = 0; c < all_pruning_criteria.size(); ++c) {
        QAction* entry = criteria_menu_->addAction(QString::fromStdString(to_string(all_pruning_criteria[c])));
        entry->setCheckable(true);
        entry->setChecked(true);
        connect(entry, &QAction::toggled, this, [this] { arrange(); });
    }
}

void RankingPanel::connect_parts()
{
    connect(filter_, &QLineEdit::textChanged, this, [this] { read_filter(); });
    connect(variant_, &QComboBox::activated, this, &RankingPanel::rank);
    connect(hide_pruned_, &QCheckBox::toggled, this, [this] { arrange(); });
    connect(simulate_, &QPushButton::clicked, this, &RankingPanel::simulate_selected);
    connect(cancel_, &QPushButton::clicked, this, &RankingPanel::cancel);
    connect(plot_button_, &QPushButton::toggled, this, [this](bool shown) { scatter_->setVisible(shown); });
    connect(model_, &RankingModel::order_asked, this, [this](int column, Qt::SortOrder order) {
        order_.column = column;
        order_.descending = order == Qt::DescendingOrder;
        arrange();
    });
    connect(table_, &QTableView::activated, this,
            [this](const QModelIndex& index) { choose(shown()[static_cast<std::size_t>(index.row())]); });
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] { select_from_table(); });
    connect(table_->horizontalHeader(), &QHeaderView::customContextMenuRequested, this,
            [this](const QPoint& at) { columns_->popup(table_->horizontalHeader()->mapToGlobal(at)); });
    connect(scatter_, &RankingScatter::rows_selected, this, &RankingPanel::select_from_plot);
    connect(scatter_, &RankingScatter::activated, this, &RankingPanel::choose);
    connect(selection_, &SelectedConfigurations::changed, this, &RankingPanel::follow);
    auto* copy_key = new QShortcut(QKeySequence::Copy, table_);
    copy_key->setContext(Qt::WidgetShortcut);
    connect(copy_key, &QShortcut::activated, this, &RankingPanel::copy);
}

void RankingPanel::link(SelectedConfigurations& selection)
{
    disconnect(selection_, nullptr, this, nullptr);
    selection_ = &selection;
    connect(selection_, &SelectedConfigurations::changed, this, &RankingPanel::follow);
    follow();
}

void RankingPanel::show_study(const StudyResult& study)
{
    const bool other = !subject_ || !same_space(subject_->request, study.request);
    subject_ = Subject{study.request, study.calibration};
    if (other) {
        simulate_job_.drop();
        store_job_.drop();
        rank_job_.drop();
        arrange_job_.drop();
        early_.clear();
        selected_.clear();
        model_->set_rows({});
        scatter_->show_rows({}, {});
        variant_->setCurrentText(QString::fromStdString(to_string(study.request.variant)));
        filter_->set_names(words_to_complete(study.request.op));
        good_filter_ = order_.filter = {};
        show_note({});
    }
    if (const auto time = study.timed.time(study.options)) {
        add_time(RankingColumn::simulated, study.request.schedule, *time, "the study, whole launch");
    }
    if (study.ranking.evaluated > 0 && !rows().ranked && !rank_job_.running()) {
        rank();
    }
    show_state();
}

void RankingPanel::rank()
{
    if (!subject_) {
        return;
    }
    const ModelVariant variant = all_model_variants[static_cast<std::size_t>(variant_->currentIndex())];
    rank_job_.start([subject = *subject_, known = rows(), variant](const Progress& progress, const StopToken& stop) {
        constexpr double share =
            0.5; // of ranking; the rest is what pruning takes, which is known from the second time on
        const auto part = [&](double from, double to) {
            return [&progress, from, to](double done) { progress("ranking", from + (to - from) * done); };
        };
        Ranked ranked;
        const auto space = known.ranked ? known.ranked->space() : nullptr;
        ranked.space = std::make_shared<const RankedSpace>(
            ranked_space(subject.request, subject.calibration, variant, space, part(0, share), stop));
        ranked.pruning = known.pruning
                             ? known.pruning
                             : std::make_shared<const SpacePruning>(subject.request.op, ranked.space->space(),
                                                                    subject.request.device, part(share, 1), stop);
        return ranked;
    });
    progress_->setValue(0);
    show_note(tr("ranking"));
    show_state();
    emit started();
}

void RankingPanel::show_ranked(const Ranked& ranked)
{
    RankingRows next = rows();
    next.ranked = ranked.space;
    next.pruning = ranked.pruning;
    put_times(next, std::exchange(early_, {}));
    fresh_ = rows().ranked == nullptr;
    {
        const QScopedValueRollback marking(marking_, true);
        model_->set_rows(std::move(next));
    }
    show_criteria();
    read_filter();
    follow();
    end_with({}, false);
}

void RankingPanel::show_criteria()
{
    const auto actions = criteria_menu_->actions();
    for (std::size_t c = 0; c < all_pruning_criteria.size(); ++c) {
        QAction* entry = actions[static_cast<qsizetype>(c)];
        const std::string name = to_string(all_pruning_criteria[c]) + ": ";
        const auto& off = rows().pruning->off();
        const auto found =
            std::find_if(off.begin(), off.end(), [&](const std::string& line) { return line.starts_with(name); });
        entry->setEnabled(found == off.end());
        entry->setToolTip(found == off.end() ? entry->text() : QString::fromStdString(*found));
    }
}

void RankingPanel::read_filter()
{
    if (!rows().ranked) {
        return; // names of parameters depend on the operator
    }
    filter_refused_ = false;
    try {
        order_.filter = row_filter(filter_->text().toStdString(), rows().ranked->op());
        arrange();
    } catch (const std::exception& error) {
        refuse_filter(error.what());
    }
}

void RankingPanel::refuse_filter(const QString& line)
{
    arrange_job_.drop();
    order_.filter = good_filter_;
    filter_refused_ = true;
    const qsizetype column = line.indexOf(QStringLiteral("\", column "));
    const QString place = column < 0 ? line : tr("Column ") + line.mid(column + 10); // the text stands above
    set_note_text(*filter_error_, place, true);
    filter_error_->setToolTip(line);
    filter_error_->show();
    if (shown().empty()) {
        arrange(); // new rows: by the last filter that was good
    }
}

void RankingPanel::arrange()
{
    if (!rows().ranked) {
        return;
    }
    order_.hidden = 0;
    const auto actions = criteria_menu_->actions();
    for (std::size_t c = 0; hide_pruned_->isChecked() && c < all_pruning_criteria.size(); ++c) {
        const bool chosen = actions[static_cast<qsizetype>(c)]->isChecked();
        order_.hidden = static_cast<CriteriaSet>(order_.hidden | (chosen ? 1U : 0U) << c);
    }
    if (rows().size() <= quick_rows) {
        arrange_job_.cancel();
        try {
            show_arranged(arranged(rows(), order_));
        } catch (const Error& error) {
            refuse_filter(error.what());
        }
    } else {
        arrange_job_.start([rows = rows(), order = order_](const Progress&, const StopToken& stop) {
            return arranged(rows, order, stop);
        });
    }
}

void RankingPanel::show_arranged(std::vector<std::size_t> shown)
{
    good_filter_ = order_.filter;
    filter_error_->setVisible(filter_refused_);
    {
        const QScopedValueRollback marking(marking_, true);
        model_->show(std::move(shown));
    }
    if (fresh_) {
        fresh_ = false;
        table_->resizeColumnsToContents(); // by the rows in sight alone: others have more digits
        table_->setColumnWidth(RankingColumn::configuration,
                               table_->columnWidth(RankingColumn::configuration) +
                                   fontMetrics().horizontalAdvance(QStringLiteral("0000")));
        table_->setColumnHidden(RankingColumn::pruned,
                                !columns_->actions()[RankingColumn::pruned - RankingColumn::predicted]->isChecked());
    }
    mark_selection(true);
    scatter_->show_rows(rows(), model_->shown());
    show_state();
    emit rows_shown();
}

std::vector<std::size_t> RankingPanel::selected_rows() const
{
    std::vector<std::size_t> places;
    for (const QItemSelectionRange& range : table_->selectionModel()->selection()) { // an index for each cell is slow
        for (int row = range.top(); row <= range.bottom(); ++row) {
            places.push_back(static_cast<std::size_t>(row));
        }
    }
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    std::transform(places.begin(), places.end(), places.begin(), [this](std::size_t place) { return shown()[place]; });
    return places;
}

void RankingPanel::select_from_table()
{
    if (marking_) {
        return;
    }
    selected_ = selected_rows();
    std::sort(selected_.begin(), selected_.end());
    scatter_->select({selected_.begin(), selected_.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                 selected_.size(), SelectedConfigurations::most))});
    tell_selection();
    show_state();
}

void RankingPanel::select_from_plot(const std::vector<std::size_t>& rows)
{
    selected_ = rows;
    mark_selection(true);
    tell_selection();
    show_state();
}

void RankingPanel::tell_selection()
{
    std::vector<Schedule> schedules;
    for (std::size_t i = 0; i < std::min(selected_.size(), SelectedConfigurations::most); ++i) {
        schedules.push_back(rows().ranked->schedule(selected_[i]));
    }
    const QScopedValueRollback marking(marking_, true);
    selection_->set(std::move(schedules));
}

void RankingPanel::follow()
{
    if (marking_ || !rows().ranked) {
        return;
    }
    selected_.clear();
    for (const Schedule& schedule : selection_->schedules()) {
        const auto index = index_of(*rows().ranked->space(), schedule);
        const auto row = index ? rows().ranked->row_of(*index) : std::nullopt;
        if (row) {
            selected_.push_back(*row);
        }
    }
    std::sort(selected_.begin(), selected_.end());
    mark_selection(true);
    scatter_->select(selected_);
    show_state();
}

void RankingPanel::mark_selection(bool scroll)
{
    const QScopedValueRollback marking(marking_, true);
    std::vector<bool> wanted(rows().size());
    for (const std::size_t row : selected_) {
        wanted[row] = true;
    }
    QItemSelection selection;
    constexpr qsizetype most_ranges = 10'000; // more are slow to paint, and nobody can tell them apart
    const int last_column = std::max(0, model_->columnCount() - 1);
    for (std::size_t i = 0; !selected_.empty() && i < shown().size() && selection.size() < most_ranges; ++i) {
        const std::size_t begin = i;
        while (i < shown().size() && wanted[shown()[i]]) {
            ++i;
        }
        if (i > begin) {
            selection.append(QItemSelectionRange(model_->index(static_cast<int>(begin), 0),
                                                 model_->index(static_cast<int>(i) - 1, last_column)));
        }
    }
    table_->selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect);
    if (!selection.isEmpty()) {
        const QModelIndex first = selection.front().topLeft();
        table_->selectionModel()->setCurrentIndex(first.siblingAtColumn(RankingColumn::configuration),
                                                  QItemSelectionModel::NoUpdate);
        if (scroll) {
            table_->scrollTo(first);
        }
    }
}

void RankingPanel::put_times(RankingRows& rows, const std::vector<EarlyTime>& times) const
{
    auto simulated = std::make_shared<KnownTimes>(*rows.simulated);
    auto measured = std::make_shared<KnownTimes>(*rows.measured);
    for (const EarlyTime& time : times) {
        if (const auto index = index_of(*rows.ranked->space(), time.schedule)) {
            (time.column == RankingColumn::simulated ? *simulated : *measured)[*index] = time.time;
        }
    }
    rows.simulated = std::move(simulated);
    rows.measured = std::move(measured);
}

void RankingPanel::add_time(RankingColumn::Fixed column, const Schedule& schedule, Nanoseconds time,
                            const std::string& source)
{
    add_times({EarlyTime{column, schedule, {time.value, source}}});
}

void RankingPanel::add_times(std::vector<EarlyTime> times)
{
    if (!rows().ranked) {
        early_.insert(early_.end(), std::move_iterator(times.begin()), std::move_iterator(times.end()));
        return;
    }
    RankingRows next = rows();
    put_times(next, times);
    show_times(next);
}

void RankingPanel::add_measured(const Schedule& schedule, Nanoseconds time, const std::string& device)
{
    add_time(RankingColumn::measured, schedule, time, device);
}

void RankingPanel::add_times(const CrosscheckResult& result)
{
    std::vector<EarlyTime> times;
    for (const CrosscheckRow& row : result.rows) {
        times.push_back(
            {RankingColumn::simulated, row.schedule, {row.simulated.value, "the cross-check, whole launch"}});
        if (row.measured && row.checked) {
            times.push_back({RankingColumn::measured, row.schedule, {row.measured->value, "the cross-check's device"}});
        }
    }
    add_times(std::move(times));
}

void RankingPanel::show_times(const RankingRows& rows)
{
    model_->set_times(rows);
    scatter_->show_rows(model_->rows(), shown());
}

void RankingPanel::simulate_selected()
{
    const std::vector<std::size_t> chosen = selected_rows();
    if (!subject_ || chosen.empty()) {
        show_note(tr("Select rows first: what is selected is simulated."), true);
        return;
    }
    std::vector<std::int64_t> indices;
    for (const std::size_t row : chosen) {
        indices.push_back((*rows().ranked)[row].index);
    }
    inbox_ = std::make_shared<TimeInbox>();
    simulate_job_.start([request = subject_->request, space = rows().ranked->space(), indices = std::move(indices),
                         inbox = inbox_](const Progress& progress, const StopToken& stop) {
        return simulate_times(request.op, request.device, *space, indices, *inbox, progress, stop);
    });
    progress_->setValue(0);
    show_note(tr("simulating"));
    show_state();
    emit started();
}

void RankingPanel::take_simulated()
{
    const auto times = inbox_->take();
    if (times.empty()) {
        return;
    }
    auto known = std::make_shared<KnownTimes>(*rows().simulated);
    for (const auto& [index, ns] : times) {
        (*known)[index] = {ns, "simulated; a launch of more than a million warp accesses in parts"};
    }
    RankingRows next = rows();
    next.simulated = std::move(known);
    show_times(next);
}

void RankingPanel::take_from_store(const QString& path)
{
    if (!rows().ranked) {
        show_note(tr("Rank first (F5): stored times are put beside the rows."), true);
        return;
    }
    store_job_.start([path = path.toStdString()](const Progress& progress, const StopToken& stop) {
        return read_store(path, progress, stop);
    });
    show_note(tr("Reading %1").arg(QFileInfo(path).fileName()));
    show_state();
    emit started();
}

void RankingPanel::take_stored(const StoreTable& table)
{
    const StoredTimes stored = stored_times(table, rows().ranked->op());
    const QString file = QFileInfo(QString::fromStdString(table.path)).fileName();
    std::string device = device_with_most_times(stored);
    if (std::exchange(asks_device_, false) && stored.by_device.size() > 1) {
        QStringList names;
        for (const auto& [name, times] : stored.by_device) {
            names << QString::fromStdString(name);
        }
        const auto ranked = rows().ranked;
        bool chosen = false;
        device = QInputDialog::getItem(this, tr("Take times from a store"),
                                       tr("Several devices were measured. Take the times of"), names,
                                       static_cast<int>(names.indexOf(QString::fromStdString(device))), false, &chosen)
                     .toStdString();
        if (!chosen || rows().ranked != ranked) { // another study may have come while the question was open
            end_with({}, false);
            return;
        }
    }
    if (device.empty()) {
        end_with(tr("%1 has no measured time of %2 (%3 other rows); tune --on with --store makes some.")
                     .arg(file, QString::fromStdString(to_string(rows().ranked->op())),
                          count_text(static_cast<std::int64_t>(stored.others))),
                 true);
        return;
    }
    auto known = std::make_shared<KnownTimes>(*rows().measured);
    const std::string source = device + ", " + file.toStdString();
    std::size_t taken = 0;
    for (const auto& [schedule, ns] : stored.by_device.at(device)) {
        if (const auto index = index_of(*rows().ranked->space(), schedule)) {
            (*known)[*index] = {ns, source};
            ++taken;
        }
    }
    RankingRows next = rows();
    next.measured = std::move(known);
    show_times(next);
    arrange();
    end_with(tr("%1 measured times of %2 from %3.")
                 .arg(count_text(static_cast<std::int64_t>(taken)), QString::fromStdString(device), file),
             false);
}

void RankingPanel::cancel()
{
    if (simulate_job_.running()) {
        simulate_job_.finish_early();
    } else {
        store_job_.cancel();
        rank_job_.cancel();
    }
}

bool RankingPanel::running() const
{
    return rank_job_.running() || simulate_job_.running() || store_job_.running();
}

std::string RankingPanel::csv(bool selected_only) const
{
    return ranking_csv(rows(), selected_only ? selected_rows() : shown());
}

void RankingPanel::export_table(const std::string& path, bool selected_only) const
{
    write_file_atomically(path, csv(selected_only));
}

void RankingPanel::copy() const
{
    QGuiApplication::clipboard()->setText(QString::fromStdString(csv(true)));
}

void RankingPanel::ask_and_export(bool selected_only)
{
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Export the ranking"), "ranking.csv", tr("CSV tables (*.csv)"));
    if (path.isEmpty()) {
        return;
    }
    try {
        export_table(path.toStdString(), selected_only);
        show_note(tr("Wrote %1").arg(path));
    } catch (const std::exception& error) {
        show_note(error.what(), true);
    }
}

void RankingPanel::choose(std::size_t row)
{
    emit configuration_chosen(rows().ranked->schedule(row));
}

void RankingPanel::show_note(const QString& line, bool error)
{
    set_note_text(*note_, line, error);
    note_->setToolTip(line); // where it is longer than its place
}

void RankingPanel::show_count()
{
    const auto all = static_cast<std::int64_t>(rows().size());
    QString text = tr("%1 of %2").arg(count_text(std::ssize(shown())), count_text(all));
    if (!selected_.empty()) {
        text += tr(", %1 selected").arg(count_text(std::ssize(selected_)));
    }
    count_->setText(rows().ranked ? text : QString());
}

void RankingPanel::show_state()
{
    const bool some = rows().ranked != nullptr;
    variant_->setEnabled(subject_.has_value());
    if (some && !rank_job_.running()) {
        variant_->setCurrentText(QString::fromStdString(to_string(rows().ranked->variant())));
    }
    hide_pruned_->setEnabled(some);
    criteria_->setEnabled(some);
    simulate_->setEnabled(some && !selected_.empty());
    more_->setEnabled(some);
    progress_->setVisible(rank_job_.running() || simulate_job_.running());
    cancel_->setVisible(running());
    show_count();
    if (some && shown().empty() && !arrange_job_.running()) {
        page_->show_note(
            tr("No configuration is left. Clear the filter, or untick “Hide pruned” or some of its criteria."));
    } else if (some) {
        page_->show_view();
    } else if (rank_job_.running()) {
        page_->show_note(tr("Ranking…"));
    } else if (subject_) {
        page_->show_note(tr("The study did not rank. Choosing a model ranks the configurations."));
    } else {
        page_->show_note(tr("No study yet. F5 runs one and ranks its configurations."));
    }
}

void RankingPanel::end_with(const QString& line, bool error)
{
    show_note(line, error);
    show_state();
    emit ended();
}

} // namespace texelscope::gui
