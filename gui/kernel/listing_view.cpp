#include "gui/kernel/listing_view.hpp"

#include "codegen/nest/kernel_launch.hpp"
#include "devices/compilers/mesa_compilers.hpp"
#include "gui/kernel/compiler_lines.hpp"
#include "gui/kernel/legend.hpp"
#include "gui/widgets/controls.hpp"
#include "gui/widgets/theme.hpp"

#include <QEvent>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollBar>
#include <QTextBlock>
#include <QVBoxLayout>
#include <algorithm>

namespace texelscope::gui {
namespace {

bool spills(const ListingLine& line)
{
    return line.times > 0 && line.what == InstructionClass::spill;
}

/// The ground of a line that is marked; none for others. Reads stand out before waits.
std::optional<QColor> ground_of(const ListingLine& line, const QPalette& palette)
{
    return line.reads_texture()           ? std::optional(added_ground(palette))
           : line.waits() || spills(line) ? std::optional(removed_ground(palette))
                                          : std::nullopt;
}

} // namespace

ListingView::ListingView(QWidget* parent)
    : QWidget(parent),
      summary_(text_label("listing_summary", tr("What the compiler says of the kernel"))),
      spills_(text_label("listing_spills", tr("Whether the kernel spills"))),
      legend_(named(new QLabel, "listing_legend", tr("What the marks of the listing mean"))),
      progress_(progress_bar("listing_progress", tr("The kernel is being compiled"))),
      cancel_(push_button(tr("Cancel"), "listing_cancel", tr("Cancel compiling"),
                          tr("Stop compiling (Esc)"))),
      again_(push_button(tr("Compile"), "listing_compile", tr("Compile the kernel"))),
      listing_(named(new QPlainTextEdit, "listing", tr("Listing of the compiled kernel"))),
      hint_(new EmptyHint(listing_->viewport())),
      job_({.progressed = {},
            .finished =
                [this](const std::shared_ptr<CompiledKernel>& kernel) {
                    kernel_ = std::move(*kernel);
                    end_with({});
                    emit compiled(*kernel_);
                },
            .failed = [this](const QString& line) { end_with(line); },
            .cancelled = [this] { end_with(tr("Cancelled.")); }})
{
    setObjectName("listing_view");
    progress_->setRange(0, 0); // nobody knows how long it takes
    spills_->setFont(bold(font()));
    legend_->setTextFormat(Qt::RichText);
    legend_->setWordWrap(true);
    listing_->setReadOnly(true);
    listing_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    listing_->setLineWrapMode(QPlainTextEdit::NoWrap);
    listing_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));

    auto* row = new QHBoxLayout;
    row->addWidget(progress_, 1);
    row->addWidget(cancel_);
    row->addWidget(again_);
    row->addStretch();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(summary_);
    layout->addWidget(spills_);
    layout->addWidget(legend_);
    layout->addLayout(row);
    layout->addWidget(listing_, 1);
    connect(cancel_, &QPushButton::clicked, this, &ListingView::cancel);
    connect(again_, &QPushButton::clicked, this, &ListingView::compile);
    hint_->show_text(tr("No kernel yet.\nRun a study (F5) to get one."));
    show_state();
}

void ListingView::show_kernel(const std::string& text, const std::string& profile)
{
    // The same kernel for the same GPU: what was compiled is still right.
    if (kernel_ && text == text_ && profile == profile_) {
        return;
    }
    job_.drop();
    text_ = text;
    profile_ = profile;
    kernel_.reset();
    compiled_ = false;
    show_compiled();
    hint_->show_text({});
    if (isVisible()) {
        compile();
    }
}

void ListingView::compile()
{
    if (text_.empty()) {
        return;
    }
    compiled_ = true;
    kernel_.reset();
    const CompilerChoice choice = choose_compiler(profile_);
    if (choice.gpu == nullptr) {
        end_with(choice.why_not);
        return;
    }
    job_.start([gpu = choice.gpu, text = text_](const Progress&, const StopToken& stop) {
        return MesaCompilers().compile(*gpu, text, kernel_build_options, stop);
    });
    show_compiled();
    hint_->show_text(choice.gpu->family == CompilerFamily::mali
                         ? tr("Compiling for %1 …\nThis takes seconds; a GPU's first kernel up to "
                              "half a minute.")
                               .arg(choice.gpu->name)
                         : tr("Compiling for %1 …").arg(choice.gpu->name));
    emit started();
}

void ListingView::cancel()
{
    job_.cancel();
}

void ListingView::end_with(const QString& line)
{
    show_compiled();
    hint_->show_text(line);
    emit ended();
}

void ListingView::show_compiled()
{
    QString text;
    if (kernel_) {
        summary_->setText(
            tr("%1: %2.").arg(QString::fromStdString(kernel_->gpu), compiled_summary(*kernel_)));
        summary_->setToolTip(compiled_details(*kernel_));
        set_note_text(*spills_, spills_line(*kernel_), true);
        for (const ListingLine& line : kernel_->listing) {
            text += line.reads_texture() ? u'T' : spills(line) ? u's' : u' ';
            text += line.waits() ? u'w' : u' ';
            text += u' ' + QString::fromStdString(line.text) + u'\n';
        }
        text.chop(1);
    }
    listing_->setPlainText(text);
    colour_lines();
    show_state();
    if (kernel_) { // the first read, with what is before it
        constexpr std::ptrdiff_t before = 3;
        const auto first = std::ranges::find_if(kernel_->listing, &ListingLine::reads_texture);
        const bool any = first != kernel_->listing.end();
        listing_->verticalScrollBar()->setValue(
            any ? static_cast<int>(first - kernel_->listing.begin() - before) : 0);
    }
}

void ListingView::colour_lines()
{
    const QString gap = QStringLiteral(" &nbsp; ");
    QString legend =
        legend_entry(QStringLiteral("T"), added_ground(palette()), tr("reads texels")) + gap +
        legend_entry(QStringLiteral("w"), removed_ground(palette()), tr("waits for them"));
    QList<QTextEdit::ExtraSelection> grounds;
    int number = 0;
    bool any_spill = false;
    for (const ListingLine& line : kernel_ ? kernel_->listing : std::vector<ListingLine>()) {
        any_spill = any_spill || spills(line);
        if (const auto ground = ground_of(line, palette())) {
            QTextEdit::ExtraSelection selection;
            selection.cursor = QTextCursor(listing_->document()->findBlockByNumber(number));
            selection.format.setBackground(*ground);
            selection.format.setProperty(QTextFormat::FullWidthSelection, true);
            grounds << selection;
        }
        ++number;
    }
    listing_->setExtraSelections(grounds);
    if (any_spill) {
        legend += gap + legend_entry(QStringLiteral("s"), removed_ground(palette()), tr("spills"));
    }
    legend_->setText(legend);
}

void ListingView::show_state()
{
    const bool runs = running();
    summary_->setVisible(kernel_.has_value());
    spills_->setVisible(kernel_ && !spills_line(*kernel_).isEmpty());
    legend_->setVisible(kernel_.has_value());
    progress_->setVisible(runs);
    cancel_->setVisible(runs);
    again_->setVisible(!runs && !kernel_ && compiled_);
}

void ListingView::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (!compiled_) {
        compile();
    }
}

void ListingView::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange && kernel_) {
        show_compiled(); // colours are in the legend's text and in the note's palette
    }
    QWidget::changeEvent(event);
}

} // namespace texelscope::gui
