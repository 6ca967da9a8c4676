#pragma once

#include "devices/profile/device_profile.hpp"
#include "workbench/study/launch_result.hpp"

#include <QString>
#include <QWidget>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

class QComboBox;
class QLabel;

namespace texelscope::gui {

/// A launch of a trace file, to be simulated on a device.
struct TraceRequest {
    std::string path;
    int launch = 0; ///< of a native trace
    DeviceProfile device;
};

/// What became of it.
struct TraceResult : LaunchResult {
    TraceRequest request;
    std::vector<std::string> launches; ///< all that the file has, for people to choose from
};

/// Reads and simulates it. Throws bad_input for a file that is damaged or has no such launch,
/// Interrupted when `stop` answers true.
[[nodiscard]] TraceResult run_trace(const TraceRequest& request, const Progress& progress = {},
                                    const StopToken& stop = {});

/// Above the heat map while it shows a trace: which trace, which of its launches, what touched
/// no memory.
class TraceStrip : public QWidget {
    Q_OBJECT

public:
    explicit TraceStrip(QWidget* parent = nullptr);

    void show_trace(const TraceResult& trace);

signals:
    /// To be simulated, on the device that the study names now.
    void launch_chosen(const QString& path, int launch);
    void closed();

private:
    QLabel* label_;
    QComboBox* launch_; ///< seen where there are several
    QLabel* launch_label_;
    QString path_;
};

/// What a trace's simulation did not take in, as sentences; empty where it took in everything.
[[nodiscard]] QString trace_remarks(const TraceResult& trace);

} // namespace texelscope::gui
