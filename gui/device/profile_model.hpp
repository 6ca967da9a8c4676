#pragma once

#include "gui/widgets/table.hpp"
#include "workbench/report/profile_rows.hpp"

#include <QColor>
#include <QString>
#include <string>
#include <vector>

namespace texelscope::gui {

/// The values of a device's profile, one a row: key, value, what the machines that the
/// device can be have, unit, from where it is known, source.
/// Values that the study overrides are bold.
class ProfileModel : public TableModel {
    Q_OBJECT

public:
    enum Column {
        key_column,
        value_column,
        machines_column,
        unit_column,
        from_column,
        source_column,
        columns
    };

    explicit ProfileModel(QObject* parent = nullptr) : TableModel(parent) {}

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

private:
    [[nodiscard]] std::size_t height() const override { return rows_.size(); }
    [[nodiscard]] int width() const override { return columns; }
    [[nodiscard]] bool has_numbers(int column) const override { return column == value_column; }
    [[nodiscard]] QVariant cell(std::size_t row, int column, int role) const override;
    [[nodiscard]] QVariant heading(int column, int role) const override;
    std::vector<ProfileRow> rows_;
};

/// Header line "key,value,machines,unit,from,source" and one row for each value.
[[nodiscard]] std::string profile_csv(const std::vector<ProfileRow>& rows);

} // namespace texelscope::gui
