#include "gui/device/profile_model.hpp"

#include "base/csv.hpp"
#include "gui/study/study_panel.hpp"
#include "gui/widgets/controls.hpp"
#include "gui/widgets/theme.hpp"

#include <QFont>
#include <QStringList>

namespace texelscope::gui {
namespace {

bool is_overridden(const ProfileRow& row)
{
    return row.source == override_source;
}

ProfileModel::Origin origin_of(Provenance provenance)
{
    const QString word = QString::fromStdString(to_string(provenance));
    switch (provenance) {
    case Provenance::measured:
        return {word, category_colour(2), QObject::tr("by a benchmark on the device")};
    case Provenance::datasheet:
        return {word, category_colour(0),
                QObject::tr("the vendor's documentation, or the device's own answer")};
    case Provenance::driver:
        return {word, category_colour(4), QObject::tr("the source of an open driver")};
    case Provenance::identified:
        return {word, category_colour(3), QObject::tr("fitted to measurements by a model")};
    case Provenance::inferred:
        return {word, category_colour(6), QObject::tr("follows from other published values")};
    case Provenance::assumed:
        break;
    }
    return {word, category_colour(1),
            QObject::tr("nothing is known; the source says why this value")};
}

/// Values that no profile mentions have the program's default, and no provenance.
ProfileModel::Origin default_origin()
{
    return {QObject::tr("default"), QColor(0x99, 0x99, 0x99),
            QObject::tr("the profile leaves it out")};
}

ProfileModel::Origin override_origin()
{
    return {QObject::tr("set by hand"), category_colour(5), QObject::tr("a setting of the study")};
}

} // namespace

void ProfileModel::set_device(const DeviceProfile& device)
{
    beginResetModel();
    rows_ = profile_rows(device);
    endResetModel();
}

std::vector<ProfileModel::Origin> ProfileModel::origins()
{
    std::vector<Origin> origins;
    for (const Provenance provenance :
         {Provenance::measured, Provenance::datasheet, Provenance::driver, Provenance::identified,
          Provenance::inferred, Provenance::assumed}) {
        origins.push_back(gui::origin_of(provenance));
    }
    origins.push_back(default_origin());
    origins.push_back(override_origin());
    return origins;
}

ProfileModel::Origin ProfileModel::origin_of(const ProfileRow& row)
{
    return is_overridden(row) ? override_origin()
           : row.from         ? gui::origin_of(*row.from)
                              : default_origin();
}

QVariant ProfileModel::cell(std::size_t row, int column, int role) const
{
    const ProfileRow& value = rows_[row];
    const Origin origin = origin_of(value);
    const QString source = QString::fromStdString(value.source);
    switch (role) {
    case Qt::DisplayRole:
        return QStringList{QString::fromStdString(value.key),
                           QString::fromStdString(value.value),
                           QString::fromStdString(value.machines),
                           QString::fromStdString(value.unit),
                           origin.word,
                           source}
            .at(column);
    case Qt::ToolTipRole:
        switch (column) {
        case source_column:
            return source;
        case machines_column:
            return value.machines.empty()     ? QString()
                   : value.machines == "open" ? QObject::tr("what was measured does not tell it")
                                              : QObject::tr("80 % of the machines that agree with "
                                                            "what was measured");
        case from_column:
            return QStringLiteral("%1: %2").arg(origin.word, origin.about);
        default:
            return QString::fromStdString(value.about + ": " + value.value + " " + value.unit)
                .trimmed();
        }
    case Qt::DecorationRole:
        return column == from_column ? QVariant(origin.colour) : QVariant();
    case Qt::FontRole:
        return is_overridden(value) ? QVariant(bold({})) : QVariant();
    default:
        return {};
    }
}

QVariant ProfileModel::heading(int column, int role) const
{
    return role == Qt::DisplayRole ? QVariant(QStringList{tr("Key"), tr("Value"), tr("Machines"),
                                                          tr("Unit"), tr("From"), tr("Source")}
                                                  .at(column))
                                   : QVariant();
}

std::string profile_csv(const std::vector<ProfileRow>& rows)
{
    std::string csv = "key,value,machines,unit,from,source\n";
    for (const ProfileRow& row : rows) {
        const std::string from = ProfileModel::origin_of(row).word.toStdString();
        for (const std::string* field : {&row.key, &row.value, &row.machines, &row.unit, &from}) {
            csv += csv_field(*field) + ",";
        }
        csv += csv_field(row.source) + "\n";
    }
    return csv;
}

} // namespace texelscope::gui
