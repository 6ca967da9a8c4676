#include "gui/kernel/opencl_device_box.hpp"

namespace texelscope::gui {

OpenClDeviceBox::OpenClDeviceBox(bool none, QWidget* parent) : QComboBox(parent), none_(none)
{
    setAccessibleName(tr("OpenCL device"));
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(10);
    setPlaceholderText(tr("Looking for devices…"));
    setEnabled(false);
    connect(this, &QComboBox::currentIndexChanged, this,
            [this] { setToolTip(currentData(Qt::ToolTipRole).toString()); }); // the name is long and may be cut off
    if (none_) {
        show_devices({});
    }
}

void OpenClDeviceBox::show_devices(const std::vector<OpenClDeviceInfo>& devices)
{
    clear();
    setPlaceholderText(tr("no device"));
    for (const OpenClDeviceInfo& device : devices) {
        addItem(QString::fromStdString(device.name), QString::number(device.index));
        setItemData(count() - 1, QString::fromStdString(to_string(device)), Qt::ToolTipRole);
    }
    if (none_) {
        addItem(tr("none: model and simulator alone"), QString());
    }
    setEnabled(count() > 0);
    setCurrentIndex(devices.empty() ? count() - 1 : findData(QString::number(preferred_device(devices, {}).index)));
}

std::string OpenClDeviceBox::selector() const
{
    return currentData().toString().toStdString();
}

QString no_device_advice()
{
    return OpenClDeviceBox::tr("There is no OpenCL device on this machine. Install a driver, for example the package "
                               "pocl-opencl-icd, and start again.");
}

} // namespace texelscope::gui
