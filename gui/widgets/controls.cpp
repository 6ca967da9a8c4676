#include "gui/widgets/controls.hpp"

#include "gui/widgets/theme.hpp"

#include <QAbstractItemView>
#include <QApplication>
#include <QEvent>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QToolButton>
#include <algorithm>
#include <cmath>
#include <utility>

namespace texelscope::gui {

QPushButton* push_button(const QString& text, const char* object_name, const QString& about,
                         const QString& tip)
{
    return named_with_tip(new QPushButton(text), object_name, about, tip);
}

QToolButton* tool_button(const QString& text, const QString& about, const QString& tip)
{
    auto* button = named_with_tip(new QToolButton, "", about, tip);
    button->setText(text);
    return button;
}

QLabel* label_for(const QString& text, QWidget* control)
{
    auto* label = new QLabel(text);
    label->setBuddy(control);
    return label;
}

QLabel* text_label(const char* object_name, const QString& about, bool cut)
{
    auto* label = named(new QLabel, object_name, about);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    label->setWordWrap(!cut);
    if (cut) {
        label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    }
    return label;
}

QProgressBar* progress_bar(const char* object_name, const QString& about)
{
    auto* bar = named_with_tip(new QProgressBar, object_name, about);
    bar->setRange(0, 1000);
    return bar;
}

void show_share(QProgressBar& bar, double share)
{
    bar.setValue(static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * bar.maximum())));
}

QSplitter* list_beside_view(QWidget* side, QWidget* view)
{
    auto* parts = new QSplitter;
    parts->setChildrenCollapsible(false);
    parts->addWidget(side);
    parts->addWidget(view);
    parts->setStretchFactor(1, 1);
    const int line = parts->fontMetrics().height();
    parts->setSizes({line * 24, line * 50});
    return parts;
}

QLineEdit* search_line(const char* object_name, const QString& about, const QString& placeholder)
{
    auto* line = named(new QLineEdit, object_name, about);
    line->setPlaceholderText(placeholder);
    line->setClearButtonEnabled(true);
    return line;
}

void set_note_text(QLabel& label, const QString& text, bool error)
{
    QPalette colours; // the parent's, but for what is set here
    if (error) {
        colours.setColor(QPalette::WindowText, error_colour(label.palette()));
    }
    label.setPalette(colours);
    label.setText(text);
}

QFont bold(QFont font)
{
    font.setBold(true);
    return font;
}

void ask_and_write(QWidget* above, const QString& title, const QString& name, const QString& filter,
                   const std::function<void(const std::string& path)>& write)
{
    const QString path = QFileDialog::getSaveFileName(above, title, name, filter);
    if (path.isEmpty()) {
        return;
    }
    try {
        write(path.toStdString());
    } catch (const std::exception& error) {
        QMessageBox::warning(above, title, error.what());
    }
}

EmptyHint::EmptyHint(QWidget* view, const QString& text) : QLabel(view)
{
    setObjectName("empty_hint");
    const QFont plain = QApplication::font();
    // not the view's, which may be of fixed width
    setFont(QFont(plain.family(), plain.pointSize()));
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAlignment(Qt::AlignCenter);
    setWordWrap(true);
    setMargin(fontMetrics().height());
    view->installEventFilter(this);
    setGeometry(view->rect());
    setForegroundRole(QPalette::PlaceholderText);
    show_text(text);
}

void EmptyHint::show_text(const QString& text)
{
    setText(text);
    setVisible(!text.isEmpty());
}

bool EmptyHint::eventFilter(QObject* watched, QEvent* event)
{
    // What is resized while it is being shown is not told of it.
    if (watched == parentWidget() &&
        (event->type() == QEvent::Resize || event->type() == QEvent::Show)) {
        setGeometry(parentWidget()->rect());
    }
    return QLabel::eventFilter(watched, event);
}

void hint_while_empty(QAbstractItemView& view, std::function<QString()> text)
{
    auto* hint = new EmptyHint(view.viewport());
    const QAbstractItemModel* model = view.model();
    const auto refresh = [hint, model, text = std::move(text)] {
        hint->show_text(model->rowCount() == 0 ? text() : QString());
    };
    refresh();
    QObject::connect(model, &QAbstractItemModel::modelReset, hint, refresh);
    QObject::connect(model, &QAbstractItemModel::rowsInserted, hint, refresh);
    QObject::connect(model, &QAbstractItemModel::rowsRemoved, hint, refresh);
    QObject::connect(model, &QAbstractItemModel::layoutChanged, hint, refresh);
}

NotePage::NotePage(QWidget* view, QWidget* parent) : QStackedWidget(parent), note_(new QLabel)
{
    note_->setObjectName("note");
    note_->setAlignment(Qt::AlignCenter);
    note_->setWordWrap(true);
    note_->setMargin(fontMetrics().height());
    note_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    addWidget(view);
    addWidget(note_);
}

void NotePage::show_view()
{
    setCurrentIndex(0);
}

void NotePage::show_note(const QString& note)
{
    note_->setText(note);
    note_->setAccessibleName(note);
    setCurrentWidget(note_);
}

QString NotePage::note() const
{
    return currentWidget() == note_ ? note_->text() : QString();
}

QString share_text(std::int64_t part, std::int64_t whole)
{
    const double share = whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
    return QString::number(share * 100, 'f', 1) + QStringLiteral(" %");
}

QString size_text(Extent2D extent)
{
    return QStringLiteral("%1×%2").arg(extent.width).arg(extent.height);
}

std::vector<std::int64_t> logarithmic_ticks(std::int64_t max)
{
    std::vector<std::int64_t> ticks{0};
    std::int64_t last = 0;
    for (std::int64_t tick = 1; tick <= max; tick *= 10) {
        ticks.push_back(tick);
        last = tick;
        if (tick > max / 10) {
            break;
        }
    }
    if (max >= 2 * std::max<std::int64_t>(last, 1)) {
        ticks.push_back(max);
    }
    return ticks;
}

} // namespace texelscope::gui
