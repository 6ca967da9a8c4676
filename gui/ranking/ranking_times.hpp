#pragma once

#include "codegen/operators/operator.hpp"
#include "gui/ranking/ranking_rows.hpp"
#include "gui/ranking/row_work.hpp"
#include "gui/store/store_model.hpp"
#include "gui/widgets/background_job.hpp"
#include "workbench/study/study_request.hpp"

#include <QObject>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

class QWidget;
namespace texelscope::workbench::study {

struct CrosscheckResult;
} // namespace texelscope::workbench::study

namespace texelscope::gui {

/// Times in ns.
using TimeInbox = RowInbox<double>;

/// What a time of such a simulation says of itself.
inline constexpr const char* simulated_source =
    "simulated; a launch of more than a million warp accesses in parts";

/// Simulates configurations, given by their numbers, in timed mode and puts each time into the
/// inbox as it is known. When `stop` answers true, what is done stays.
[[nodiscard]] RowCount simulate_times(const Operator& op, const DeviceProfile& device,
                                      const ConfigurationSpace& space,
                                      const std::vector<std::int64_t>& indices, TimeInbox& inbox,
                                      const Progress& progress = {}, const StopToken& stop = {});

class Session;

/// The measured times of an operator and shape in a store, by the device's name.
struct StoredTimes {
    using Times = std::vector<std::pair<Schedule, double>>; ///< medians in ns
    std::map<std::string, Times> by_device;
    /// Rows of the operator and shape that no device has measured, or that failed.
    std::size_t others = 0;
};
/// The newest of several rows of one configuration on one device. Rows whose configuration does not
/// parse are left out.
[[nodiscard]] StoredTimes stored_times(const StoreTable& table, const Operator& op);

/// The device of which there are most times; empty where there is none.
[[nodiscard]] std::string device_with_most_times(const StoredTimes& times);

/// The simulated and measured times of a ranking's rows: what the parts of the window find out,
/// what a store has, and what is simulated here, in the background. Configurations outside of the
/// space are passed over.
class RankingTimes : public QObject {
    Q_OBJECT

public:
    /// `rows`: those that are shown now. `dialogs`: where it asks.
    RankingTimes(Session& session, std::function<const RankingRows&()> rows, QWidget& dialogs);

    void add(RankingColumn::Fixed column, const Schedule& schedule, Nanoseconds time,
             const std::string& source);
    void add(const CrosscheckResult& result);
    /// Adds to new rows the times that came before there were rows.
    void put_early(RankingRows& rows);
    /// Simulates those rows.
    void simulate(const StudyRequest& request, const std::vector<std::size_t>& rows);
    /// Measured times of this operator and shape, by the device that has most of them, or that is
    /// asked for.
    void take_from_store(const QString& path, bool asks_device);
    void ask_and_take_from_store();

    /// Stops simulating; times that are known stay.
    void cancel();
    /// Forgets everything, for another operator or device follows.
    void drop();
    [[nodiscard]] bool simulating() const { return simulate_job_.running(); }
    [[nodiscard]] bool running() const { return simulating() || store_job_.running(); }

signals:
    /// The same rows have other times.
    void known(const RankingRows& rows);
    void started(const QString& note);
    void progressed(const QString& stage, double fraction);
    /// All that were asked for are known.
    void complete();
    void ended(const QString& line, bool error);

private:
    /// A time that came before the space of its configuration was there.
    struct EarlyTime {
        RankingColumn::Fixed column;
        Schedule schedule;
        KnownTime time;
    };

    void add(std::vector<EarlyTime> times);
    void take_simulated();
    void show_count(const RowCount& count);
    void take_stored(const StoreTable& table);
    void end_cancelled();

    std::function<const RankingRows&()> rows_;
    QWidget& dialogs_;
    std::vector<EarlyTime> early_;
    std::shared_ptr<TimeInbox> inbox_;
    bool asks_device_ = false; ///< whether to ask which device of a store with several
    BackgroundJob<RowCount> simulate_job_;
    BackgroundJob<StoreTable> store_job_;
};

} // namespace texelscope::gui
