#include "gui/cross_check/crosscheck_model.hpp"

#include "base/csv.hpp"
#include "gui/study/quantities.hpp"

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

QString judge_text(Judge judge)
{
    switch (judge) {
    case Judge::model:
        return QStringLiteral("model");
    case Judge::simulator:
        return QStringLiteral("simulator");
    case Judge::device:
        return QStringLiteral("device");
    }
    return {};
}

std::optional<double> time_ns(const CrosscheckRow& row, Judge judge)
{
    switch (judge) {
    case Judge::model:
        return row.predicted.value;
    case Judge::simulator:
        return row.simulated.value;
    case Judge::device:
        return row.measured ? std::optional(row.measured->value) : std::nullopt;
    }
    return std::nullopt;
}

void CrosscheckModel::set_result(CrosscheckResult result)
{
    beginResetModel();
    result_ = std::move(result);
    endResetModel();
}

int CrosscheckModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(result_.rows.size());
}

int CrosscheckModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : output_column + 1;
}

QVariant CrosscheckModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) {
        return {};
    }
    const CrosscheckRow& row = result_.rows[static_cast<std::size_t>(index.row())];
    const std::optional<Judge> judge = judge_of(index.column());
    if (role == Qt::TextAlignmentRole) {
        return QVariant::fromValue(Qt::Alignment((judge ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
    }
    if (role == Qt::ToolTipRole && !judge) { // the long ones
        return data(index, Qt::DisplayRole);
    }
    if (role != Qt::DisplayRole && role != sort_role) {
        return {};
    }
    if (judge) {
        const std::optional<double> time = time_ns(row, *judge);
        if (role == sort_role) {
            return time.value_or(std::numeric_limits<double>::infinity());
        }
        return time ? QString::number(*time, 'f', 1) : QStringLiteral("-");
    }
    return QString::fromStdString(index.column() == configuration_column ? to_string(row.schedule) : output_text(row));
}

QVariant CrosscheckModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role == Qt::ToolTipRole) { // the second line of a heading is its unit
        return quantity_tip(QStringLiteral("column: ") +
                            headerData(section, orientation, Qt::DisplayRole).toString().section(u'\n', 0, 0));
    }
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section >= columnCount()) {
        return {};
    }
    return QStringList{tr("Configuration"), tr("Predicted\nns"), tr("Simulated\nns"), tr("Measured\nns"), tr("Output")}
        .at(section);
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

} // namespace texelscope::gui
