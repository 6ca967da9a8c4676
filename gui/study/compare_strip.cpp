#include "gui/study/compare_strip.hpp"

#include "gui/widgets/controls.hpp"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <algorithm>

namespace texelscope::gui {

CompareStrip::CompareStrip(QWidget* parent)
    : QWidget(parent), label_(text_label("compare_label", tr("What is compared"), true)),
      which_(new QButtonGroup(this)), difference_(new QToolButton)
{
    setObjectName("compare_strip");
    auto* row = new QHBoxLayout(this);
    QMargins margins = row->contentsMargins(); // the heat map's, below
    margins.setBottom(0);
    row->setContentsMargins(margins);
    row->addWidget(label_, 1);
    const auto add = [&](QToolButton* button, ShownLaunch which, const char* name,
                         const QString& text, const QString& about, const QString& key) {
        button->setObjectName(name);
        button->setText(text);
        button->setAccessibleName(about);
        button->setToolTip(about + QStringLiteral(" (%1)").arg(key));
        button->setShortcut(QKeySequence(key));
        button->setCheckable(true);
        connect(button, &QToolButton::toggled, button, [button](bool on) { // seen in every theme
            QFont font = button->font();
            font.setBold(on);
            button->setFont(font);
        });
        which_->addButton(button, static_cast<int>(which));
        row->addWidget(button);
    };
    add(new QToolButton, ShownLaunch::a, "compare_a", tr("A"), tr("The heat map shows A"),
        tr("Alt+1"));
    add(new QToolButton, ShownLaunch::b, "compare_b", tr("B"), tr("The heat map shows B"),
        tr("Alt+2"));
    add(difference_, ShownLaunch::difference, "compare_difference", tr("A − B"),
        tr("The heat map shows what A has more than B"), tr("Alt+3"));
    which_->button(static_cast<int>(ShownLaunch::a))->setChecked(true);
    const auto push = [&](const char* name, const QString& text, const QString& about) {
        auto* button = new QPushButton(text);
        button->setObjectName(name);
        button->setToolTip(about);
        row->addWidget(button);
        return button;
    };
    swap_ = push("compare_swap", tr("S&wap"),
                 tr("B becomes the present study, A the one that is kept"));
    connect(swap_, &QPushButton::clicked, this, &CompareStrip::swapped);
    connect(push("compare_forget", tr("Forget B"), tr("Ends the comparison")),
            &QPushButton::clicked, this, &CompareStrip::forgotten);
    connect(which_, &QButtonGroup::idClicked, this,
            [this](int id) { emit chosen(static_cast<ShownLaunch>(id)); });
    hide();
}

void CompareStrip::show_launches(const LaunchResult& a, const LaunchResult& b, bool can_swap)
{
    swap_->setEnabled(can_swap);
    label_->setText(compared_text(a, b));
    label_->setToolTip(label_->text());
    const bool possible = same_images(a, b);
    difference_->setEnabled(possible);
    difference_->setToolTip(
        possible
            ? tr("The heat map shows what A has more than B (Alt+3)")
            : tr("The images of A and B are of other sizes: there is no difference by texels"));
    if (!possible && shown() == ShownLaunch::difference) {
        choose(ShownLaunch::a);
    }
    show();
}

ShownLaunch CompareStrip::shown() const
{
    return isHidden() ? ShownLaunch::a : static_cast<ShownLaunch>(which_->checkedId());
}

void CompareStrip::choose(ShownLaunch which)
{
    which_->button(static_cast<int>(which))->setChecked(true);
    emit chosen(which);
}

QString compared_text(const LaunchResult& a, const LaunchResult& b)
{
    // Where the operator and its shape are the same, they need not be said.
    const auto operator_of = [](const std::string& name) {
        return name.substr(0, name.rfind(' ') + 1);
    };
    const std::size_t shared =
        operator_of(a.name) == operator_of(b.name) ? operator_of(a.name).size() : 0;
    const auto text = [&](const LaunchResult& launch) {
        return QString::fromStdString(launch.name.substr(shared) + " on " + launch.device_name);
    };
    return CompareStrip::tr("A: %1\nB: %2").arg(text(a), text(b));
}

bool same_images(const LaunchResult& a, const LaunchResult& b)
{
    return std::equal(a.images.begin(), a.images.end(), b.images.begin(), b.images.end(),
                      [](const StudyImage& one, const StudyImage& other) {
                          return one.image.extent == other.image.extent;
                      });
}

} // namespace texelscope::gui
