#include "gui/start/start_page.hpp"

#include "gui/start/gallery_card.hpp"
#include "gui/start/gallery_picture.hpp"
#include "gui/widgets/controls.hpp"
#include "gui/widgets/flow_layout.hpp"
#include "gui/widgets/theme.hpp"

#include <QEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>
#include <algorithm>

namespace texelscope::gui {
namespace {

constexpr int margin = 16;

QLabel* heading(const QString& text)
{
    auto* label = new QLabel(text);
    label->setFont(bold(label->font()));
    return label;
}

QFont title_font(QFont font)
{
    font.setPointSizeF(font.pointSizeF() * 1.6);
    return bold(font);
}

} // namespace

StartPage::StartPage(QWidget* parent)
    : QWidget(parent), job_({.progressed = {},
                             .finished =
                                 [this](const auto& picture) {
                                     pictures_[drawing_].card->set_picture(*picture);
                                     draw_next();
                                 },
                             // opening the entry says what is wrong
                             .failed = [this](const QString&) { draw_next(); },
                             .cancelled = {}})
{
    setObjectName("start_page");
    setAccessibleName(tr("Start page"));
    auto* title = new QLabel(tr("Texelscope"));
    title->setFont(title_font(title->font()));
    auto* about = new QLabel(tr("A workbench for the 2D texture memory of mobile GPUs: it shows "
                                "which texels a kernel reads, what its caches "
                                "do with them, and how long that takes. A model, a simulator and "
                                "real devices judge each configuration side "
                                "by side, so that you find the fastest one and see why it is."));
    about->setObjectName("start_about");
    about->setWordWrap(true);
    error_ = text_label("start_error", tr("What is wrong"));
    error_->hide();

    auto* below = new QHBoxLayout;
    below->setSpacing(margin);
    below->addWidget(build_ways());
    below->addWidget(build_gallery(), 1);
    auto* rows = new QVBoxLayout(this);
    rows->setContentsMargins(margin, margin / 2, margin, 0);
    rows->addWidget(title);
    rows->addWidget(about);
    rows->addWidget(error_);
    rows->addSpacing(margin / 2);
    rows->addLayout(below, 1);
    show_present({});
    show_recent({});
    setFocusProxy(tour_);
}

QWidget* StartPage::build_ways()
{
    auto* ways = new QWidget;
    ways->setFixedWidth(fontMetrics().averageCharWidth() * 28);
    auto* rows = new QVBoxLayout(ways);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->addWidget(heading(tr("Begin")));
    const auto add = [&](const QString& text, const char* name, const QString& about,
                         void (StartPage::*asked)()) {
        auto* button = push_button(text, name, about);
        button->setAutoDefault(true); // Return presses it
        connect(button, &QPushButton::clicked, this, asked);
        rows->addWidget(button);
        return button;
    };
    tour_ = add(tr("Take the tour"), "start_tour", tr("Five steps over a small example"),
                &StartPage::tour_asked);
    add(tr("Write a study"), "start_study",
        tr("Operator, shape, configuration and device of your own"), &StartPage::study_asked);
    add(tr("Open…"), "start_open",
        tr("A study, device profile, trace, store of results or report (Ctrl+O)"),
        &StartPage::open_asked);
    recent_box_ = new QWidget;
    recent_ = new QVBoxLayout(recent_box_);
    recent_->setContentsMargins(0, margin / 2, 0, 0);
    rows->addWidget(recent_box_);
    rows->addStretch();
    return ways;
}

QWidget* StartPage::build_gallery()
{
    auto* inside = new QWidget;
    auto* rows = new QVBoxLayout(inside);
    rows->setContentsMargins(0, 0, 0, margin);
    FlowLayout* row = nullptr;
    const auto begin_section = [&](const QString& title) {
        auto* label = heading(title);
        label->setContentsMargins(0, rows->isEmpty() ? 0 : margin / 2, 0, 0);
        rows->addWidget(label);
        auto* cards = new QWidget;
        row = new FlowLayout(cards);
        rows->addWidget(cards);
        return label;
    };
    begin_section(tr("Where you were"))->setObjectName("present_heading");
    row->addWidget(add_card({}));
    pictures_.front().card->setObjectName("present_card");
    connect(pictures_.front().card, &GalleryCard::clicked, this, &StartPage::went_on);
    QString section;
    for (const GalleryEntry& entry : gallery()) {
        if (entry.section != section) {
            section = entry.section;
            begin_section(section);
        }
        auto* card = add_card(entry);
        row->addWidget(card);
        connect(card, &GalleryCard::clicked, this, [this, entry] { emit chosen(entry); });
    }
    rows->addStretch();
    same_heights();
    auto* scroll = new QScrollArea;
    scroll->setObjectName("gallery");
    scroll->setAccessibleName(tr("Gallery"));
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(inside);
    scroll->setFocusPolicy(Qt::NoFocus); // the cards have it, and are scrolled to
    return scroll;
}

GalleryCard* StartPage::add_card(const GalleryEntry& entry)
{
    auto* card = new GalleryCard;
    card->set_texts(entry.title, entry.look_for,
                    entry.title.isEmpty() ? QString() : caption(entry));
    pictures_.push_back({card, entry});
    return card;
}

void StartPage::same_heights()
{
    QSize size;
    for (const Picture& each : pictures_) {
        size = size.expandedTo(each.card->sizeHint());
    }
    for (const Picture& each : pictures_) {
        each.card->setFixedSize(size);
    }
}

void StartPage::show_present(const std::optional<StudyForm>& present)
{
    Picture& first = pictures_.front();
    first.card->parentWidget()->setVisible(present.has_value());
    findChild<QLabel*>("present_heading")->setVisible(present.has_value());
    setFocusProxy(present ? first.card : tour_);
    if (!present) {
        first.tried = true;
        return;
    }
    const auto text = [](const std::string& part) { return QString::fromStdString(part); };
    const QString config =
        text(present->config).replace(u';', QStringLiteral("; ")); // where lines can break
    first.card->set_texts(tr("Go on with %1 %2").arg(text(present->op), text(present->shape)),
                          tr("%1 on %2").arg(config, text(present->device)).trimmed());
    if (const auto* before = std::get_if<StudyForm>(&first.entry.opens);
        before == nullptr || *before != *present) {
        first.entry.opens = *present;
        first.tried = false;
    }
    same_heights();
}

void StartPage::show_recent(const QStringList& paths)
{
    while (QLayoutItem* item = recent_->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    recent_box_->setVisible(!paths.isEmpty());
    if (paths.isEmpty()) {
        return;
    }
    recent_->addWidget(heading(tr("Recent files")));
    for (const QString& path : paths) {
        auto* button = new QPushButton;
        button->setObjectName("recent_file");
        button->setFlat(true);
        button->setAutoDefault(true);
        button->setStyleSheet("text-align: left");
        const QString name = QFileInfo(path).fileName();
        button->setText(
            fontMetrics().elidedText(name, Qt::ElideMiddle, fontMetrics().averageCharWidth() * 24));
        button->setAccessibleName(tr("Open %1").arg(path));
        button->setToolTip(path);
        connect(button, &QPushButton::clicked, this, [this, path] { emit recent_chosen(path); });
        recent_->addWidget(button);
    }
}

void StartPage::show_error(const QString& line)
{
    set_note_text(*error_, line, true);
    error_->setVisible(!line.isEmpty());
}

bool StartPage::complete() const
{
    return !job_.running() && std::all_of(pictures_.begin(), pictures_.end(),
                                          [](const Picture& p) { return p.tried; });
}

void StartPage::draw_next()
{
    const auto next =
        std::find_if(pictures_.begin(), pictures_.end(), [](const Picture& p) { return !p.tried; });
    if (next == pictures_.end()) {
        emit completed();
        return;
    }
    next->tried = true;
    drawing_ = static_cast<std::size_t>(next - pictures_.begin());
    job_.start([entry = next->entry, size = next->card->picture_size(),
                grey = untouched_grey(palette()).rgb()](const Progress&, const StopToken& stop) {
        return gallery_picture(entry, size, grey, stop);
    });
}

void StartPage::showEvent(QShowEvent*)
{
    if (!job_.running()) {
        draw_next();
    }
}

void StartPage::hideEvent(QHideEvent*)
{
    if (job_.running()) { // the study that is opened has the processor
        job_.drop();
        pictures_[drawing_].tried = false;
    }
}

void StartPage::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange) {
        for (Picture& each : pictures_) {
            each.tried = !each.card->isVisibleTo(this);
        }
        if (isVisible() && !job_.running()) {
            draw_next();
        }
    }
    QWidget::changeEvent(event);
}

} // namespace texelscope::gui
