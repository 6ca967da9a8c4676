#include "gui/study/trace_strip.hpp"

#include "base/error.hpp"
#include "gui/widgets/controls.hpp"
#include "model/tmmodel/item_histogram.hpp"
#include "traces/formats/csv_trace.hpp"
#include "traces/native/trace_file.hpp"

#include <fmt/format.h>

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <filesystem>
#include <utility>

namespace texelscope::gui {
namespace {

struct Loaded {
    std::shared_ptr<const TraceSource> source;
    std::string kernel;
    std::vector<std::string> launches;
};

Loaded load(const TraceRequest& request)
{
    if (!is_native_trace(request.path)) {
        return {read_csv(request.path, {}), {}, {"the only launch"}};
    }
    const TraceFile trace(request.path);
    const int count = trace.launch_count();
    if (request.launch < 0 || request.launch >= count) {
        throw bad_input(count == 0 ? std::string("the trace has no launch")
                                   : fmt::format("there is no launch {}; the trace has {}",
                                                 request.launch, count),
                        request.path, "record the program again, or open another trace");
    }
    Loaded loaded{trace.source(request.launch), trace.launch(request.launch).kernel, {}};
    for (int i = 0; i < count; ++i) {
        const TracedLaunch& launch = trace.launch(i);
        loaded.launches.push_back(fmt::format("{}: {}, {}×{}×{} work-items", i, launch.kernel,
                                              launch.global[0], launch.global[1],
                                              launch.global[2]));
    }
    return loaded;
}

} // namespace

TraceResult run_trace(const TraceRequest& request, const Progress& progress, const StopToken& stop)
{
    // Shares of the progress bar: reading the trace, then simulating, then counting strides.
    constexpr double read = 0.1; // of the whole
    constexpr double simulated = 0.9;
    const auto report = [&](const std::string& stage, double fraction) {
        if (progress) {
            progress(stage, fraction);
        }
    };
    report("reading the trace", 0);
    Loaded loaded = load(request);
    const std::string file = std::filesystem::path(request.path).filename().string();
    const std::string name = loaded.kernel.empty() ? file : loaded.kernel + " of " + file;
    TraceResult result{run_launch(
                           name, loaded.source, request.device.name, request.device.simulation,
                           [&](const std::string& stage, double fraction) {
                               report(stage, read + (simulated - read) * fraction);
                           },
                           stop),
                       request, std::move(loaded.launches)};
    report("counting strides", simulated);
    const ItemHistograms histograms = item_histograms(*result.source, default_block_shapes(), stop);
    for (std::size_t i = 0; i < result.images.size(); ++i) {
        result.images[i].histogram = histograms.mean(static_cast<int>(i));
    }
    report("done", 1);
    return result;
}

TraceStrip::TraceStrip(QWidget* parent)
    : QWidget(parent), label_(text_label("trace_label", tr("Trace"), true)),
      launch_(named_with_tip(new QComboBox, "trace_launch", tr("Launch of the trace"),
                             tr("The launch that is simulated"))),
      launch_label_(label_for(tr("Launch"), launch_))
{
    setObjectName("trace_strip");
    // its list has the whole texts
    launch_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    launch_->setMinimumContentsLength(12);
    auto* again = push_button(tr("Simulate again"), "trace_again",
                              tr("Simulate the trace on the device that the study names (F8)"));
    again->setShortcut(QKeySequence(tr("F8")));
    auto* close = push_button(tr("Close trace"), "trace_close", tr("Back to the study"));
    auto* row = new QHBoxLayout(this);
    QMargins margins = row->contentsMargins(); // the heat map's, below
    margins.setBottom(0);
    row->setContentsMargins(margins);
    row->addWidget(label_, 1);
    row->addWidget(launch_label_);
    row->addWidget(launch_);
    row->addWidget(again);
    row->addWidget(close);
    const auto choose = [this] { emit launch_chosen(path_, launch_->currentIndex()); };
    connect(launch_, &QComboBox::activated, this, choose);
    connect(again, &QPushButton::clicked, this, choose);
    connect(close, &QPushButton::clicked, this, &TraceStrip::closed);
    hide();
}

void TraceStrip::show_trace(const TraceResult& trace)
{
    path_ = QString::fromStdString(trace.request.path);
    const QString remarks = trace_remarks(trace);
    const QString text =
        tr("%1 on %2")
            .arg(QString::fromStdString(trace.name), QString::fromStdString(trace.device_name));
    const QString name = QString::fromStdString(trace.name);
    label_->setText(remarks.isEmpty() ? name : name + QStringLiteral(". ") + remarks);
    label_->setToolTip(text + u'\n' + path_ +
                       (remarks.isEmpty() ? QString() : QStringLiteral("\n") + remarks));
    const QSignalBlocker blocker(launch_);
    launch_->clear();
    for (const std::string& launch : trace.launches) {
        launch_->addItem(QString::fromStdString(launch));
    }
    launch_->setCurrentIndex(trace.request.launch);
    launch_->setVisible(launch_->count() > 1);
    launch_label_->setVisible(launch_->count() > 1);
    show();
}

QString trace_remarks(const TraceResult& trace)
{
    QStringList remarks;
    if (trace.simulation.border_reads > 0) {
        remarks << TraceStrip::tr("%1 reads lie outside of their image and touch no memory.")
                       .arg(count_text(trace.simulation.border_reads));
    }
    return remarks.join(u' ');
}

} // namespace texelscope::gui
