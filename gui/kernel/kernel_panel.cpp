#include "gui/kernel/kernel_panel.hpp"

#include "base/atomic_file.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "gui/kernel/kernel_run_view.hpp"
#include "gui/kernel/kernel_text.hpp"
#include "gui/kernel/legend.hpp"
#include "gui/kernel/listing_view.hpp"
#include "gui/kernel/opencl_device_box.hpp"
#include "gui/study/session.hpp"
#include "gui/widgets/controls.hpp"
#include "gui/widgets/flow_layout.hpp"
#include "gui/widgets/theme.hpp"
#include "workbench/study/study.hpp"

#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QSplitter>
#include <QVBoxLayout>

namespace texelscope::gui {

KernelPanel::KernelPanel(Session& session)
    : session_(session), device_(new OpenClDeviceBox(session.devices())),
      samples_(named_with_tip(new QSpinBox, "kernel_samples", tr("Timing samples"),
                              tr("Timed launches, after two that warm the device up"))),
      run_(push_button(tr("Run"), "kernel_run", tr("Run the kernel on the device (F6)"))),
      cancel_(push_button(tr("Cancel"), "kernel_cancel", tr("Cancel the kernel's run"))),
      copy_(push_button(tr("Copy"), "kernel_copy", tr("Copy the kernel's text"))),
      save_(push_button(tr("Save…"), "kernel_save", tr("Save the kernel's text"))),
      compare_(push_button(
          tr("Compare with…"), "kernel_compare",
          tr("Keep this kernel, and show how the kernels of later configurations differ from it"))),
      clear_(push_button(tr("Clear"), "kernel_clear", tr("End the comparison"))),
      lists_(push_button(tr("Listing"), "kernel_lists", tr("Compile kernels and show the listing"),
                         tr("What the real compiler of the device's GPU makes of the kernel"))),
      legend_(new QLabel), text_(new KernelText), listing_(new ListingView),
      result_(new KernelRunView),
      job_({[this](const QString& stage, double fraction) {
                result_->show_progress(stage, fraction);
            },
            [this](const std::shared_ptr<KernelRun>& run) {
                result_->show_run(*run);
                // Other docks only hear of times whose output was right.
                if (run->run.measurement.status == RunStatus::ok && run->run.check.passed) {
                    emit session_.measured(parse_schedule(kernel_->nest.schedule_text),
                                           {run->run.measurement.median_ns()}, run->device.name);
                }
                show_buttons();
                emit ended();
            },
            [this](const QString& line) { end_with(line, true); },
            [this] { end_with(tr("Cancelled."), false); }})
{
    setObjectName("kernel_panel");
    device_->setObjectName("kernel_device");
    connect(device_, &QComboBox::currentTextChanged, this, [this] { show_buttons(); });
    samples_->setRange(1, 1000);
    samples_->setValue(RunOptions().samples);
    legend_->setObjectName("kernel_legend");
    legend_->setWordWrap(true);
    legend_->setSizePolicy(QSizePolicy::Ignored,
                           QSizePolicy::Preferred); // a long configuration does not widen the dock
    legend_->setTextFormat(Qt::RichText);

    device_->setMinimumContentsLength(16);
    auto* run_row = new FlowLayout;
    run_row->addWidget(device_);
    run_row->add_labelled(tr("Samples"), samples_);
    run_row->addWidget(run_);
    run_row->addWidget(cancel_);
    auto* text_row = new FlowLayout;
    text_row->addWidget(copy_);
    text_row->addWidget(save_);
    text_row->addWidget(compare_);
    text_row->addWidget(clear_);
    text_row->addWidget(lists_);
    lists_->setCheckable(true);
    auto* texts = named(new QSplitter, "kernel_texts", {});
    texts->setChildrenCollapsible(false);
    texts->addWidget(text_);
    texts->addWidget(listing_);
    hint_ = new EmptyHint(text_->viewport(), tr("No kernel yet.\nRun a study (F5) to get one."));
    auto* layout = new QVBoxLayout(this);
    layout->addLayout(run_row);
    layout->addLayout(text_row);
    layout->addWidget(legend_);
    layout->addWidget(texts, 1);
    layout->addWidget(result_);

    connect(run_, &QPushButton::clicked, this, &KernelPanel::run);
    connect(cancel_, &QPushButton::clicked, this, &KernelPanel::cancel);
    connect(copy_, &QPushButton::clicked, this, [this] {
        QGuiApplication::clipboard()->setText(QString::fromStdString(kernel_->text));
    });
    connect(save_, &QPushButton::clicked, this, &KernelPanel::ask_and_save);
    connect(compare_, &QPushButton::clicked, this, &KernelPanel::keep_for_comparison);
    connect(clear_, &QPushButton::clicked, this, &KernelPanel::end_comparison);
    connect(&session_, &Session::study_shown, this, [this] {
        const StudyResult& study = *session_.study();
        show_kernel(study.request.op, study.nest, study.kernel_text, study.request.seed,
                    study.request.device.name);
    });
    connect(lists_, &QPushButton::toggled, this, &KernelPanel::place_texts);
    connect(listing_, &ListingView::started, this, [this] { session_.jobs().started(*listing_); });
    connect(listing_, &ListingView::compiled, this, [this](const CompiledKernel& kernel) {
        emit session_.compiled(parse_schedule(kernel_->nest.schedule_text), kernel);
    });
    connect(&session_, &Session::trace_shown, this, &KernelPanel::cancel);
    connect(&session_, &Session::kernel_run_wanted, this, &KernelPanel::run);
    connect(&session_, &Session::kept_as_b, this, &KernelPanel::keep_for_comparison);
    connect(&session_, &Session::forgotten, this, &KernelPanel::end_comparison);
    connect(&session_, &Session::devices_found, this, &KernelPanel::show_devices);
    show_text();
}

void KernelPanel::show_kernel(const Operator& op, const LoopNest& nest, const std::string& text,
                              std::uint64_t seed, const std::string& profile)
{
    job_.drop();
    kernel_ = Kernel{op, nest, text, seed};
    hint_->show_text({});
    result_->show_launch(nest);
    listing_->show_kernel(text, profile);
    show_text();
}

void KernelPanel::show_devices(const std::vector<OpenClDeviceInfo>& devices)
{
    device_->show_devices(devices);
    if (devices.empty()) {
        result_->show_note(no_device_advice());
    }
    show_buttons();
}

void KernelPanel::run()
{
    if (!kernel_) {
        result_->show_note(tr("Run a study (F5) to get a kernel."), true);
    } else if (device_->place().on.empty()) {
        result_->show_note(no_device_advice(), true);
    } else {
        result_->show_progress(tr("Waiting for the device"), 0);
        job_.start([request = KernelRunRequest{kernel_->op, kernel_->nest, device_->place(),
                                               kernel_->seed, samples_->value()}](
                       const Progress& progress, const StopToken& stop) {
            return run_kernel(request, progress, stop);
        });
        show_buttons();
        session_.jobs().started(*this);
    }
}

void KernelPanel::cancel()
{
    job_.cancel();
}

void KernelPanel::keep_for_comparison()
{
    kept_ = kernel_;
    show_text();
}

void KernelPanel::end_comparison()
{
    kept_.reset();
    show_text();
}

void KernelPanel::save(const std::string& path)
{
    try {
        write_file_atomically(path, kernel_->text);
    } catch (const std::exception& error) {
        result_->show_note(error.what(), true);
    }
}

void KernelPanel::ask_and_save()
{
    ask_and_write(this, tr("Save the kernel"), "kernel.cl", tr("OpenCL C (*.cl)"),
                  [this](const std::string& path) { save(path); });
}

void KernelPanel::show_text()
{
    const bool differ = kernel_ && kept_ && kernel_->text != kept_->text;
    if (differ) {
        text_->show_diff(line_diff(kept_->text, kernel_->text));
        legend_->setText(legend_entry(QStringLiteral("−"), removed_ground(palette()),
                                      QString::fromStdString(kept_->title())) +
                         QStringLiteral("<br>") +
                         legend_entry(QStringLiteral("+"), added_ground(palette()),
                                      QString::fromStdString(kernel_->title())));
        legend_->setToolTip(QString::fromStdString(kept_->title() + "\n" + kernel_->title()));
    } else {
        text_->show_text(kernel_ ? kernel_->text : std::string());
        legend_->setText(
            tr("This kernel is kept. Run another configuration to see how its kernel differs."));
    }
    place_texts();
    show_buttons();
}

void KernelPanel::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange) {
        show_text(); // the legend's colours are in its text
    }
    QWidget::changeEvent(event);
}

void KernelPanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    place_texts();
}

void KernelPanel::place_texts()
{
    // Average letters that text and listing together need to stand side by side.
    constexpr int letters = 70;
    const bool both = width() >= letters * text_->fontMetrics().averageCharWidth();
    text_->setVisible(both || !lists_->isChecked());
    legend_->setVisible(kept_ && !text_->isHidden());
    listing_->setVisible(lists_->isChecked());
}

void KernelPanel::show_buttons()
{
    run_->setEnabled(kernel_ && !device_->place().on.empty());
    cancel_->setEnabled(job_.running());
    copy_->setEnabled(kernel_.has_value());
    save_->setEnabled(kernel_.has_value());
    compare_->setEnabled(kernel_.has_value());
    clear_->setEnabled(kept_.has_value());
}

void KernelPanel::end_with(const QString& line, bool error)
{
    result_->show_note(line, error);
    show_buttons();
    emit ended();
}

} // namespace texelscope::gui
