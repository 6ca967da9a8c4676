#include "gui/study/trace_strip.hpp"

#include "gui/widgets/controls.hpp"
#include "gui/widgets/number_text.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>

namespace texelscope::gui {

TraceStrip::TraceStrip(QWidget* parent)
    : QWidget(parent), label_(text_label("trace_label", tr("Trace"), true)),
      launch_(
          named_with_tip(new QComboBox, "trace_launch", tr("Launch of the trace"), tr("The launch that is simulated"))),
      launch_label_(label_for(tr("Launch"), launch_))
{
    setObjectName("trace_strip");
    launch_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
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
        tr("Trace: %1 on %2").arg(QString::fromStdString(trace.name), QString::fromStdString(trace.device_name));
    label_->setText(remarks.isEmpty() ? text : text + QStringLiteral(". ") + remarks);
    label_->setToolTip(path_ + (remarks.isEmpty() ? QString() : QStringLiteral("\n") + remarks));
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
    if (trace.left_out > 0) {
        remarks << TraceStrip::tr("%1 reads of images with layers are left out.").arg(count_text(trace.left_out));
    }
    if (trace.simulation.border_reads > 0) {
        remarks << TraceStrip::tr("%1 reads lie outside of their image and touch no memory.")
                       .arg(count_text(trace.simulation.border_reads));
    }
    return remarks.join(u' ');
}

} // namespace texelscope::gui
