#pragma once

#include "devices/jobs/opencl_device_info.hpp"
#include "devices/runners/job_runner_options.hpp"

#include <QComboBox>
#include <vector>

namespace texelscope::gui {

/// A choice among the OpenCL devices of this machine, or any that `--on` takes: an agent, a phone
/// behind adb, a host behind ssh.
class OpenClDeviceBox : public QComboBox {
    Q_OBJECT

public:
    /// `how`: the devices are opened. `none`: the text of the choice of no device, which is
    /// selected at first; empty: a device must be chosen.
    explicit OpenClDeviceBox(JobRunnerOptions how, const QString& none = {},
                             QWidget* parent = nullptr);

    /// The first that is no CPU is chosen, or else the first.
    void show_devices(const std::vector<OpenClDeviceInfo>& devices);

    /// No device, where that can be chosen, whatever there is.
    void choose_none();
    /// One of the list.
    void choose(const OpenClDeviceInfo& device);
    /// The chosen or typed one; `on` is empty where none is.
    [[nodiscard]] DevicePlace place() const;

private:
    /// The line of the list whose text is there; negative where something else was typed.
    [[nodiscard]] int listed() const;
    /// Updates the tool tip: what is chosen, or can be typed.
    void tell();

    JobRunnerOptions how_;
    QString none_;
};

/// What to do on a machine without an OpenCL device.
[[nodiscard]] QString no_device_advice();

} // namespace texelscope::gui
