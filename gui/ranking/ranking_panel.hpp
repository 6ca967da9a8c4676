#pragma once

#include "gui/ranking/ranking_rows.hpp"
#include "gui/widgets/background_job.hpp"
#include "workbench/study/study.hpp"

#include <QWidget>
#include <memory>
#include <string>
#include <vector>

class QMenu;

namespace texelscope::gui {

class NotePage;
class PartsChoice;
class PruningChoice;
class RankingCompilations;
class RankingFilter;
class RankingScatter;
class RankingTable;
class RankingTimes;
class RankingTools;
class Session;

/// Configurations of a study's operator, ranked by a variant of the model, of all parts or of some:
/// a table with a filter, what is known of their times and of what compilers make of them, why a
/// search would leave them out, and a plot of two columns. A double click or Enter runs one.
class RankingPanel : public QWidget {
    Q_OBJECT

public:
    explicit RankingPanel(Session& session);

    /// Ranks, in the background, where operator or device are others than before, and the study
    /// asked for a ranking.
    void show_study(std::shared_ptr<const StudyResult> study);
    [[nodiscard]] const RankingRows& rows() const;
    [[nodiscard]] const std::vector<std::size_t>& shown() const;

    void simulate_selected();
    void compile_selected();
    void take_from_store(const QString& path);

    /// Cancels whichever of ranking, simulating, compiling and reading a store runs. What is
    /// simulated and compiled stays.
    void cancel();
    [[nodiscard]] bool running() const;

    /// The rows that are shown, or those of them that are selected, as a table.
    [[nodiscard]] std::string csv(bool selected_only) const;
    /// Writes csv() to a file and says whether that went well.
    void export_table(const std::string& path, bool selected_only);
    void ask_and_export(bool selected_only);

signals:
    /// Ranking, simulating, compiling or reading a store is over: done, failed or cancelled.
    void ended();

private:
    QMenu* build_menu();
    void connect_parts();
    void begin(const QString& note);
    void end_with(const QString& line, bool error);
    void rank();
    void show_ranked(const RankedAndPruned& ranked);
    void read_filter();
    void refuse_filter(const QString& line);
    void arrange();
    void show_arranged(std::vector<std::size_t> shown);
    void select(const std::vector<std::size_t>& rows);
    void follow();
    void show_state();

    Session& session_;
    std::shared_ptr<const StudyResult> study_;
    RankingOrder order_;
    RowFilter good_filter_;             ///< the last one that could be applied
    std::vector<std::size_t> selected_; ///< rows of rows(), ascending, shown or not
    bool telling_ = false;              ///< the session's selection is set from here

    RankingTable* table_;
    RankingTimes* times_;
    RankingCompilations* compilations_;
    RankingFilter* filter_;
    PartsChoice* parts_;
    PruningChoice* pruning_;
    RankingTools* tools_;
    RankingScatter* scatter_;
    NotePage* page_;

    RankedAndPruned ranked_; ///< what is shown; no space: nothing
    BackgroundJob<RankedAndPruned> rank_job_;
    BackgroundJob<std::vector<std::size_t>> arrange_job_;
};

} // namespace texelscope::gui
