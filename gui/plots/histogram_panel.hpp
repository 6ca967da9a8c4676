#pragma once

#include "gui/plots/histogram_view.hpp"

#include <QWidget>
#include <string>

class QComboBox;

namespace texelscope::gui {

class Session;

/// The cross-block histograms, with what chooses between strides and their cost, copies and exports.
class HistogramPanel : public QWidget {
    Q_OBJECT

public:
    explicit HistogramPanel(Session& session);

    /// Without weights strides alone can be shown.
    void show_series(std::vector<HistogramSeries> series);
    [[nodiscard]] HistogramView& view() { return *view_; }
    /// As the file's name ends: .png, .svg or .csv. Throws bad_input for another one, without a histogram, and where the
    /// file cannot be written.
    void export_to(const std::string& path) const;

private:
    void copy();
    void ask_and_export();

    QComboBox* value_;
    HistogramView* view_;
};

} // namespace texelscope::gui
