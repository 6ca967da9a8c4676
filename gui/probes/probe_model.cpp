#include "gui/probes/probe_model.hpp"

#include "gui/widgets/controls.hpp"

#include <utility>

namespace texelscope::gui {

void ProbeModel::set_records(ProbeRecords records)
{
    records_ = std::move(records);
    emit dataChanged(index(0, 0), index(rowCount() - 1, state_column));
}

QVariant ProbeModel::cell(std::size_t row, int column, int role) const
{
    const Probe& probe = probes()[row];
    const auto record = records_.find(probe.name);
    const bool known = record != records_.end();
    if (role == Qt::ToolTipRole) {
        const QString about = QString::fromStdString(probe.about);
        return known && !record->second.reason.empty()
                   ? about + u'\n' + QString::fromStdString(record->second.reason)
                   : about;
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (column) {
    case name_column:
        return QString::fromStdString(probe.name);
    case about_column:
        return QString::fromStdString(probe.about);
    default:
        return known ? QString::fromStdString(to_string(record->second.status)) : QString();
    }
}

QVariant ProbeModel::heading(int column, int role) const
{
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (column) {
    case name_column:
        return tr("Probe");
    case about_column:
        return tr("Measures");
    default:
        return tr("State");
    }
}

} // namespace texelscope::gui
