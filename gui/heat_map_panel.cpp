#include "gui/heat_map_panel.hpp"

#include "experiments/heat_map_picture.hpp"
#include "gui/colour_bar.hpp"
#include "gui/go_to_field.hpp"
#include "gui/playback_bar.hpp"
#include "traces/error.hpp"

#include <QBuffer>
#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPixmap>
#include <QSignalBlocker>
#include <QToolButton>
#include <algorithm>

namespace texelscope {
namespace {

/// A combo with a label in front of it that carries its mnemonic.
QComboBox* add_combo(QHBoxLayout* row, const QString& label, const char* object_name, const QString& accessible_name)
{
    auto* combo = new QComboBox;
    combo->setObjectName(object_name);
    combo->setAccessibleName(accessible_name);
    combo->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    auto* text = new QLabel(label);
    text->setBuddy(combo);
    row->addWidget(text);
    row->addWidget(combo);
    return combo;
}

QString image_text(const StudyImage& image)
{
    const QString text = QStringLiteral("%1  %2×%3")
                             .arg(QString::fromStdString(image.image.name))
                             .arg(image.image.extent.width)
                             .arg(image.image.extent.height);
    return image.pattern ? text + QStringLiteral(", ") + QString::fromStdString(to_string(*image.pattern)) : text;
}

} // namespace

HeatMapPanel::HeatMapPanel(QWidget* parent)
    : QWidget(parent), grid_(new QCheckBox(tr("&Blocks"))), lines_(new QCheckBox(tr("&Lines"))),
      order_(new QCheckBox(tr("&Order"))), note_(new QLabel), play_(new QToolButton), view_(new HeatMapView),
      bar_(new ColourBar), go_to_(new GoToField), playback_(new PlaybackBar),
      job_({.progressed = [](const QString&, double) {},
            .finished =
                [this](const std::shared_ptr<Made>& made) {
                    made_.push_back(made);
                    refresh();
                },
            .failed = [this](const QString& line) { say(line); },
            .cancelled = [this] { say(tr("Cancelled")); }})
{
    auto* row = new QHBoxLayout;
    image_ = add_combo(row, tr("&Image"), "image", tr("Image"));
    quantity_ = add_combo(row, tr("&Quantity"), "quantity", tr("Quantity"));
    for (const HeatChoice choice : all_heat_choices) {
        quantity_->addItem(to_text(choice), static_cast<int>(choice));
    }
    resolution_ = add_combo(row, tr("&by"), "resolution", tr("Resolution"));
    resolution_->addItem(tr("texel"), static_cast<int>(HeatResolution::Kind::texel));
    resolution_->addItem(tr("block"), static_cast<int>(HeatResolution::Kind::block));
    resolution_->addItem(tr("L1 line"), static_cast<int>(HeatResolution::Kind::line));
    resolution_->setToolTip(tr("Whether each texel, each block of the storage layout, or each cache line has a value"));
    scale_ = add_combo(row, tr("S&cale"), "scale", tr("Colour scale"));
    scale_->addItem(tr("linear"), static_cast<int>(ValueAxis::linear));
    scale_->addItem(tr("logarithmic"), static_cast<int>(ValueAxis::logarithmic));
    scale_->addItem(tr("percentile"), static_cast<int>(ValueAxis::percentile));
    row->addStretch();
    grid_->setObjectName("block_grid");
    grid_->setChecked(true);
    grid_->setToolTip(tr("Borders of the storage layout's blocks"));
    lines_->setObjectName("cache_lines");
    lines_->setToolTip(tr("Borders between texels of different L1 cache lines, once texels are large enough"));
    order_->setObjectName("storage_order");
    order_->setToolTip(
        tr("The order in memory, as a curve through texels, or through blocks where these are too many"));
    note_->setObjectName("heat_note");
    note_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* fit = new QToolButton;
    fit->setText(tr("Fit"));
    fit->setAccessibleName(tr("Fit the image into the view"));
    fit->setToolTip(tr("Show the whole image (F)"));
    play_->setObjectName("playback");
    play_->setText(tr("Playback"));
    play_->setAccessibleName(tr("Playback of the accesses"));
    play_->setToolTip(tr("The accesses one after the other, and what the L1 holds (Space)"));
    play_->setCheckable(true);
    auto* go_to = new QToolButton;
    go_to->setText(tr("Go to…"));
    go_to->setAccessibleName(tr("Go to a texel"));
    go_to->setToolTip(tr("Go to a texel by its coordinates (G)"));
    auto* overlays = new QHBoxLayout;
    overlays->addWidget(new QLabel(tr("Show")));
    overlays->addWidget(grid_);
    overlays->addWidget(lines_);
    overlays->addWidget(order_);
    overlays->addWidget(note_, 1);
    overlays->addWidget(play_);
    overlays->addWidget(go_to);
    overlays->addWidget(fit);

    auto* layout = new QGridLayout(this);
    layout->addLayout(row, 0, 0, 1, 2);
    layout->addLayout(overlays, 1, 0, 1, 2);
    layout->addWidget(view_, 2, 0);
    layout->addWidget(bar_, 2, 1);
    layout->addWidget(go_to_, 3, 0, 1, 2);
    layout->addWidget(playback_, 4, 0, 1, 2);
    layout->setColumnStretch(0, 1);
    layout->setRowStretch(2, 1);

    for (QComboBox* combo : {image_, quantity_, resolution_}) {
        connect(combo, &QComboBox::currentIndexChanged, this, &HeatMapPanel::refresh);
    }
    connect(scale_, &QComboBox::currentIndexChanged, this, [this] {
        view_->set_axis(axis());
        bar_->show_scale(layer_.kind, view_->scale());
    });
    connect(bar_, &ColourBar::range_changed, view_, &HeatMapView::set_range);
    connect(grid_, &QCheckBox::toggled, view_, &HeatMapView::set_block_grid);
    connect(lines_, &QCheckBox::toggled, view_, &HeatMapView::set_lines);
    connect(order_, &QCheckBox::toggled, view_, &HeatMapView::set_storage_order);
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

HeatChoice HeatMapPanel::quantity() const
{
    return static_cast<HeatChoice>(quantity_->currentData().toInt());
}

HeatResolution::Kind HeatMapPanel::resolution() const
{
    return static_cast<HeatResolution::Kind>(resolution_->currentData().toInt());
}

ValueAxis HeatMapPanel::axis() const
{
    return static_cast<ValueAxis>(scale_->currentData().toInt());
}

void HeatMapPanel::show_study(std::shared_ptr<const LaunchResult> study)
{
    job_.cancel();
    study_ = std::move(study);
    std::erase_if(made_, [this](const auto& made) { return made->launch != study_ && made->launch != other_; });
    list_images();
    playback_->show_study(shown_launch());
    refresh();
}

void HeatMapPanel::compare(std::shared_ptr<const LaunchResult> other, ShownLaunch which)
{
    const std::shared_ptr<const LaunchResult> before = study_ ? shown_launch() : nullptr;
    other_ = std::move(other);
    which_ = other_ ? which : ShownLaunch::a;
    if (study_) {
        list_images();
        if (shown_launch() != before) {
            playback_->show_study(shown_launch());
        }
        refresh();
    }
}

std::shared_ptr<const LaunchResult> HeatMapPanel::shown_launch() const
{
    return which_ == ShownLaunch::b && other_ ? other_ : study_;
}

void HeatMapPanel::list_images()
{
    const QSignalBlocker blocker(image_);
    const int chosen = image_->currentIndex();
    image_->clear();
    for (const StudyImage& image : shown_launch()->images) {
        image_->addItem(image_text(image));
    }
    image_->setCurrentIndex(std::clamp(chosen, 0, std::max(0, image_->count() - 1)));
}

const LateMaps* HeatMapPanel::made(const LaunchResult& launch, HeatChoice choice) const
{
    const auto found = std::find_if(made_.begin(), made_.end(), [&](const auto& made) {
        return made->launch.get() == &launch && made->choice == choice;
    });
    return found == made_.end() ? nullptr : &(*found)->maps;
}

void HeatMapPanel::make(const std::shared_ptr<const LaunchResult>& launch, HeatChoice choice)
{
    say(tr("Looking at every access for %1… (Esc cancels)").arg(to_text(choice)));
    job_.start([launch, choice](const Progress&, const StopToken& stop) {
        return Made{launch, choice, late_maps(*launch, choice, stop)};
    });
    emit counting_started();
}

void HeatMapPanel::say(const QString& text)
{
    note_->setText(text);
    note_->setToolTip(text);
}

void HeatMapPanel::refresh()
{
    if (!study_ || image() >= shown_launch()->images.size()) {
        return;
    }
    const std::shared_ptr<const LaunchResult> launch = shown_launch();
    const HeatChoice choice = quantity();
    const LateMaps* late = made(*launch, choice);
    if (!counted(choice) && late == nullptr) {
        if (!launch->source) {
            return say(tr("The accesses are not there any more"));
        }
        return make(launch, choice); // what is shown stays until the maps are there
    }
    job_.cancel();
    say({});
    std::vector<Image> images;
    for (const StudyImage& each : launch->images) {
        images.push_back(each.image);
    }
    const StoredImage stored = store_images(images, launch->options)[image()];
    const std::optional<TexelCells> cells = heat_cells(resolution(), stored, launch->options.l1.line);
    layer_ = heat_layer(*launch, image(), choice, cells, late);
    if (which_ == ShownLaunch::difference && other_) {
        if (!counted(choice)) {
            say(tr("A − B is of counts: this is A. Choose reads, misses or evictions."));
        } else if (!same_images(*study_, *other_)) {
            say(tr("A and B have images of other sizes: this is A."));
        } else {
            // The cells are A's: where the layouts differ, B's counts are added up over the same texels.
            layer_ = difference_layer(layer_, heat_layer(*other_, image(), choice, cells, nullptr));
            const auto& values = layer_.values.counts;
            if (std::all_of(values.begin(), values.end(), [](std::int64_t value) { return value == 0; })) {
                say(tr("A and B have the same %1 everywhere.").arg(to_text(choice)));
            }
        }
    }
    view_->show_layer(launch, image(), layer_, axis());
    bar_->show_scale(layer_.kind, view_->scale());
    const bool whole = resolution() == HeatResolution::Kind::texel;
    if (!whole && !cells) {
        say(tr("The layout has no blocks: each texel is one."));
    }
    go_to_->set_image(view_->extent());
    playback_->show_image(image());
    emit refreshed();
}

std::string HeatMapPanel::picture()
{
    if (!study_) {
        throw bad_input("there is no heat map yet", "export", "run a study first");
    }
    const StudyImage& shown = shown_launch()->images[image()];
    const bool plain =
        layer_.kind == HeatLayer::Kind::counts && axis() != ValueAxis::percentile && bar_->range() == ColourRange{};
    if (plain) {
        const ColourScale scale = axis() == ValueAxis::linear ? ColourScale::linear : ColourScale::logarithmic;
        const std::string by =
            resolution() == HeatResolution::Kind::texel ? "" : ", by " + resolution_->currentText().toStdString();
        return to_png(heat_map_picture(layer_.values, shown.image.name + " " + layer_.name.toStdString() + by, scale));
    }
    // As it is on the screen, with its colour bar.
    const QPixmap pixels = grab(view_->geometry().united(bar_->geometry()));
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    pixels.save(&buffer, "PNG");
    return bytes.toStdString();
}

} // namespace texelscope
