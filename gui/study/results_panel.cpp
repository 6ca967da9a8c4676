#include "gui/study/results_panel.hpp"

#include "devices/compilers/kernel_compiler.hpp"
#include "gui/study/quantities.hpp"
#include "gui/study/session.hpp"
#include "gui/widgets/controls.hpp"
#include "gui/widgets/table.hpp"
#include "workbench/study/prediction_intervals.hpp"
#include "workbench/study/stall_reasons.hpp"
#include "workbench/study/study.hpp"

#include <fmt/format.h>

#include <QHeaderView>
#include <algorithm>
#include <cmath>
#include <set>

namespace texelscope::gui {
namespace {

/// "1,234  (56 %)": a count, and what it is of another.
QString with_share(std::int64_t part, std::int64_t whole)
{
    return QStringLiteral("%1  (%2)").arg(count_text(part), share_text(part, whole));
}

QString text(const std::string& s)
{
    return QString::fromStdString(s);
}

KeyFigure count(const QString& name, std::int64_t value)
{
    return {name, count_text(value), static_cast<double>(value)};
}

/// One level of cache. Only L1 is asked by texels; the kinds of misses are there where they were
/// told apart.
KeyFigures cache(const QString& title, const CacheStatistics& cache, bool counts_texels)
{
    KeyFigures group{title, {}};
    if (counts_texels) {
        group.figures.push_back(count("Texel reads", cache.texel_reads));
    }
    const auto part = [&](const char* name, std::int64_t value) {
        group.figures.push_back(
            {name, with_share(value, cache.lookups), static_cast<double>(value)});
    };
    group.figures.push_back(count("Lookups", cache.lookups));
    part("Hits", cache.hits);
    part("Misses", cache.misses());
    if (cache.kinds_known()) {
        group.figures.push_back(count("  compulsory", cache.compulsory));
        group.figures.push_back(count("  capacity", cache.capacity));
        group.figures.push_back(count("  conflict", cache.conflict));
    }
    group.figures.push_back(count("Evictions", cache.evictions));
    group.figures.push_back(
        {"Filled", bytes_text(cache.bytes_filled), static_cast<double>(cache.bytes_filled.value)});
    return group;
}

constexpr QLatin1String launch_title("Launch and occupancy");
constexpr QLatin1String registers_name("Registers per item");

/// Who says how many registers a kernel takes.
std::string registers_from(const DeviceProfile& device)
{
    return device.simulation.kernel.registers_per_item ? "set by hand" : registers_text(device);
}

KeyFigures launch(const LaunchResult& study)
{
    const SimulationResult& result = study.simulation;
    KeyFigures group{launch_title,
                     {count("Work-groups", result.groups), count("Warps", result.warps),
                      count("Warp accesses", result.steps)}};
    if (const auto registers = study.options.kernel.registers_per_item) { // a trace does not say
        group.figures.push_back(count(registers_name, *registers));
    }
    group.figures.push_back(
        {"Occupancy",
         QStringLiteral("%1 (%2)").arg(text(warps_text(result.occupancy)),
                                       text(reason(result.occupancy, study.options))),
         static_cast<double>(result.occupancy.resident)});
    group.figures.push_back(count("Occupancy groups", result.occupancy_groups));
    return group;
}

KeyFigures timed(const LaunchResult& study)
{
    const SimulationResult& result = study.timed;
    KeyFigures group{"Simulated time", {}};
    if (result.cycles) {
        group.figures.push_back(count("Cycles", result.cycles->value));
    }
    if (const auto time = result.time(study.options.machine)) {
        group.figures.push_back({"Time", time_text(*time), time->value});
    }
    const StallStatistics stalls = all_stalls(result);
    for (const StallReason& reason : stall_reasons) {
        group.figures.push_back({QStringLiteral("  ") + reason.words,
                                 share_text(stalls.*reason.cycles, stalls.total())});
    }
    return group;
}

QString interval_text(const KernelInterval& interval)
{
    if (interval.outside) {
        return QStringLiteral("none (outside of what was calibrated)");
    }
    return interval.bounded() ? QStringLiteral("%1 to %2 (%3 %, errors of the fits alone)")
                                    .arg(time_text(interval.low), time_text(interval.high),
                                         QString::number(100 * interval.level))
                              : QStringLiteral("none (too few calibrated walks)");
}

KeyFigures prediction(const StudyResult& study)
{
    const Prediction& prediction = study.prediction;
    const Nanoseconds bottleneck = prediction.bottleneck.kernel;
    KeyFigures group{"Prediction; the paper's model level by level",
                     {{"Kernel, bottleneck", time_text(bottleneck), bottleneck.value}}};
    if (const TimePart* const most = largest_part(study.parts)) {
        group.figures.push_back(
            {"  bound by", text(fmt::format("{}, {}", most->name,
                                            percent_text(most->time.value / bottleneck.value)))});
    }
    if (const auto& time = study.over_machines) {
        group.figures.push_back(
            {"  over the machines", time_text(Nanoseconds{time->median_ns}), time->median_ns});
        group.figures.push_back({"  80 % within", time_text(Nanoseconds{time->low_ns}) +
                                                      QStringLiteral(" to ") +
                                                      time_text(Nanoseconds{time->high_ns})});
    }
    for (std::size_t i = 0; i < prediction.kernel.inputs.size(); ++i) {
        const ModelKernel::Input& input = prediction.kernel.inputs[i];
        group.figures.push_back(
            {QStringLiteral("Input %1").arg(text(input.image)), QStringLiteral("%1, s = %2, w = %3")
                                                                    .arg(text(input.pattern))
                                                                    .arg(input.warp.s)
                                                                    .arg(input.warp.w)});
        if (i < prediction.literal.thread.size()) {
            group.figures.push_back({QStringLiteral("  thread, L_t of %1").arg(text(input.image)),
                                     time_text(prediction.literal.thread[i]),
                                     prediction.literal.thread[i].value});
        }
    }
    group.figures.push_back({"D", QString::number(study.calibration.thrash.d, 'g', 4)});
    group.figures.push_back({"Exponent of D", count_text(prediction.literal.exponent)});
    group.figures.push_back(
        {"Warp, L_w", time_text(prediction.literal.warp), prediction.literal.warp.value});
    group.figures.push_back(
        {"Occupancy groups, L_g", QStringLiteral("%1 (refined %2)")
                                      .arg(prediction.literal.occupancy_groups)
                                      .arg(prediction.refined.occupancy_groups)});
    const auto of_variant = intervals(study);
    for (const auto& [variant, name] :
         {std::pair{ModelVariant::literal, QStringLiteral("L")},
          std::pair{ModelVariant::refined, QStringLiteral("refined")},
          std::pair{ModelVariant::reuse_aware, QStringLiteral("reuse-aware")}}) {
        const Nanoseconds time = prediction.cost(variant).kernel;
        group.figures.push_back({QStringLiteral("Kernel, ") + name, time_text(time), time.value});
        if (const auto found = of_variant.find(variant); found != of_variant.end()) {
            group.figures.push_back(
                {QStringLiteral("  interval of ") + name, interval_text(found->second)});
        }
    }
    group.figures.push_back({"Confidence", QString::number(prediction.confidence, 'f', 3)});
    return group;
}

KeyFigures calibration(const StudyResult& study)
{
    const auto percent = [](double fraction) {
        return QString::number(fraction * 100, 'f', 1) + QStringLiteral(" %");
    };
    const Calibration& model = study.calibration;
    return {"Calibration",
            {{"Regression", text(to_string(model.thread.regression))},
             {"Walks", count_text(static_cast<std::int64_t>(model.walks.size()))},
             {"L_t error, held out", percent(model.thread.held_out.mape)},
             {"D error, held out", percent(model.thrash.held_out.mape)}}};
}

/// The first with that title or name.
template <class Items, class Text>
auto* find_by(const Items& items, const QString& wanted, const Text& text)
{
    const auto found = std::find_if(items.begin(), items.end(),
                                    [&](const auto& item) { return text(item) == wanted; });
    return found == items.end() ? nullptr : &*found;
}

const auto title_of = [](const auto& group) { return group.title; };
const auto name_of = [](const auto& figure) { return figure.name; };

} // namespace

QString quantity_key(const KeyFigure& figure)
{
    const QString name = figure.name.trimmed();
    for (const char* of_an_image : {"Input", "thread, L_t"}) { // whose names go on with the image's
        if (name.startsWith(QLatin1String(of_an_image))) {
            return QStringLiteral("figure: ") + QLatin1String(of_an_image);
        }
    }
    return QStringLiteral("figure: ") + name;
}

std::vector<KeyFigures> launch_figures(const LaunchResult& study)
{
    std::vector<KeyFigures> groups{cache("L1 texture cache, untimed", study.simulation.l1, true)};
    for (const LevelStatistics& level : study.simulation.behind) {
        groups.push_back(
            cache(QString::fromStdString(level.name + " cache, untimed"), level.counts, false));
    }
    groups.push_back({"Memory, untimed",
                      {{"Read", bytes_text(study.simulation.memory_bytes),
                        static_cast<double>(study.simulation.memory_bytes.value)}}});
    groups.push_back(launch(study));
    groups.push_back(timed(study));
    return groups;
}

std::vector<KeyFigures> key_figures(const StudyResult& study)
{
    std::vector<KeyFigures> groups = launch_figures(study);
    auto& figures = std::find_if(groups.begin(), groups.end(), [](const KeyFigures& group) {
                        return group.title == launch_title;
                    })->figures;
    const auto registers =
        std::find_if(figures.begin(), figures.end(),
                     [](const KeyFigure& figure) { return figure.name == registers_name; });
    figures.insert(registers == figures.end() ? registers : registers + 1,
                   {"Registers", text(registers_from(study.request.device))});
    groups.push_back(prediction(study));
    groups.push_back(calibration(study));
    return groups;
}

QString change_text(double a, double b)
{
    if (a == b) {
        return QStringLiteral("same");
    }
    if (b == 0) {
        return {};
    }
    const double ratio = a / b;
    if (ratio >= 2) {
        return QStringLiteral("× %1").arg(ratio, 0, 'g', 3);
    }
    const double percent = (ratio - 1) * 100;
    const QString size = QString::number(std::abs(percent), 'f', std::abs(percent) < 10 ? 1 : 0);
    return (percent < 0 ? QStringLiteral("−%1 %") : QStringLiteral("+%1 %")).arg(size);
}

std::vector<ComparedFigures> compared_figures(const std::vector<KeyFigures>& a,
                                              const std::vector<KeyFigures>& b)
{
    std::vector<ComparedFigures> groups;
    for (const KeyFigures& group : a) {
        ComparedFigures& compared = groups.emplace_back(ComparedFigures{group.title, {}});
        const KeyFigures* const other = find_by(b, group.title, title_of);
        for (const KeyFigure& figure : group.figures) {
            const KeyFigure* const same =
                other == nullptr ? nullptr : find_by(other->figures, figure.name, name_of);
            compared.figures.push_back({figure.name, figure.value,
                                        same == nullptr ? QString() : same->value,
                                        same != nullptr && figure.number && same->number
                                            ? change_text(*figure.number, *same->number)
                                            : QString()});
        }
    }
    for (const KeyFigures& group : b) {
        const KeyFigures* const own = find_by(a, group.title, title_of);
        for (const KeyFigure& figure : group.figures) {
            if (own != nullptr && find_by(own->figures, figure.name, name_of) != nullptr) {
                continue;
            }
            auto into =
                std::find_if(groups.begin(), groups.end(), [&](const ComparedFigures& each) {
                    return each.title == group.title;
                });
            if (into == groups.end()) {
                into = groups.insert(groups.end(), ComparedFigures{group.title, {}});
            }
            into->figures.push_back({figure.name, {}, figure.value, {}});
        }
    }
    return groups;
}

ResultsPanel::ResultsPanel(Session& session)
{
    setObjectName("results");
    setAccessibleName(tr("Results"));
    setHeaderLabels({tr("Figure"), tr("Value")});
    header()->setStretchLastSection(true);
    setAlternatingRowColors(true);
    setUniformRowHeights(true);
    setIndentation(fontMetrics().height() * 3 / 4);
    add_table_export(*this, QStringLiteral("results.csv"));
    hint_while_empty(*this,
                     [] { return tr("No study yet.\nRun one (F5) to see its key figures."); });
    connect(&session, &Session::compared, this, [this, &session] {
        const auto figures = [](const ShownResult& shown) {
            return shown.study    ? key_figures(*shown.study)
                   : shown.launch ? launch_figures(*shown.launch)
                                  : std::vector<KeyFigures>{};
        };
        show_figures(figures(session.shown()), figures(session.kept()));
    });
}

void ResultsPanel::show_figures(const std::vector<KeyFigures>& groups,
                                const std::vector<KeyFigures>& others)
{
    std::set<QString> closed;
    for (int i = 0; i < topLevelItemCount(); ++i) {
        if (!topLevelItem(i)->isExpanded()) {
            closed.insert(topLevelItem(i)->text(0));
        }
    }
    clear();
    const bool compares = !others.empty();
    setColumnCount(compares ? 4 : 2);
    setHeaderLabels(compares ? QStringList{tr("Figure"), tr("A"), tr("B"), tr("change")}
                             : QStringList{tr("Figure"), tr("Value")});
    for (const ComparedFigures& group : compared_figures(groups, others)) {
        auto* top = new QTreeWidgetItem(this, {group.title});
        top->setFont(0, bold(font()));
        top->setFirstColumnSpanned(true);
        for (const ComparedFigure& figure : group.figures) {
            const QString about = quantity_tip(quantity_key({figure.name, {}}));
            // Two columns of values have no room for what stands between brackets; the tool tip has
            // it.
            const auto shortened = [&](const QString& value) {
                return compares ? value.section(QStringLiteral(" ("), 0, 0).trimmed() : value;
            };
            const QStringList whole{{}, figure.a, figure.b, figure.change};
            auto* item = new QTreeWidgetItem(
                top, {figure.name, shortened(figure.a), shortened(figure.b), figure.change});
            for (int column = 0; column < columnCount(); ++column) {
                const QString shown = whole[column];
                item->setToolTip(column, shown.isEmpty() || about.isEmpty()
                                             ? shown + about
                                             : shown + QStringLiteral("\n") + about);
            }
        }
        top->setExpanded(!closed.contains(group.title));
    }
    // Beside B all four columns are to be seen in a narrow dock: the names get what the values
    // leave.
    header()->setSectionResizeMode(0, compares ? QHeaderView::Stretch : QHeaderView::Interactive);
    header()->setStretchLastSection(!compares);
    for (int column = compares ? 1 : 0; column < columnCount(); ++column) {
        resizeColumnToContents(column);
        if (compares) {
            setColumnWidth(
                column, std::min(columnWidth(column),
                                 fontMetrics().horizontalAdvance(QStringLiteral("100,000 KiB"))));
        }
    }
}

} // namespace texelscope::gui
