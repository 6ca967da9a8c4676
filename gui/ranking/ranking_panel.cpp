#include "gui/ranking/ranking_panel.hpp"

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "gui/ranking/ranking_filter.hpp"
#include "gui/ranking/ranking_scatter.hpp"
#include "gui/ranking/ranking_table.hpp"
#include "gui/ranking/ranking_times.hpp"
#include "gui/study/session.hpp"
#include "gui/widgets/controls.hpp"

#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QSplitter>
#include <algorithm>

namespace texelscope::gui {

RankingPanel::RankingPanel(Session& session)
    : session_(session), table_(new RankingTable),
      times_(new RankingTimes(
          session, [this]() -> const RankingRows& { return rows(); }, *this)),
      filter_(new RankingFilter), pruning_(new PruningChoice), scatter_(new RankingScatter),
      rank_job_({.progressed = [this](const QString& stage, double fraction) { show_progress(stage, fraction); },
                 .finished = [this](const std::shared_ptr<RankedAndPruned>& ranked) { show_ranked(*ranked); },
                 .failed = [this](const QString& line) { end_with(line, true); },
                 .cancelled = [this] { end_with(tr("Cancelled."), false); }}),
      arrange_job_(
          {.progressed = {},
           .finished =
               [this](const std::shared_ptr<std::vector<std::size_t>>& shown) { show_arranged(std::move(*shown)); },
           .failed = [this](const QString& line) { refuse_filter(line); },
           .cancelled = {}})
{
    setObjectName("ranking_panel");
    auto* splitter = named(new QSplitter, "ranking_splitter", {});
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(table_);
    splitter->addWidget(scatter_);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    scatter_->hide();
    page_ = new NotePage(splitter);

    auto* layout = new QVBoxLayout(this);
    layout->addWidget(filter_);
    layout->addWidget(build_tool_row());
    layout->addWidget(page_, 1);
    setTabOrder(filter_->line(), table_); // what is filtered is looked at next
    setTabOrder(table_, variant_);
    connect_parts();
    show_state();
}

QWidget* RankingPanel::build_tool_row()
{
    variant_ = named_with_tip(new QComboBox, "ranking_variant", tr("Variant of the model that ranks"));
    for (const ModelVariant variant : all_model_variants) {
        variant_->addItem(QString::fromStdString(to_string(variant)));
    }
    simulate_ = push_button(tr("Simulate selec&ted"), "ranking_simulate", tr("Simulate the selected configurations"),
                            tr("Time the selected configurations on the simulated device, in the background"));
    more_ = push_button(tr("More"), "ranking_more", tr("Copy, export, stored times, columns"));
    plot_button_ = push_button(tr("&Plot"), "ranking_show_plot", tr("Plot two columns beside the table"));
    plot_button_->setCheckable(true);
    note_ = text_label("ranking_note", tr("State of the ranking"), true);
    progress_ = progress_bar("ranking_progress", tr("Progress"));
    progress_->setTextVisible(false);
    progress_->setMaximumWidth(8 * fontMetrics().height());
    cancel_ = push_button(tr("Cancel"), "ranking_cancel", tr("Cancel what is under way (Esc)"));
    build_menu();

    auto* row = new QWidget;
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    for (QWidget* control : std::initializer_list<QWidget*>{label_for(tr("&Model"), variant_), variant_, pruning_,
                                                            simulate_, plot_button_, more_, progress_, cancel_}) {
        layout->addWidget(control);
    }
    layout->addWidget(note_, 1);
    return row;
}

void RankingPanel::build_menu()
{
    auto* menu = new QMenu(this);
    const auto copy = [this] { QGuiApplication::clipboard()->setText(QString::fromStdString(csv(true))); };
    menu->addAction(tr("&Copy selected rows\tCtrl+C"), this, copy);
    menu->addAction(tr("&Export the rows shown…"), this, [this] { ask_and_export(false); });
    menu->addAction(tr("Export the &selected rows…"), this, [this] { ask_and_export(true); });
    menu->addSeparator();
    menu->addAction(tr("&Take measured times from a store…"), times_, &RankingTimes::ask_and_take_from_store);
    menu->addSeparator();
    table_->add_columns_to(*menu->addMenu(tr("Co&lumns")));
    more_->setMenu(menu);
    connect(table_, &RankingTable::copy_asked, this, copy);
}

void RankingPanel::connect_parts()
{
    connect(filter_, &RankingFilter::changed, this, &RankingPanel::read_filter);
    connect(variant_, &QComboBox::activated, this, &RankingPanel::rank);
    connect(pruning_, &PruningChoice::changed, this, &RankingPanel::arrange);
    connect(simulate_, &QPushButton::clicked, this, &RankingPanel::simulate_selected);
    connect(cancel_, &QPushButton::clicked, this, &RankingPanel::cancel);
    connect(plot_button_, &QPushButton::toggled, scatter_, &QWidget::setVisible);
    connect(table_, &RankingTable::order_asked, this, [this](int column, Qt::SortOrder order) {
        order_.column = column;
        order_.descending = order == Qt::DescendingOrder;
        arrange();
    });
    connect(table_, &RankingTable::rows_selected, this, [this](const std::vector<std::size_t>& rows) {
        scatter_->select({rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(
                                                           std::min(rows.size(), SelectedConfigurations::most))});
        select(rows);
    });
    connect(scatter_, &RankingScatter::rows_selected, this, [this](const std::vector<std::size_t>& rows) {
        table_->mark(rows);
        select(rows);
    });
    const auto choose = [this](std::size_t row) { emit session_.configuration_chosen(rows().ranked->schedule(row)); };
    connect(table_, &RankingTable::row_activated, this, choose);
    connect(scatter_, &RankingScatter::activated, this, choose);
    connect(times_, &RankingTimes::known, this, [this](const RankingRows& rows) {
        table_->set_times(rows);
        scatter_->show_rows(this->rows(), shown());
    });
    connect(times_, &RankingTimes::started, this, &RankingPanel::begin);
    connect(times_, &RankingTimes::progressed, this, &RankingPanel::show_progress);
    connect(times_, &RankingTimes::complete, this, &RankingPanel::arrange); // times may be what rows are ordered by
    connect(times_, &RankingTimes::ended, this, &RankingPanel::end_with);
    connect(&session_, &Session::study_shown, this, [this] { show_study(session_.study()); });
    connect(&session_.selection(), &SelectedConfigurations::changed, this, &RankingPanel::follow);
}

const RankingRows& RankingPanel::rows() const
{
    return table_->rows().rows();
}

const std::vector<std::size_t>& RankingPanel::shown() const
{
    return table_->rows().shown();
}

void RankingPanel::show_study(std::shared_ptr<const StudyResult> study)
{
    const bool other = !study_ || !same_space(study_->request, study->request);
    study_ = std::move(study);
    if (other) {
        times_->drop();
        rank_job_.drop();
        arrange_job_.drop();
        selected_.clear();
        table_->set_rows({});
        scatter_->show_rows({}, {});
        variant_->setCurrentText(QString::fromStdString(to_string(study_->request.variant)));
        filter_->set_operator(study_->request.op);
        good_filter_ = order_.filter = {};
        show_note({});
    }
    if (const auto time = study_->timed.time(study_->options)) {
        times_->add(RankingColumn::simulated, study_->request.schedule, *time, "the study, whole launch");
    }
    if (study_->ranking.evaluated > 0 && !rows().ranked && !rank_job_.running()) {
        rank();
    }
    show_state();
}

void RankingPanel::rank()
{
    if (!study_) {
        return;
    }
    const ModelVariant variant = all_model_variants[static_cast<std::size_t>(variant_->currentIndex())];
    rank_job_.start([study = study_, known = rows(), variant](const Progress& progress, const StopToken& stop) {
        return ranked_and_pruned(study->request, study->calibration, variant, {known.ranked, known.pruning}, progress,
                                 stop);
    });
    begin(tr("ranking"));
}

void RankingPanel::show_ranked(const RankedAndPruned& ranked)
{
    RankingRows next = rows();
    next.ranked = ranked.space;
    next.pruning = ranked.pruning;
    times_->put_early(next);
    table_->set_rows(std::move(next));
    pruning_->show_criteria(*ranked.pruning);
    read_filter();
    follow();
    end_with({}, false);
}

void RankingPanel::read_filter()
{
    if (!rows().ranked) {
        return; // names of parameters depend on the operator
    }
    try {
        order_.filter = filter_->read(rows().ranked->op());
        arrange();
    } catch (const std::exception& error) {
        refuse_filter(error.what());
    }
}

void RankingPanel::refuse_filter(const QString& line)
{
    arrange_job_.drop();
    order_.filter = good_filter_;
    filter_->refuse(line);
    if (shown().empty()) {
        arrange(); // new rows: by the last filter that was good
    }
}

void RankingPanel::arrange()
{
    if (!rows().ranked) {
        return;
    }
    order_.hidden = pruning_->hidden();
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
    filter_->show_applied();
    table_->show_rows(std::move(shown), selected_);
    scatter_->show_rows(rows(), this->shown());
    show_state();
}

void RankingPanel::select(const std::vector<std::size_t>& rows)
{
    selected_ = rows;
    std::vector<Schedule> schedules;
    for (std::size_t i = 0; i < std::min(rows.size(), SelectedConfigurations::most); ++i) {
        schedules.push_back(this->rows().ranked->schedule(rows[i]));
    }
    {
        const QScopedValueRollback telling(telling_, true);
        session_.selection().set(std::move(schedules));
    }
    show_state();
}

void RankingPanel::follow()
{
    if (telling_ || !rows().ranked) {
        return;
    }
    selected_.clear();
    for (const Schedule& schedule : session_.selection().schedules()) {
        const auto index = index_of(*rows().ranked->space(), schedule);
        const auto row = index ? rows().ranked->row_of(*index) : std::nullopt;
        if (row) {
            selected_.push_back(*row);
        }
    }
    std::sort(selected_.begin(), selected_.end());
    table_->mark(selected_);
    scatter_->select(selected_);
    show_state();
}

void RankingPanel::simulate_selected()
{
    const std::vector<std::size_t> chosen = table_->selected();
    if (!study_ || chosen.empty()) {
        show_note(tr("Select rows first: what is selected is simulated."), true);
    } else {
        times_->simulate(study_->request, chosen);
    }
}

void RankingPanel::take_from_store(const QString& path)
{
    times_->take_from_store(path, false);
}

void RankingPanel::cancel()
{
    if (!times_->simulating()) {
        rank_job_.cancel();
    }
    times_->cancel();
}

bool RankingPanel::running() const
{
    return rank_job_.running() || times_->running();
}

std::string RankingPanel::csv(bool selected_only) const
{
    return ranking_csv(rows(), selected_only ? table_->selected() : shown());
}

void RankingPanel::export_table(const std::string& path, bool selected_only)
{
    try {
        write_file_atomically(path, csv(selected_only));
        const QString line = tr("Wrote %1").arg(QString::fromStdString(path));
        show_note(line);
        emit session_.said(line);
    } catch (const std::exception& error) {
        show_note(error.what(), true);
        emit session_.refused(error.what());
    }
}

void RankingPanel::ask_and_export(bool selected_only)
{
    ask_and_write(this, tr("Export ranking"), "ranking.csv", tr("CSV tables (*.csv)"),
                  [&](const std::string& path) { export_table(path, selected_only); });
}

void RankingPanel::begin(const QString& note)
{
    progress_->setValue(0);
    show_note(note);
    show_state();
    session_.jobs().started(*this);
}

void RankingPanel::show_progress(const QString& stage, double fraction)
{
    show_share(*progress_, fraction);
    show_note(stage);
}

void RankingPanel::end_with(const QString& line, bool error)
{
    show_note(line, error);
    show_state();
    emit ended();
}

void RankingPanel::show_note(const QString& line, bool error)
{
    set_note_text(*note_, line, error);
    note_->setToolTip(line); // where it is longer than its place
}

void RankingPanel::show_state()
{
    const bool some = rows().ranked != nullptr;
    variant_->setEnabled(study_ != nullptr);
    if (some && !rank_job_.running()) {
        variant_->setCurrentText(QString::fromStdString(to_string(rows().ranked->variant())));
    }
    pruning_->setEnabled(some);
    simulate_->setEnabled(some && !selected_.empty());
    more_->setEnabled(some);
    progress_->setVisible(rank_job_.running() || times_->simulating());
    cancel_->setVisible(running());
    filter_->show_count(rows(), shown().size(), selected_.size());
    if (some && shown().empty() && !arrange_job_.running()) {
        page_->show_note(
            tr("No configuration is left. Clear the filter, or untick “Hide pruned” or some of its criteria."));
    } else if (some) {
        page_->show_view();
    } else if (rank_job_.running()) {
        page_->show_note(tr("Ranking…"));
    } else if (study_) {
        page_->show_note(tr("The study did not rank. Choosing a model ranks the configurations."));
    } else {
        page_->show_note(tr("No study yet. F5 runs one and ranks its configurations."));
    }
}

} // namespace texelscope::gui
