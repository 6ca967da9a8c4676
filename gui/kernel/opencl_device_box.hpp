#pragma once

#include "devices/jobs/opencl_device_info.hpp"

#include <QComboBox>
#include <string>
#include <vector>

namespace texelscope::gui {

/// A choice among the OpenCL devices of this machine.
class OpenClDeviceBox : public QComboBox {
    Q_OBJECT

public:
    /// `none`: whether no device at all can be chosen, which it is to begin with.
    explicit OpenClDeviceBox(bool none, QWidget* parent = nullptr);

    /// The first that is no CPU is chosen, or else the first.
    void show_devices(const std::vector<OpenClDeviceInfo>& devices);

    /// The chosen one as choose_device() takes it; empty where none is.
    [[nodiscard]] std::string selector() const;

private:
    bool none_;
};

/// What to do on a machine without an OpenCL device.
[[nodiscard]] QString no_device_advice();

} // namespace texelscope::gui
