#include "gui/choice/choice_model.hpp"

#include "gui/study/quantities.hpp"
#include "gui/widgets/controls.hpp"

#include <utility>

namespace texelscope::gui {
namespace {

QString over_best_text(const JudgeChoice& choice)
{
    return !choice.over_best ? QStringLiteral("–")
           : *choice.over_best == 0
               ? tr("best")
               : QStringLiteral("+") + QString::fromStdString(percent_text(*choice.over_best));
}

std::vector<KernelFact> facts_of(const JudgeChoices& choices, const std::optional<std::size_t>& row)
{
    return row ? facts_list(choices.facts.at(*row)) : std::vector<KernelFact>{};
}

} // namespace

void ChoiceModel::show_choices(JudgedConfigurations judged)
{
    beginResetModel();
    judged_ = std::move(judged);
    endResetModel();
}

const Schedule& ChoiceModel::schedule(std::size_t row) const
{
    return judged_.crosscheck.rows[judged_.choices.by_judge[row].row].schedule;
}

QVariant ChoiceModel::cell(std::size_t row, int column, int role) const
{
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole) {
        return {};
    }
    const JudgeChoice& choice = judged_.choices.by_judge[row];
    const CrosscheckRow& judged = judged_.crosscheck.rows[choice.row];
    switch (column) {
    case judge_column: {
        const QString judge = QString::fromStdString(to_string(choice.judge));
        return choice.alike > 1
                   ? tr("%1 (%2 alike)")
                         .arg(judge, count_text(static_cast<std::int64_t>(choice.alike)))
                   : judge;
    }
    case predicted_column:
        return time_text(judged.predicted);
    case simulated_column:
        return time_text(judged.simulated);
    case measured_column:
        return judged.measured ? time_text(*judged.measured) : QStringLiteral("–");
    case over_best_column:
        return over_best_text(choice);
    default:
        return QString::fromStdString(to_string(judged.schedule));
    }
}

QVariant ChoiceModel::heading(int column, int role) const
{
    const QString text = QStringList{tr("Judge"),     tr("Would take"), tr("Predicted"),
                                     tr("Simulated"), tr("Measured"),   tr("Over best")}
                             .at(column);
    if (role == Qt::ToolTipRole) {
        return quantity_tip(QStringLiteral("column: ") + text);
    }
    return role == Qt::DisplayRole ? QVariant(text) : QVariant();
}

void FactsModel::show_facts(const JudgeChoices& choices, const JudgeChoice* choice)
{
    beginResetModel();
    choice_ = choice == nullptr ? std::vector<KernelFact>{} : facts_of(choices, choice->row);
    second_ = choice == nullptr ? std::vector<KernelFact>{} : facts_of(choices, choice->second);
    const bool other = choice != nullptr && choices.in_use != choice->row;
    in_use_ = other ? facts_of(choices, choices.in_use) : std::vector<KernelFact>{};
    endResetModel();
}

QString FactsModel::beside(std::size_t row, const std::vector<KernelFact>& facts, int role) const
{
    if (facts.empty()) {
        return QStringLiteral("–");
    }
    const KernelFact& other = facts[row];
    const std::optional<double>& own = choice_[row].value;
    const QString text = QString::fromStdString(other.text);
    // A ratio needs two numbers and a divisor that is not zero.
    if (!own || !other.value || *own <= 0 || *own == *other.value) {
        return text;
    }
    const QString ratio = QStringLiteral("×") + QString::number(*other.value / *own, 'g', 2);
    return role == Qt::ToolTipRole ? text + QLatin1Char(' ') + ratio : ratio;
}

QVariant FactsModel::cell(std::size_t row, int column, int role) const
{
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole) {
        return {};
    }
    switch (column) {
    case fact_column:
        return QString::fromStdString(choice_[row].name);
    case choice_column:
        return QString::fromStdString(choice_[row].text);
    case second_column:
        return beside(row, second_, role);
    default:
        return beside(row, in_use_, role);
    }
}

QVariant FactsModel::heading(int column, int role) const
{
    const QString text =
        QStringList{tr("What"), tr("Choice"), tr("Its second"), tr("In use")}.at(column);
    return role == Qt::DisplayRole ? QVariant(text) : QVariant();
}

} // namespace texelscope::gui
