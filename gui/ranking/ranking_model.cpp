// The table's model. `rows_` has all rows in the order of the model's times; `shown_` the rows that
// are left, in the order in which they are shown.

#include "gui/ranking/ranking_model.hpp"

#include "gui/widgets/controls.hpp"

namespace texelscope::gui {

void RankingModel::set_rows(RankingRows rows)
{
    beginResetModel();
    rows_ = std::move(rows);
    shown_.clear();
    endResetModel();
}

// Only times and compilations changed: the rows stay, and so does the selection.
void RankingModel::set_known(const RankingRows& rows)
{
    rows_.simulated = rows.simulated;
    rows_.measured = rows.measured;
    rows_.compiled = rows.compiled;
    if (!shown_.empty()) {
        emit dataChanged(index(0, RankingColumn::simulated),
                         index(rowCount() - 1, RankingColumn::spills));
    }
}

void RankingModel::show(std::vector<std::size_t> shown)
{
    beginResetModel();
    shown_ = std::move(shown);
    endResetModel();
}

QVariant RankingModel::cell(std::size_t place, int column, int role) const
{
    const std::size_t row = shown_[place];
    switch (role) {
    case Qt::DisplayRole: {
        const std::string text = rows_.text(row, column);
        return text.empty() && (is_time(column) || is_compiled(column))
                   ? QStringLiteral("–")
                   : QString::fromStdString(text);
    }
    case Qt::ToolTipRole:
        return tip(row, column);
    default:
        return {};
    }
}

QString RankingModel::tip(std::size_t row, int column) const
{
    if (is_time(column)) {
        if (column == RankingColumn::predicted) {
            const QString line =
                tr("%1 by the model (%2)")
                    .arg(time_text({rows_.number(row, column)}),
                         QString::fromStdString(to_string(rows_.ranked->variant())));
            const std::size_t alike = rows_.ranked->alike(row);
            return alike == 1 ? line
                              : line + tr("\n%1 configurations are predicted to take this long; "
                                          "simulated times order "
                                          "them, where the ranking has looked at them")
                                           .arg(count_text(static_cast<std::int64_t>(alike)));
        }
        if (const KnownTime* time = rows_.known_time(row, column)) {
            return time_text({time->ns}) + QStringLiteral(": ") +
                   QString::fromStdString(time->source);
        }
        return column == RankingColumn::simulated
                   ? tr("Not simulated yet: “Simulate selected” does it for the selected rows")
                   : tr("Not measured yet: F6 measures the study's kernel, F7 a sample, and “More "
                        "> Take measured "
                        "times from a store…” takes them over");
    }
    if (is_compiled(column)) {
        const Compilation* compilation = rows_.compilation(row);
        return compilation == nullptr
                   ? tr("Not compiled yet: “Compile selected” does it for the selected rows")
                   : QString::fromStdString(compilation->about);
    }
    QStringList lines{QString::fromStdString(rows_.text(row, RankingColumn::configuration))};
    if (rows_.pruning) {
        const auto reasons = rows_.pruning->reasons((*rows_.ranked)[row].index);
        lines << (reasons.empty() ? tr("No criterion of Romou excludes it.")
                                  : tr("Romou's criteria exclude it:"));
        for (const std::string& reason : reasons) {
            lines << QString::fromStdString(reason);
        }
    }
    return lines.join(u'\n');
}

QVariant RankingModel::heading(int column, int role) const
{
    if (role == Qt::DisplayRole) {
        // The unit is on a line of its own: narrow columns leave room for the configuration.
        const QString title = QString::fromStdString(rows_.title(column));
        return is_time(column) ? QString(title).replace(QStringLiteral(", "), QStringLiteral("\n"))
                               : title;
    }
    if (role == Qt::ToolTipRole) {
        switch (column) {
        case RankingColumn::predicted:
            return tr("By the model that is chosen above");
        case RankingColumn::simulated:
            return tr("By the timed simulation of the device profile");
        case RankingColumn::measured:
            return tr("Median on a real device; the tool tip of a time says which");
        case RankingColumn::registers:
            return tr("Of a work-item, 32 bits each, by the GPU's real compiler");
        case RankingColumn::warps:
            return tr("Warps of the device's size that a core holds, by the GPU's real compiler");
        case RankingColumn::spills:
            return tr(
                "Stores and loads of what has no room in registers, by the GPU's real compiler");
        case RankingColumn::pruned:
            return tr(
                "Romou's criteria that exclude the configuration; the tool tip has their numbers");
        case RankingColumn::tile:
            return tr("Outputs of one work-item; ordered by their number");
        case RankingColumn::warp:
            return tr("Block of work-items with consecutive numbers; ordered by its width");
        case RankingColumn::group:
            return tr("Work-items of a work-group; ordered by their number");
        default:
            if (const SchedulePart* part = rows_.part(column)) {
                return QString::fromStdString(part->about);
            }
            return column >= RankingColumn::first_pattern ? tr("Access pattern of this input")
                                                          : QVariant();
        }
    }
    return {};
}

void RankingModel::sort(int column, Qt::SortOrder order)
{
    emit order_asked(column, order);
}

} // namespace texelscope::gui
