// The ranking's dock. RankingRows hold the data (ranking, times, compilations); the filter, the
// order and the pruning choice decide which rows are shown (arrange()); table and scatter plot show
// them. Simulating, compiling and taking times from a store are jobs of their own, which report
// through signals what they found (follow_work()).

#include "gui/ranking/ranking_panel.hpp"

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "gui/ranking/parts_choice.hpp"
#include "gui/ranking/ranking_compilations.hpp"
#include "gui/ranking/ranking_filter.hpp"
#include "gui/ranking/ranking_scatter.hpp"
#include "gui/ranking/ranking_table.hpp"
#include "gui/ranking/ranking_times.hpp"
#include "gui/ranking/ranking_tools.hpp"
#include "gui/study/session.hpp"
#include "gui/widgets/controls.hpp"
#include "workbench/study/study.hpp"

#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>
#include <QScopedValueRollback>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>

namespace texelscope::gui {

RankingPanel::RankingPanel(Session& session)
    : session_(session), table_(new RankingTable),
      times_(new RankingTimes(
          session, [this]() -> const RankingRows& { return rows(); }, *this)),
      compilations_(new RankingCompilations(
          session, [this]() -> const RankingRows& { return rows(); }, this)),
      filter_(new RankingFilter), parts_(new PartsChoice), pruning_(new PruningChoice),
      tools_(new RankingTools(parts_, pruning_, build_menu())), scatter_(new RankingScatter),
      rank_job_(
          {.progressed = [this](const QString& stage,
                                double fraction) { tools_->show_progress(stage, fraction); },
           .finished =
               [this](const std::shared_ptr<RankedAndPruned>& ranked) { show_ranked(*ranked); },
           .failed = [this](const QString& line) { end_with(line, true); },
           .cancelled = [this] { end_with(tr("Cancelled."), false); }}),
      arrange_job_({.progressed = {},
                    .finished =
                        [this](const std::shared_ptr<std::vector<std::size_t>>& shown) {
                            show_arranged(std::move(*shown));
                        },
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
    layout->addWidget(tools_);
    layout->addWidget(page_, 1);
    setTabOrder(filter_->line(), table_); // what is filtered is looked at next
    setTabOrder(table_, tools_);
    connect_parts();
    show_state();
}

QMenu* RankingPanel::build_menu()
{
    auto* menu = new QMenu(this);
    const auto copy = [this] {
        QGuiApplication::clipboard()->setText(QString::fromStdString(csv(true)));
    };
    menu->addAction(tr("&Copy selected rows\tCtrl+C"), this, copy);
    menu->addAction(tr("&Export the rows shown…"), this, [this] { ask_and_export(false); });
    menu->addAction(tr("Export the &selected rows…"), this, [this] { ask_and_export(true); });
    menu->addSeparator();
    menu->addAction(tr("&Take measured times from a store…"), times_,
                    &RankingTimes::ask_and_take_from_store);
    menu->addSeparator();
    table_->add_columns_to(*menu->addMenu(tr("Co&lumns")));
    connect(table_, &RankingTable::copy_asked, this, copy);
    return menu;
}

void RankingPanel::connect_parts()
{
    connect(filter_, &RankingFilter::changed, this, &RankingPanel::read_filter);
    connect(tools_, &RankingTools::variant_chosen, this, &RankingPanel::rank);
    connect(pruning_, &PruningChoice::changed, this, &RankingPanel::arrange);
    connect(tools_, &RankingTools::simulation_asked, this, &RankingPanel::simulate_selected);
    connect(parts_, &PartsChoice::chosen, this, &RankingPanel::rank);
    connect(tools_, &RankingTools::compilation_asked, this, &RankingPanel::compile_selected);
    connect(tools_, &RankingTools::cancelled, this, &RankingPanel::cancel);
    connect(tools_, &RankingTools::plot_toggled, scatter_, &QWidget::setVisible);
    connect(table_, &RankingTable::order_asked, this, [this](int column, Qt::SortOrder order) {
        order_.column = column;
        order_.descending = order == Qt::DescendingOrder;
        arrange();
    });
    connect(table_, &RankingTable::rows_selected, this,
            [this](const std::vector<std::size_t>& rows) {
                scatter_->select(
                    {rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                      rows.size(), SelectedConfigurations::most))});
                select(rows);
            });
    connect(scatter_, &RankingScatter::rows_selected, this,
            [this](const std::vector<std::size_t>& rows) {
                table_->mark(rows);
                select(rows);
            });
    const auto choose = [this](std::size_t row) {
        emit session_.configuration_chosen(rows().ranked->schedule(row));
    };
    connect(table_, &RankingTable::row_activated, this, choose);
    connect(scatter_, &RankingScatter::activated, this, choose);
    const auto follow_work = [this](auto* work) {
        using Work = std::remove_pointer_t<decltype(work)>;
        connect(work, &Work::known, this, [this](const RankingRows& rows) {
            table_->set_known(rows);
            scatter_->show_rows(this->rows(), shown());
        });
        connect(work, &Work::started, this, &RankingPanel::begin);
        connect(work, &Work::progressed, tools_, &RankingTools::show_progress);
        // Rows may be ordered and filtered by what came in.
        connect(work, &Work::complete, this, &RankingPanel::arrange);
        connect(work, &Work::ended, this, &RankingPanel::end_with);
    };
    follow_work(times_);
    follow_work(compilations_);
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

// A study of another space (operator, device or parts) begins anew; one of the same space keeps the
// rows and what is known of them.
void RankingPanel::show_study(std::shared_ptr<const StudyResult> study)
{
    const bool other = !study_ || !same_space(study_->request, study->request);
    study_ = std::move(study);
    if (other) {
        times_->drop();
        compilations_->drop();
        rank_job_.drop();
        arrange_job_.drop();
        selected_.clear();
        table_->set_rows({});
        scatter_->show_rows({}, {});
        tools_->set_variant(study_->variant.variant);
        filter_->set_operator(study_->request.op);
        good_filter_ = order_.filter = {};
        ranked_ = {};
        tools_->show_note({});
    }
    const std::optional<Nanoseconds> time = study_->timed.time(study_->options.machine);
    if (!other && ranked_.space && !rank_job_.running()) { // the study's own has changed
        if (const auto row = own_row(*ranked_.space, study_->request.schedule); row && time) {
            ranked_.simulated.emplace((*ranked_.space)[*row].index, time->value);
        }
        tools_->show_note(QString::fromStdString(first_note(ranked_, study_->request.schedule)));
    }
    if (time) {
        times_->add(RankingColumn::simulated, study_->request.schedule, *time,
                    "the study, whole launch");
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
    rank_job_.start([study = study_, known = rows(), parts = parts_->parts(),
                     variant = tools_->variant()](const Progress& progress, const StopToken& stop) {
        return ranked_and_pruned(study->request, parts, study->calibration, variant,
                                 {known.ranked, known.pruning}, progress, stop);
    });
    begin(tr("ranking"));
}

void RankingPanel::show_ranked(const RankedAndPruned& ranked)
{
    RankingRows next = rows();
    next.ranked = ranked.space;
    next.pruning = ranked.pruning;
    if (rows().ranked && rows().ranked->space() != ranked.space->space()) {
        times_->drop(); // its rows are gone
        compilations_->drop();
        carry_over(rows(), next);
        order_.column = std::min(order_.column, RankingColumn::first_pattern - 1);
    }
    auto simulated = std::make_shared<KnownTimes>(*next.simulated);
    for (const auto& [index, ns] : ranked.simulated) {
        simulated->try_emplace(index, KnownTime{ns, simulated_source});
    }
    next.simulated = std::move(simulated);
    times_->put_early(next);
    compilations_->put_early(next);
    table_->set_rows(std::move(next));
    pruning_->show_criteria(*ranked.pruning);
    follow();
    read_filter();
    ranked_ = ranked;
    end_with(QString::fromStdString(first_note(ranked_, study_->request.schedule)), false);
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

// Few rows are arranged at once, many in the background, so that typing a filter stays quick.
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

// Takes the selection that another dock made. While this panel tells of its own (telling_), it must
// not follow it.
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
        tools_->show_note(tr("Select rows first: what is selected is simulated."), true);
    } else {
        compilations_->cancel(); // one at a time: what was started last
        times_->simulate(study_->request, chosen);
    }
}

void RankingPanel::compile_selected()
{
    const std::vector<std::size_t> chosen = table_->selected();
    if (!study_ || chosen.empty()) {
        tools_->show_note(tr("Select rows first: what is selected is compiled."), true);
    } else {
        times_->cancel();
        table_->show_compiled();
        compilations_->compile(study_->request, chosen);
    }
}

void RankingPanel::take_from_store(const QString& path)
{
    times_->take_from_store(path, false);
}

void RankingPanel::cancel()
{
    if (!times_->simulating() && !compilations_->running()) {
        rank_job_.cancel();
    }
    times_->cancel();
    compilations_->cancel();
}

bool RankingPanel::running() const
{
    return rank_job_.running() || times_->running() || compilations_->running();
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
        tools_->show_note(line);
        emit session_.said(line);
    } catch (const std::exception& error) {
        tools_->show_note(error.what(), true);
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
    tools_->show_progress(note, 0);
    show_state();
    session_.jobs().started(*this);
}

void RankingPanel::end_with(const QString& line, bool error)
{
    tools_->show_note(line, error);
    show_state();
    emit ended();
}

void RankingPanel::show_state()
{
    const bool some = rows().ranked != nullptr;
    if (some && !rank_job_.running()) {
        tools_->set_variant(rows().ranked->variant());
        const SearchedParts& searched = rows().ranked->searched();
        parts_->show_searched(searched.asked, searched.parts, searched.refused);
    }
    tools_->show_state({.study = study_ != nullptr,
                        .rows = some,
                        .selected = !selected_.empty(),
                        .ranks = rank_job_.running(),
                        .finds_out = times_->simulating() || compilations_->running(),
                        .reads = times_->running()});
    filter_->show_count(rows(), shown().size(), selected_.size());
    if (some && shown().empty() && !arrange_job_.running()) {
        page_->show_note(tr("No configuration is left. Clear the filter, or untick “Hide pruned” "
                            "or some of its criteria."));
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
