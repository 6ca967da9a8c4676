// Where the times of the table's columns "simulated" and "measured" come from: simulating selected
// rows, a store of measured results, the study's own measurement and the cross-check. Simulating
// and reading a store run in the background; known() hands over rows with new times.

#include "gui/ranking/ranking_times.hpp"

#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "gui/study/session.hpp"
#include "gui/widgets/controls.hpp"
#include "workbench/study/crosscheck.hpp"
#include "workbench/tuning/operator_timer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <algorithm>

namespace texelscope::gui {

RowCount simulate_times(const Operator& op, const DeviceProfile& device,
                        const ConfigurationSpace& space, const std::vector<std::int64_t>& indices,
                        TimeInbox& inbox, const Progress& progress, const StopToken& stop)
{
    const OperatorTimer timer = simulator_timer(device, most_simulated_accesses, {}, stop);
    RowCount count;
    for (std::size_t i = 0; i < indices.size(); ++i) {
        if (progress) {
            progress(fmt::format("simulating {} of {}", i + 1, indices.size()),
                     static_cast<double>(i) / static_cast<double>(indices.size()));
        }
        try {
            if (stop && stop()) {
                throw Interrupted{};
            }
            const Schedule schedule = space.at(indices[i]);
            inbox.put(indices[i],
                      timer.answer(op, schedule, timer.legal_nest(op, schedule)).median_ns());
            ++count.done;
        } catch (const Interrupted&) {
            count.stopped = true;
            break;
        } catch (const Error& error) { // the others may still be simulated
            count.error = count.error.empty() ? error.what() : count.error;
        }
    }
    return count;
}

// Measured times of a store that belong to the operator: of several of one configuration on one
// device, the newest.
StoredTimes stored_times(const StoreTable& table, const Operator& op)
{
    const std::string shape = fmt::format("{}", fmt::join(op.shape, ","));
    struct Newest {
        std::string timestamp;
        double ns = 0;
    };
    std::map<std::pair<std::string, std::string>, Newest> newest; // by device and configuration
    StoredTimes times;
    for (const StoreRow& row : table.rows) {
        if (row.op != op.name || row.shape != shape || row.padding != op.padding) {
            continue;
        }
        if (row.judge != "device" || row.status != "ok" || !(row.median_ns > 0)) {
            ++times.others;
            continue;
        }
        Newest& known = newest[{row.device, row.config}];
        if (known.ns == 0 || row.timestamp >= known.timestamp) {
            known = {row.timestamp, row.median_ns};
        }
    }
    for (const auto& [key, time] : newest) {
        try {
            times.by_device[key.first].emplace_back(parse_schedule(key.second), time.ns);
        } catch (const Error&) {
            ++times.others; // a later version may know more of configurations
        }
    }
    return times;
}

std::string device_with_most_times(const StoredTimes& times)
{
    const auto most = std::max_element(
        times.by_device.begin(), times.by_device.end(),
        [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    return most == times.by_device.end() ? std::string() : most->first;
}

RankingTimes::RankingTimes(Session& session, std::function<const RankingRows&()> rows,
                           QWidget& dialogs)
    : QObject(&dialogs), rows_(std::move(rows)), dialogs_(dialogs),
      simulate_job_(
          {.progressed =
               [this](const QString& stage, double fraction) {
                   emit progressed(stage, fraction);
                   take_simulated();
               },
           .finished = [this](const std::shared_ptr<RowCount>& count) { show_count(*count); },
           .failed = [this](const QString& line) { emit ended(line, true); },
           .cancelled = [this] { end_cancelled(); }}),
      store_job_(
          {.progressed = {},
           .finished = [this](const std::shared_ptr<StoreTable>& table) { take_stored(*table); },
           .failed = [this](const QString& line) { emit ended(line, true); },
           .cancelled = [this] { end_cancelled(); }})
{
    connect(&session, &Session::measured, this,
            [this](const Schedule& schedule, Nanoseconds time, const std::string& device) {
                add(RankingColumn::measured, schedule, time, device);
            });
    connect(&session, &Session::judged, this,
            [this](const CrosscheckResult& result) { add(result); });
}

void RankingTimes::end_cancelled()
{
    emit ended(tr("Cancelled."), false);
}

// Times that came before the ranking was made are put to their rows.
void RankingTimes::put_early(RankingRows& rows)
{
    auto simulated = std::make_shared<KnownTimes>(*rows.simulated);
    auto measured = std::make_shared<KnownTimes>(*rows.measured);
    for (const EarlyTime& time : std::exchange(early_, {})) {
        if (const auto index = index_of(*rows.ranked->space(), time.schedule)) {
            (time.column == RankingColumn::simulated ? *simulated : *measured)[*index] = time.time;
        }
    }
    rows.simulated = std::move(simulated);
    rows.measured = std::move(measured);
}

// All times go this way: kept first, then put to their rows at once if there is a ranking already.
void RankingTimes::add(std::vector<EarlyTime> times)
{
    early_.insert(early_.end(), std::move_iterator(times.begin()), std::move_iterator(times.end()));
    if (rows_().ranked) {
        RankingRows next = rows_();
        put_early(next);
        emit known(next);
    }
}

void RankingTimes::add(RankingColumn::Fixed column, const Schedule& schedule, Nanoseconds time,
                       const std::string& source)
{
    add({EarlyTime{column, schedule, {time.value, source}}});
}

void RankingTimes::add(const CrosscheckResult& result)
{
    std::vector<EarlyTime> times;
    for (const CrosscheckRow& row : result.rows) {
        times.push_back({RankingColumn::simulated,
                         row.schedule,
                         {row.simulated.value, "the cross-check, whole launch"}});
        // Times whose output was not checked are not shown as measured.
        if (row.measured && row.checked) {
            times.push_back({RankingColumn::measured,
                             row.schedule,
                             {row.measured->value, "the cross-check's device"}});
        }
    }
    add(std::move(times));
}

void RankingTimes::simulate(const StudyRequest& request, const std::vector<std::size_t>& rows)
{
    const auto ranked = rows_().ranked;
    std::vector<std::int64_t> indices;
    for (const std::size_t row : rows) {
        indices.push_back((*ranked)[row].index);
    }
    inbox_ = std::make_shared<TimeInbox>();
    simulate_job_.start([request, space = ranked->space(), indices = std::move(indices),
                         inbox = inbox_](const Progress& progress, const StopToken& stop) {
        return simulate_times(request.op, request.device, *space, indices, *inbox, progress, stop);
    });
    emit started(tr("simulating"));
}

// Rows change here, in the window's thread; the job in the background only fills the inbox.
void RankingTimes::take_simulated()
{
    const auto times = inbox_->take();
    if (times.empty()) {
        return;
    }
    RankingRows next = rows_();
    auto simulated = std::make_shared<KnownTimes>(*next.simulated);
    for (const auto& [index, ns] : times) {
        (*simulated)[index] = {ns, simulated_source};
    }
    next.simulated = std::move(simulated);
    emit known(next);
}

void RankingTimes::show_count(const RowCount& count)
{
    take_simulated();
    emit complete();
    const QString done = tr("%1 simulated").arg(count_text(static_cast<std::int64_t>(count.done)));
    emit ended(count.text(done), !count.error.empty());
}

void RankingTimes::ask_and_take_from_store()
{
    const QString path = QFileDialog::getOpenFileName(&dialogs_, tr("Take times from a store"));
    if (!path.isEmpty()) {
        take_from_store(path, true);
    }
}

void RankingTimes::take_from_store(const QString& path, bool asks_device)
{
    if (!rows_().ranked) {
        emit ended(tr("Rank first (F5): stored times are put beside the rows."), true);
        return;
    }
    asks_device_ = asks_device;
    store_job_.start([path = path.toStdString()](const Progress& progress, const StopToken& stop) {
        return read_store(path, progress, stop);
    });
    emit started(tr("Reading %1").arg(QFileInfo(path).fileName()));
}

void RankingTimes::take_stored(const StoreTable& table)
{
    const auto ranked = rows_().ranked;
    const StoredTimes stored = stored_times(table, ranked->op());
    const QString file = QFileInfo(QString::fromStdString(table.path)).fileName();
    std::string device = device_with_most_times(stored);
    if (std::exchange(asks_device_, false) && stored.by_device.size() > 1) {
        QStringList names;
        for (const auto& [name, times] : stored.by_device) {
            names << QString::fromStdString(name);
        }
        bool chosen = false;
        device =
            QInputDialog::getItem(&dialogs_, tr("Take times from a store"),
                                  tr("Several devices were measured. Take the times of"), names,
                                  static_cast<int>(names.indexOf(QString::fromStdString(device))),
                                  false, &chosen)
                .toStdString();
        // Another study may have come while the question was open.
        if (!chosen || rows_().ranked != ranked) {
            emit ended({}, false);
            return;
        }
    }
    if (device.empty()) {
        emit ended(
            tr("%1 has no measured time of %2 (%3 other rows); tune --on with --store makes some.")
                .arg(file, QString::fromStdString(to_string(ranked->op())),
                     count_text(static_cast<std::int64_t>(stored.others))),
            true);
        return;
    }
    RankingRows next = rows_();
    auto measured = std::make_shared<KnownTimes>(*next.measured);
    const std::string source = device + ", " + file.toStdString();
    std::int64_t taken = 0;
    for (const auto& [schedule, ns] : stored.by_device.at(device)) {
        if (const auto index = index_of(*ranked->space(), schedule)) {
            (*measured)[*index] = {ns, source};
            ++taken;
        }
    }
    next.measured = std::move(measured);
    emit known(next);
    emit complete();
    emit ended(tr("%1 measured times of %2 from %3.")
                   .arg(count_text(taken), QString::fromStdString(device), file),
               false);
}

void RankingTimes::cancel()
{
    if (simulating()) {
        simulate_job_.finish_early();
    } else {
        store_job_.cancel();
    }
}

void RankingTimes::drop()
{
    simulate_job_.drop();
    store_job_.drop();
    early_.clear();
}

} // namespace texelscope::gui
