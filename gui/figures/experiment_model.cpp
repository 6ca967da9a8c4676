#include "gui/figures/experiment_model.hpp"

#include "gui/widgets/controls.hpp"

#include <algorithm>

namespace texelscope::gui {
namespace {

// What an index carries as its internal id: 0 for a paper, else one more than the row of the paper
// that the experiment is below. So parent() needs no pointers.
constexpr quintptr a_paper = 0;

QString holding_text(const FindingCounts& counts)
{
    return tr("%1 of %2").arg(counts.hold).arg(counts.hold + counts.do_not);
}

} // namespace

FindingCounts counted(const std::vector<Finding>& findings)
{
    const auto count = [&](Verdict verdict) {
        return static_cast<std::size_t>(std::ranges::count(findings, verdict, &Finding::verdict));
    };
    return {count(Verdict::holds), count(Verdict::does_not_hold), count(Verdict::not_tested)};
}

ExperimentModel::ExperimentModel(QObject* parent) : QAbstractItemModel(parent)
{
    for (const Experiment& experiment : all_experiments()) {
        const QString name = text_of(experiment.paper());
        auto paper = std::ranges::find(papers_, name, &Paper::name);
        if (paper == papers_.end()) {
            papers_.push_back({name, {}});
            paper = std::prev(papers_.end());
        }
        paper->experiments.push_back(&experiment);
    }
}

QModelIndex ExperimentModel::index(int row, int column, const QModelIndex& parent) const
{
    if (!hasIndex(row, column, parent)) {
        return {};
    }
    return createIndex(row, column,
                       parent.isValid() ? static_cast<quintptr>(parent.row() + 1) : a_paper);
}

QModelIndex ExperimentModel::parent(const QModelIndex& index) const
{
    if (!index.isValid() || index.internalId() == a_paper) {
        return {};
    }
    return createIndex(static_cast<int>(index.internalId() - 1), 0, a_paper);
}

int ExperimentModel::rowCount(const QModelIndex& parent) const
{
    if (!parent.isValid()) {
        return static_cast<int>(papers_.size());
    }
    const bool paper = parent.internalId() == a_paper && parent.column() == 0;
    return paper ? static_cast<int>(
                       papers_[static_cast<std::size_t>(parent.row())].experiments.size())
                 : 0;
}

int ExperimentModel::columnCount(const QModelIndex& /*parent*/) const
{
    return columns;
}

QVariant ExperimentModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid()) {
        return {};
    }
    const Experiment* one = experiment(index);
    if (one == nullptr) {
        const Paper& paper = papers_[static_cast<std::size_t>(index.row())];
        if (role == Qt::FontRole) {
            return bold(QFont());
        }
        return role == Qt::DisplayRole && index.column() == name_column ? paper.name : QVariant();
    }
    if (role == Qt::ToolTipRole) {
        return tr("%1\n%2\nTakes %3 of processor time")
            .arg(text_of(one->title), text_of(one->source), QString::fromStdString(one->takes()));
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    const auto counts = counts_.find(one->name);
    switch (index.column()) {
    case name_column:
        return text_of(one->name);
    case title_column:
        return text_of(one->title);
    default:
        return counts == counts_.end() ? QString() : holding_text(counts->second);
    }
}

QVariant ExperimentModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
    case name_column:
        return tr("Figure");
    case title_column:
        return tr("Shows");
    case findings_column:
        return tr("Hold");
    default:
        return {};
    }
}

Qt::ItemFlags ExperimentModel::flags(const QModelIndex& index) const
{
    if (!index.isValid()) {
        return Qt::NoItemFlags;
    }
    return experiment(index) != nullptr ? Qt::ItemIsEnabled | Qt::ItemIsSelectable
                                        : Qt::ItemIsEnabled;
}

const Experiment* ExperimentModel::experiment(const QModelIndex& index) const
{
    if (!index.isValid() || index.internalId() == a_paper) {
        return nullptr;
    }
    return papers_[index.internalId() - 1].experiments[static_cast<std::size_t>(index.row())];
}

QModelIndex ExperimentModel::index_of(const Experiment& experiment) const
{
    for (int paper = 0; paper < rowCount(); ++paper) {
        const auto& all = papers_[static_cast<std::size_t>(paper)].experiments;
        const auto found = std::ranges::find(all, experiment.name, &Experiment::name);
        if (found != all.end()) {
            return index(static_cast<int>(found - all.begin()), 0, index(paper, 0));
        }
    }
    return {};
}

void ExperimentModel::set_counts(const Experiment& experiment, FindingCounts counts)
{
    counts_[experiment.name] = counts;
    const QModelIndex row = index_of(experiment);
    emit dataChanged(row, row.siblingAtColumn(findings_column));
}

} // namespace texelscope::gui
