#include "gui/cross_check/crosscheck_model.hpp"

#include "base/csv.hpp"
#include "gui/study/quantities.hpp"
#include "gui/widgets/controls.hpp"

#include <fmt/format.h>

#include <limits>

namespace texelscope::gui {
namespace {

std::optional<JudgeKind> judge_of(int column)
{
    switch (column) {
    case CrosscheckModel::predicted_column:
        return JudgeKind::model;
    case CrosscheckModel::simulated_column:
        return JudgeKind::simulator;
    case CrosscheckModel::measured_column:
        return JudgeKind::device;
    default:
        return std::nullopt;
    }
}

std::string output_text(const CrosscheckRow& row)
{
    return row.checked ? "passed" : row.reason;
}

/// The pairs that have a number, or a dash.
QString pairs_text(const char* title, std::initializer_list<std::pair<const char*, std::optional<double>>> pairs,
                   double factor, const char* unit)
{
    std::string text;
    for (const auto& [pair, value] : pairs) {
        if (value) {
            text += fmt::format("{}{} {:.2f}{}", text.empty() ? "" : ", ", pair, *value * factor, unit);
        }
    }
    return QString::fromStdString(fmt::format("{}: {}", title, text.empty() ? "-" : text));
}

} // namespace

QString judge_text(JudgeKind judge)
{
    return QString::fromStdString(to_string(judge));
}

void CrosscheckModel::set_result(CrosscheckResult result)
{
    beginResetModel();
    result_ = std::move(result);
    endResetModel();
}

QVariant CrosscheckModel::cell(std::size_t row, int column, int role) const
{
    const CrosscheckRow& judged = result_.rows[row];
    const std::optional<JudgeKind> judge = judge_of(column);
    if (role == Qt::ToolTipRole && judge) {
        return *judge == JudgeKind::device && judged.wall_clock ? QVariant(tr("by the wall clock")) : QVariant();
    }
    if (role != Qt::DisplayRole && role != sort_role && role != Qt::ToolTipRole) { // tips say the long ones
        return {};
    }
    if (judge) {
        const std::optional<Nanoseconds> time = judged.time(*judge);
        if (role == sort_role) {
            return time ? time->value : std::numeric_limits<double>::infinity();
        }
        return time ? time_text(*time) : QStringLiteral("-");
    }
    return QString::fromStdString(column == configuration_column ? to_string(judged.schedule) : output_text(judged));
}

QVariant CrosscheckModel::heading(int column, int role) const
{
    const QString text =
        QStringList{tr("Configuration"), tr("Predicted"), tr("Simulated"), tr("Measured"), tr("Output")}.at(column);
    if (role == Qt::ToolTipRole) {
        return quantity_tip(QStringLiteral("column: ") + text);
    }
    return role == Qt::DisplayRole ? QVariant(text) : QVariant();
}

std::string crosscheck_csv(const CrosscheckResult& result)
{
    std::string csv = "configuration,predicted_ns,simulated_ns,measured_ns,output\n";
    for (const CrosscheckRow& row : result.rows) {
        csv += fmt::format("{},{},{},{},{}\n", csv_field(to_string(row.schedule)), row.predicted.value,
                           row.simulated.value, row.measured ? fmt::format("{}", row.measured->value) : std::string(),
                           csv_field(output_text(row)));
    }
    return csv;
}

QString agreement_text(const CrosscheckResult& result)
{
    constexpr double percent = 100;
    const CrosscheckAgreement& tau = result.kendall;
    const CrosscheckRegret& regret = result.regret;
    return pairs_text("Kendall's tau",
                      {{"model and simulator", tau.model_simulator},
                       {"model and device", tau.model_device},
                       {"simulator and device", tau.simulator_device}},
                      1, "") +
           u'\n' +
           pairs_text("Regret",
                      {{"model by simulator", regret.model_on_simulator},
                       {"model by device", regret.model_on_device},
                       {"simulator by device", regret.simulator_on_device}},
                      percent, " %");
}

QString summary_text(const CrosscheckResult& result)
{
    const std::optional<std::string> unlike = unlike_note(result);
    return (unlike ? QString::fromStdString(*unlike) + QStringLiteral(". ") : QString()) +
           QString::fromStdString(rows_text(result)) + QStringLiteral(". ") +
           agreement_text(result);
}

} // namespace texelscope::gui
