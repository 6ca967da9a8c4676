#pragma once

#include "devices/profile/device_profile.hpp"

#include <QSortFilterProxyModel>
#include <QWidget>
#include <string>

class QLabel;
class QLineEdit;
class QTableView;

namespace texelscope::gui {

class ProfileModel;
class Session;

/// The device of a study or trace: every value of its profile with its source, so that it is seen
/// what a result rests on. It follows the session and can be filtered, copied and exported.
class DevicePanel : public QWidget {
    Q_OBJECT

public:
    explicit DevicePanel(Session& session);

    void show_device(const DeviceProfile& device);
    /// All values as CSV. Throws bad_input before there is a device, and where the file cannot be
    /// written.
    void export_to(const std::string& path) const;
    /// The selected rows as lines with tabs to the clipboard; all that the filter lets through
    /// where none is selected.
    void copy() const;

private:
    void build_table();
    void ask_and_export();

    ProfileModel* model_;
    QSortFilterProxyModel* filter_;
    QLabel* name_;
    QLineEdit* text_;
    QTableView* table_;
};

} // namespace texelscope::gui
