#include "gui/cross_check/crosscheck_model.hpp"

#include "base/number_text.hpp"
#include "gui/study/quantities.hpp"
#include "gui/widgets/controls.hpp"
#include "workbench/report/judged_configurations.hpp"

#include <fmt/format.h>

#include <limits>

namespace texelscope::gui {
namespace {

std::optional<Judge> judge_of(int column)
{
    switch (column) {
    case CrosscheckModel::predicted_column:
        return Judge::model;
    case CrosscheckModel::simulated_column:
        return Judge::simulator;
    case CrosscheckModel::measured_column:
        return Judge::device;
    default:
        return std::nullopt;
    }
}

} // namespace

QString judge_text(Judge judge)
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
    const std::optional<Judge> judge = judge_of(column);
    if (role == Qt::ToolTipRole && judge) {
        return *judge == Judge::device && judged.wall_clock ? QVariant(tr("by the wall clock"))
                                                            : QVariant();
    }
    // tips say the long ones
    if (role != Qt::DisplayRole && role != sort_role && role != Qt::ToolTipRole) {
        return {};
    }
    if (judge) {
        const std::optional<Nanoseconds> time = judged.time(*judge);
        if (role == sort_role) {
            return time ? time->value : std::numeric_limits<double>::infinity();
        }
        return time ? time_text(*time) : QStringLiteral("-");
    }
    return QString::fromStdString(column == configuration_column ? to_string(judged.schedule)
                                                                 : output_text(judged));
}

QVariant CrosscheckModel::heading(int column, int role) const
{
    const QString text = QStringList{tr("Configuration"), tr("Predicted"), tr("Simulated"),
                                     tr("Measured"), tr("Output")}
                             .at(column);
    if (role == Qt::ToolTipRole) {
        return quantity_tip(QStringLiteral("column: ") + text);
    }
    return role == Qt::DisplayRole ? QVariant(text) : QVariant();
}

QString agreement_text(const CrosscheckResult& result)
{
    std::string text;
    for (const JudgePair& pair : result.pairs) {
        if (pair.kendall || pair.regret) {
            text +=
                fmt::format("{}{}: tau {}, regret {}", text.empty() ? "" : "; ", pair.name("/"),
                            pair.kendall ? fmt::format("{:.2f}", *pair.kendall) : std::string(dash),
                            percent_text(pair.regret));
        }
    }
    return QString::fromStdString(text.empty() ? "too few rows for an agreement" : text);
}

QString summary_text(const CrosscheckResult& result)
{
    // Only where the devices are known to differ; where it is not known, the tool tip says so.
    const bool unlike = unlike_note(result).has_value() && result.like_with_like;
    return (unlike ? tr("Not like with like: the device is not that of the profile. ")
                   : QString()) +
           agreement_text(result);
}

QString summary_tip(const CrosscheckResult& result)
{
    QStringList lines{QString::fromStdString(rows_text(result))};
    if (const auto unlike = unlike_note(result)) {
        lines << QString::fromStdString(*unlike);
    }
    return lines.join(u'\n');
}

} // namespace texelscope::gui
