#pragma once

#include "devices/profile/device_profile.hpp"
#include "experiments/probes/kept_probes.hpp"

#include <QSortFilterProxyModel>
#include <QWidget>
#include <string>

class QComboBox;
class QLabel;
class QLineEdit;
class QTableView;

namespace texelscope::gui {

class PlotView;
class ProfileModel;
class Session;

/// The device of a study: every value of its profile with its source, and the plots of probes.
class DevicePanel : public QWidget {
    Q_OBJECT

public:
    explicit DevicePanel(Session& session);

    void show_device(const DeviceProfile& device);
    /// All values as CSV. Throws bad_input before there is a device, and where the file cannot be written.
    void export_to(const std::string& path) const;
    /// The selected rows as lines with tabs to the clipboard; all that the filter lets through where none is selected.
    void copy() const;
    /// Shows the plots of a folder that `texelscope probe` wrote. Throws bad_input where it holds no records.
    void open_probes(const std::string& folder);

private:
    void build_table();
    QWidget* build_probes();
    void ask_and_open_probes();
    void ask_and_export();

    ProfileModel* model_;
    QSortFilterProxyModel* filter_;
    QLabel* name_;
    QLineEdit* text_;
    QTableView* table_;
    KeptPlots probes_;
    QComboBox* probe_;
    PlotView* probe_plot_;
};

} // namespace texelscope::gui
