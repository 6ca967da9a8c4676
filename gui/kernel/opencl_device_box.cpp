#include "gui/kernel/opencl_device_box.hpp"

#include <QLineEdit>
#include <utility>

namespace texelscope::gui {

OpenClDeviceBox::OpenClDeviceBox(JobRunnerOptions how, const QString& none, QWidget* parent)
    : QComboBox(parent), how_(std::move(how)), none_(none)
{
    setAccessibleName(tr("OpenCL device"));
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(10);
    setEditable(true);
    setInsertPolicy(QComboBox::NoInsert);
    setCompleter(nullptr);
    lineEdit()->setPlaceholderText(tr("Looking for devices…"));
    setEnabled(false);
    connect(this, &QComboBox::currentTextChanged, this, &OpenClDeviceBox::tell);
    connect(this, &QComboBox::currentIndexChanged, this,
            [this] { lineEdit()->setCursorPosition(0); });
    if (!none_.isEmpty()) {
        show_devices({});
    }
}

void OpenClDeviceBox::show_devices(const std::vector<OpenClDeviceInfo>& devices)
{
    clear();
    lineEdit()->setPlaceholderText(tr("no device"));
    for (const OpenClDeviceInfo& device : devices) {
        addItem(QString::fromStdString(device.name), QString::number(device.index));
        setItemData(count() - 1, QString::fromStdString(to_string(device)), Qt::ToolTipRole);
    }
    // A driver that crashes takes its process with it; an agent's is not the window's.
    addItem(tr("agent: in a process of its own"), QStringLiteral("agent:"));
    setItemData(count() - 1,
                tr("What a crash of the driver costs is one run. adb:SERIAL and ssh:HOST can be "
                   "typed here, for a phone or "
                   "another machine"),
                Qt::ToolTipRole);
    if (!none_.isEmpty()) {
        addItem(none_, QString());
    }
    setEnabled(true);
    setCurrentIndex(!devices.empty()
                        ? findData(QString::number(preferred_device(devices, {}).index))
                    : !none_.isEmpty() ? count() - 1
                                       : -1);
    tell();                           // the first one was chosen before it had its tool tip
    lineEdit()->setCursorPosition(0); // a long name is seen from its beginning
}

void OpenClDeviceBox::tell()
{
    // The name is long and may be cut off.
    setToolTip(listed() >= 0 ? itemData(listed(), Qt::ToolTipRole).toString()
                             : tr("agent:[DEVICE], adb:SERIAL[/DEVICE] or ssh:HOST[/DEVICE]"));
}

void OpenClDeviceBox::choose_none()
{
    setCurrentIndex(findText(none_));
}

void OpenClDeviceBox::choose(const OpenClDeviceInfo& device)
{
    setCurrentIndex(findData(QString::number(device.index)));
}

int OpenClDeviceBox::listed() const
{
    // Two devices may have the same name: the chosen one goes first.
    return itemText(currentIndex()) == currentText() ? currentIndex() : findText(currentText());
}

DevicePlace OpenClDeviceBox::place() const
{
    const QString on = listed() >= 0 ? itemData(listed()).toString() : currentText().trimmed();
    return {on.toStdString(), how_};
}

QString no_device_advice()
{
    return OpenClDeviceBox::tr(
        "There is no OpenCL device on this machine. Install a driver, for example the package "
        "pocl-opencl-icd, and start again.");
}

} // namespace texelscope::gui
