#pragma once

#include "experiments/study/crosscheck.hpp"
#include "gui/ranking/ranking_model.hpp"
#include "gui/ranking/simulated_times.hpp"
#include "gui/ranking/stored_times.hpp"
#include "gui/study/selected_configurations.hpp"
#include "gui/widgets/background_job.hpp"

#include <QWidget>
#include <memory>
#include <optional>
#include <string>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QMenu;
class QProgressBar;
class QPushButton;
class QSplitter;
class QTableView;

namespace texelscope::gui {

class ConditionEdit;
class NotePage;
class RankingScatter;

/// All configurations of a study's operator, ranked by a variant of the model: a table with a filter, what is known of
/// their times, why a search would leave them out, and a plot of two columns. A double click or Enter asks to run one.
class RankingPanel : public QWidget {
    Q_OBJECT

public:
    explicit RankingPanel(QWidget* parent = nullptr);

    /// The selection that it sets and follows from now on, instead of one of its own.
    void link(SelectedConfigurations& selection);

    /// Ranks, in the background, where operator or device are others than before, and the study asked for a ranking.
    void show_study(const StudyResult& study);
    [[nodiscard]] const RankingRows& rows() const { return model_->rows(); }
    [[nodiscard]] const std::vector<std::size_t>& shown() const { return model_->shown(); }

    /// A time for the column of simulated or measured ones. Configurations outside of the space are passed over.
    void add_time(RankingColumn::Fixed column, const Schedule& schedule, Nanoseconds time, const std::string& source);
    void add_measured(const Schedule& schedule, Nanoseconds time, const std::string& device);
    void add_times(const CrosscheckResult& result);
    /// Measured times of this operator and shape, by the device that has most of them.
    void take_from_store(const QString& path);
    void simulate_selected();

    /// Of ranking, simulating and reading a store, whatever runs. Times that are simulated stay.
    void cancel();
    [[nodiscard]] bool running() const;

    /// The rows that are shown, or those of them that are selected, as a table.
    [[nodiscard]] std::string csv(bool selected_only) const;
    /// Throws bad_input where the file cannot be written.
    void export_table(const std::string& path, bool selected_only) const;
    void copy() const;

signals:
    void configuration_chosen(const texelscope::codegen::Schedule& schedule);
    /// Something that cancel() cancels was started.
    void started();
    /// Other rows are shown, or the same ones in another order.
    void rows_shown();
    /// Ranking, simulating or reading a store is over: done, failed or cancelled.
    void ended();

private:
    struct Subject {
        StudyRequest request;
        Calibration calibration;
    };
    struct Ranked {
        std::shared_ptr<const RankedSpace> space;
        std::shared_ptr<const SpacePruning> pruning;
    };
    /// Of a configuration whose space is not there yet.
    struct EarlyTime {
        RankingColumn::Fixed column;
        Schedule schedule;
        KnownTime time;
    };

    void build_table();
    QWidget* build_filter_row();
    QWidget* build_tool_row();
    void build_menu();
    void connect_parts();
    void rank();
    void show_ranked(const Ranked& ranked);
    void read_filter();
    void arrange();
    void show_arranged(std::vector<std::size_t> shown);
    void refuse_filter(const QString& line);
    void take_simulated();
    void take_stored(const StoreTable& table);
    void put_times(RankingRows& rows, const std::vector<EarlyTime>& times) const;
    void add_times(std::vector<EarlyTime> times);
    void show_times(const RankingRows& rows);
    /// Rows of rows() that are selected in the table, in the order shown.
    [[nodiscard]] std::vector<std::size_t> selected_rows() const;
    void select_from_table();
    void select_from_plot(const std::vector<std::size_t>& rows);
    void follow();
    void mark_selection(bool scroll);
    void tell_selection();
    void show_note(const QString& line, bool error = false);
    void show_count();
    void show_state();
    void show_criteria();
    void end_with(const QString& line, bool error);
    void ask_and_export(bool selected_only);
    void choose(std::size_t row);

    std::optional<Subject> subject_;
    RankingModel* model_;
    RankingOrder order_;
    RowFilter good_filter_;             ///< the last one that could be applied
    std::vector<std::size_t> selected_; ///< rows of rows(), ascending, shown or not
    SelectedConfigurations* selection_;
    bool marking_ = false;        ///< the selection is set from here, not by the user
    bool filter_refused_ = false; ///< what stands in the filter's field is not what the rows are filtered by
    bool fresh_ = false;          ///< the columns have no width for these rows yet
    std::vector<EarlyTime> early_;
    std::shared_ptr<TimeInbox> inbox_;
    bool asks_device_ = false; ///< of a store with several

    ConditionEdit* filter_;
    QLabel* count_;
    QLabel* filter_error_;
    QComboBox* variant_;
    QCheckBox* hide_pruned_;
    QPushButton* criteria_;
    QMenu* criteria_menu_;
    QPushButton* simulate_;
    QPushButton* more_;
    QMenu* columns_;
    QPushButton* plot_button_;
    QLabel* note_;
    QProgressBar* progress_;
    QPushButton* cancel_;
    QTableView* table_;
    NotePage* page_;
    QSplitter* splitter_;
    RankingScatter* scatter_;

    BackgroundJob<Ranked> rank_job_;
    BackgroundJob<std::vector<std::size_t>> arrange_job_;
    BackgroundJob<SimulatedCount> simulate_job_;
    BackgroundJob<StoreTable> store_job_;
};

} // namespace texelscope::gui
