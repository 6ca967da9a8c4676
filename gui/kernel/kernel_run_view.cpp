#include "gui/kernel/kernel_run_view.hpp"

#include "codegen/nest/loop_nest.hpp"
#include "gui/plots/plot_canvas.hpp"
#include "gui/plots/plot_export.hpp"
#include "gui/plots/shown_plot.hpp"
#include "gui/widgets/controls.hpp"

#include <fmt/format.h>

#include <QFontDatabase>
#include <QFormLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QVBoxLayout>
#include <algorithm>

namespace texelscope::gui {
namespace {

QString sizes_text(const Dim3& sizes)
{
    return QStringLiteral("%1×%2×%3").arg(sizes[0]).arg(sizes[1]).arg(sizes[2]);
}

QString operand_text(const Operand& operand)
{
    const QString name = QString::fromStdString(operand.image.name);
    return operand.memory == Memory::buffer
               ? QStringLiteral("%1 buffer of %2").arg(name, count_text(operand.image.extent.width))
               : QStringLiteral("%1 %2").arg(name, size_text(operand.image.extent));
}

QString time_line(const KernelRun& run)
{
    const Measurement& m = run.run.measurement;
    const double spread =
        *std::max_element(m.samples_ns.begin(), m.samples_ns.end()) / m.min_ns() - 1;
    return QStringLiteral("median %1, minimum %2%5\nspread %3 %, %4 GFLOP/s%6")
        .arg(time_text({m.median_ns()}), time_text({m.min_ns()}))
        .arg(100 * spread, 0, 'f', 0)
        .arg(run.flops / m.median_ns(), 0, 'f', 2)
        .arg(m.wall_clock ? QStringLiteral(", by the wall clock") : QString(),
             m.arithmetic == Precision::fp16 ? QStringLiteral(", in half precision") : QString());
}

QString check_line(const OutputCheck& check)
{
    return QString::fromStdString(fmt::format(
        "{}: errors up to {:.2e} absolute\nand {:.2e} relative, {:.2e} allowed",
        check.passed ? "passed" : "FAILED", check.max_abs, check.max_rel, check.tolerance));
}

} // namespace

KernelRun run_kernel(const KernelRunRequest& request, const Progress& progress,
                     const StopToken& stop)
{
    const auto next = [&](const std::string& stage, double fraction) {
        if (stop && stop()) {
            throw Interrupted{};
        }
        if (progress) {
            progress(stage, fraction);
        }
    };
    next("Opening the device", 0.1);
    const OpenClDevice device(request.place.on, request.place.how);
    next("Computing the reference", 0.3);
    const auto inputs =
        as_stored(random_inputs(request.op, request.seed), request.nest.output.storage);
    const Reference reference = make_reference(request.op, inputs, request.nest.output.storage);
    next("Building and running", 0.6);
    RunOptions options;
    options.samples = request.samples;
    options.stop = stop;
    return {device.info(),
            run_checked(request.op, request.nest, device, inputs, reference, options),
            request.nest.flops};
}

KernelRunView::KernelRunView(QWidget* parent)
    : QWidget(parent), note_(text_label("kernel_note", tr("State of the kernel's run"))),
      progress_(progress_bar("kernel_progress", tr("Progress of the kernel's run"))),
      rows_(new QFormLayout), launch_(text_label("kernel_launch", tr("Launch"))),
      images_(text_label("kernel_images", tr("Images"))),
      time_(text_label("kernel_time", tr("Time"))), samples_(new PlotCanvas),
      check_(text_label("kernel_check", tr("Check against the reference"))),
      log_(named(new QPlainTextEdit, "kernel_log", tr("Build log")))
{
    setObjectName("kernel_run_view");
    log_->setReadOnly(true);
    log_->setLineWrapMode(QPlainTextEdit::NoWrap);
    log_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    log_->setFixedHeight(fontMetrics().height() * 8);

    samples_->setAccessibleName(tr("Timing samples"));
    samples_->setObjectName("strip_plot");
    samples_->setFixedHeight(fontMetrics().height() * 4);
    add_plot_export(
        *samples_, [this] { return samples_->plot(); }, QStringLiteral("samples"));
    rows_->setContentsMargins(0, 0, 0, 0);
    rows_->addRow(tr("Launch"), launch_);
    rows_->addRow(tr("Texels"), images_);
    rows_->addRow(tr("Time"), time_);
    rows_->addRow(tr("Samples"), samples_);
    rows_->addRow(tr("Check"), check_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(note_);
    layout->addWidget(progress_);
    layout->addLayout(rows_);
    layout->addWidget(log_);
    rows_->setRowVisible(launch_, false);
    rows_->setRowVisible(images_, false);
    show_note(tr("Run a study (F5) to get a kernel."));
}

void KernelRunView::show_launch(const LoopNest& nest)
{
    const Dim3 global{nest.groups[0] * nest.local[0], nest.groups[1] * nest.local[1],
                      nest.groups[2] * nest.local[2]};
    launch_->setText(tr("global %1, local %2").arg(sizes_text(global), sizes_text(nest.local)));
    QStringList operands;
    for (const Operand& input : nest.inputs) {
        operands << operand_text(input);
    }
    operands << operand_text(nest.output);
    images_->setText(operands.join(QStringLiteral(", ")));
    rows_->setRowVisible(launch_, true);
    rows_->setRowVisible(images_, true);
    show_note(tr("Run (F6) times this kernel on the device and checks its output."));
}

void KernelRunView::show_run(const KernelRun& run)
{
    const Measurement& m = run.run.measurement;
    if (m.status != RunStatus::ok) {
        show_note(QString::fromStdString(run_word(m.status) + ": " + m.reason), true);
        show_log(m.build_log);
        return;
    }
    show_note(
        QString::fromStdString(fmt::format("{} samples on {} ({} texel reads)", m.samples_ns.size(),
                                           run.device.name, to_string(m.backend))));
    time_->setText(time_line(run));
    samples_->show_plot(samples_plot(m.samples_ns, m.median_ns()));
    samples_->setAccessibleDescription(
        tr("%1 samples, median %2").arg(m.samples_ns.size()).arg(time_text({m.median_ns()})));
    set_note_text(*check_, check_line(run.run.check), !run.run.check.passed);
    rows_->setRowVisible(time_, true);
    rows_->setRowVisible(samples_, true);
    rows_->setRowVisible(check_, true);
}

void KernelRunView::show_progress(const QString& stage, double fraction)
{
    show_note(stage);
    show_share(*progress_, fraction);
    progress_->show();
}

void KernelRunView::show_note(const QString& line, bool error)
{
    set_note_text(*note_, line, error);
    progress_->hide();
    rows_->setRowVisible(time_, false);
    rows_->setRowVisible(samples_, false);
    rows_->setRowVisible(check_, false);
    show_log({});
}

void KernelRunView::show_log(const std::string& log)
{
    log_->setPlainText(QString::fromStdString(log));
    log_->setVisible(!log.empty());
}

QString KernelRunView::note() const
{
    return note_->text();
}

} // namespace texelscope::gui
