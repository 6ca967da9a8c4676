#pragma once

#include "experiments/report/profile_rows.hpp"

#include <QAbstractTableModel>
#include <QColor>
#include <QString>
#include <string>
#include <vector>

namespace texelscope::gui {

/// The values of a device's profile, one a row: key, value, unit, from where it is known, source. Values that the study
/// overrides are bold.
class ProfileModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { key_column, value_column, unit_column, from_column, source_column, columns };

    explicit ProfileModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}

    void set_device(const DeviceProfile& device);
    [[nodiscard]] const std::vector<ProfileRow>& rows() const { return rows_; }

    /// A kind of origin: its word, its colour, what it means.
    struct Origin {
        QString word;
        QColor colour;
        QString about;
    };
    /// All of them, for a legend.
    [[nodiscard]] static std::vector<Origin> origins();
    [[nodiscard]] static Origin origin_of(const ProfileRow& row);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

private:
    std::vector<ProfileRow> rows_;
};

/// Header line "key,value,unit,from,source" and one row for each value.
[[nodiscard]] std::string profile_csv(const std::vector<ProfileRow>& rows);

} // namespace texelscope::gui
