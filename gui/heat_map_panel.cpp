#include "gui/heat_map_panel.hpp"

#include "gui/colour_bar.hpp"
#include "gui/empty_hint.hpp"
#include "gui/flow_layout.hpp"
#include "gui/go_to_field.hpp"
#include "gui/playback_bar.hpp"
#include "gui/quantities.hpp"
#include "traces/error.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QKeyEvent>
#include <QSignalBlocker>
#include <QToolButton>
#include <algorithm>

namespace texelscope {
namespace {

/// A combo with a label in front of it that carries its mnemonic.
QComboBox* add_combo(FlowLayout* row, const QString& label, const char* object_name, const QString& accessible_name)
{
    auto* combo = new QComboBox;
    combo->setObjectName(object_name);
    combo->setAccessibleName(accessible_name);
    combo->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    row->add_labelled(label, combo);
    return combo;
}

QString image_text(const StudyImage& image)
{
    return QStringLiteral("%1  %2×%3, %4")
        .arg(QString::fromStdString(image.image.name))
        .arg(image.image.extent.width)
        .arg(image.image.extent.height)
        .arg(QString::fromStdString(to_string(image.pattern)));
}

} // namespace

HeatMapPanel::HeatMapPanel(QWidget* parent)
    : QWidget(parent), grid_(new QCheckBox(tr("&Blocks"))), lines_(new QCheckBox(tr("&Lines"))), play_(new QToolButton),
      view_(new HeatMapView), bar_(new ColourBar), go_to_(new GoToField), playback_(new PlaybackBar)
{
    auto* row = new FlowLayout;
    image_ = add_combo(row, tr("&Image"), "image", tr("Image"));
    quantity_ = add_combo(row, tr("&Quantity"), "quantity", tr("Quantity"));
    for (const HeatQuantity quantity : all_heat_quantities) {
        const QString name = QString::fromStdString(to_string(quantity));
        quantity_->addItem(name, static_cast<int>(quantity));
        quantity_->setItemData(quantity_->count() - 1, quantity_tip(QStringLiteral("heat: ") + name), Qt::ToolTipRole);
    }
    scale_ = add_combo(row, tr("S&cale"), "scale", tr("Colour scale"));
    scale_->addItem(tr("linear"), static_cast<int>(ColourScale::linear));
    scale_->addItem(tr("logarithmic"), static_cast<int>(ColourScale::logarithmic));
    grid_->setObjectName("block_grid");
    grid_->setChecked(true);
    grid_->setToolTip(tr("Borders of the storage layout's blocks"));
    lines_->setObjectName("cache_lines");
    lines_->setToolTip(tr("Borders between texels of different L1 cache lines, once texels are large enough"));
    auto* fit = new QToolButton;
    fit->setText(tr("Fit"));
    fit->setAccessibleName(tr("Fit the image into the view"));
    fit->setToolTip(tr("Show the whole image (F)"));
    row->addWidget(grid_);
    row->addWidget(lines_);
    play_->setObjectName("playback");
    play_->setText(tr("Playback"));
    play_->setAccessibleName(tr("Playback of the accesses"));
    play_->setToolTip(tr("The accesses one after the other, and what the L1 holds (Space)"));
    play_->setCheckable(true);
    auto* go_to = new QToolButton;
    go_to->setText(tr("Go to…"));
    go_to->setAccessibleName(tr("Go to a texel"));
    go_to->setToolTip(tr("Go to a texel by its coordinates (G)"));
    row->addWidget(play_);
    row->addWidget(go_to);
    row->addWidget(fit);

    auto* layout = new QGridLayout(this);
    bar_->hide(); // until there is something to measure by it
    hint_ = new EmptyHint(view_, tr("No study yet.\nWrite one down on the left and run it (F5), open a file (Ctrl+O), "
                                    "or take the tour in the Help menu."));
    layout->addLayout(row, 0, 0, 1, 2);
    layout->addWidget(view_, 1, 0);
    layout->addWidget(bar_, 1, 1);
    layout->addWidget(go_to_, 2, 0, 1, 2);
    layout->addWidget(playback_, 3, 0, 1, 2);
    layout->setColumnStretch(0, 1);
    layout->setRowStretch(1, 1);

    for (QComboBox* combo : {image_, quantity_, scale_}) {
        connect(combo, &QComboBox::currentIndexChanged, this, &HeatMapPanel::refresh);
    }
    connect(grid_, &QCheckBox::toggled, view_, &HeatMapView::set_block_grid);
    connect(lines_, &QCheckBox::toggled, view_, &HeatMapView::set_lines);
    connect(fit, &QToolButton::clicked, view_, &HeatMapView::fit);
    connect(play_, &QToolButton::toggled, playback_, &QWidget::setVisible);
    connect(play_, &QToolButton::toggled, view_, [this] { view_->setFocus(); }); // whose keys step through the accesses
    connect(playback_, &PlaybackBar::frame_changed, view_, &HeatMapView::set_playback);
    connect(go_to, &QToolButton::clicked, this, &HeatMapPanel::open_go_to);
    connect(go_to_, &GoToField::chosen, view_, &HeatMapView::go_to);
    connect(go_to_, &GoToField::closed, view_, qOverload<>(&QWidget::setFocus));
}

void HeatMapPanel::open_go_to()
{
    if (study_) {
        go_to_->open();
    }
}

void HeatMapPanel::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Space:
        play_->setChecked(true);
        return playback_->toggle_playing();
    case Qt::Key_Comma:
        return playback_->step(-1);
    case Qt::Key_Period:
        return playback_->step(1);
    case Qt::Key_G:
        return open_go_to();
    default:
        QWidget::keyPressEvent(event);
    }
}

std::size_t HeatMapPanel::image() const
{
    return static_cast<std::size_t>(std::max(0, image_->currentIndex()));
}

HeatQuantity HeatMapPanel::quantity() const
{
    return static_cast<HeatQuantity>(quantity_->currentData().toInt());
}

ColourScale HeatMapPanel::scale() const
{
    return static_cast<ColourScale>(scale_->currentData().toInt());
}

void HeatMapPanel::show_study(std::shared_ptr<const StudyResult> study)
{
    study_ = std::move(study);
    hint_->show_text({});
    bar_->show();
    {
        const QSignalBlocker blocker(image_);
        const int chosen = image_->currentIndex();
        image_->clear();
        for (const StudyImage& image : study_->images) {
            image_->addItem(image_text(image));
        }
        image_->setCurrentIndex(std::clamp(chosen, 0, std::max(0, image_->count() - 1)));
    }
    playback_->show_study(study_);
    refresh();
}

void HeatMapPanel::refresh()
{
    if (study_ && image() < study_->images.size()) {
        view_->show_image(study_, image(), quantity(), scale());
        bar_->show_scale(view_->max(), scale());
        go_to_->set_image(view_->extent());
        playback_->show_image(image());
    }
}

std::string HeatMapPanel::picture() const
{
    if (!study_) {
        throw bad_input("there is no heat map yet", "export", "run a study first");
    }
    const StudyImage& shown = study_->images[image()];
    return to_png(heat_map_picture(shown.map(quantity()), shown.image.name + " " + to_string(quantity()), scale()));
}

} // namespace texelscope
