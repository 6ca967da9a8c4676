// The heat map's dock: what is chosen (image, quantity, resolution, coordinates, scale, overlays),
// the view and its colour bar, and below them notes, the field for a texel, and the playback.
// refresh() is the hub: it makes a picture of what is chosen, in the background where that takes
// long, and first starts the simulation that a quantity may need.

#include "gui/heat_map/heat_map_panel.hpp"

#include "base/error.hpp"
#include "gui/heat_map/colour_bar.hpp"
#include "gui/heat_map/first_view.hpp"
#include "gui/heat_map/go_to_field.hpp"
#include "gui/heat_map/playback_bar.hpp"
#include "gui/study/quantities.hpp"
#include "gui/widgets/controls.hpp"
#include "gui/widgets/flow_layout.hpp"
#include "workbench/plots/heat_map_picture.hpp"

#include <QBuffer>
#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPixmap>
#include <QSignalBlocker>
#include <QToolButton>
#include <algorithm>
#include <utility>

namespace texelscope::gui {
namespace {

/// A combo with a label in front of it that carries its mnemonic.
QComboBox* add_combo(FlowLayout* row, const QString& label, const char* object_name,
                     const QString& accessible_name)
{
    auto* combo = named(new QComboBox, object_name, accessible_name);
    combo->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    row->add_labelled(label, combo);
    return combo;
}

QString image_text(const StudyImage& image)
{
    const QString text = QStringLiteral("%1  %2").arg(QString::fromStdString(image.image.name),
                                                      size_text(image.image.extent));
    return image.pattern
               ? text + QStringLiteral(", ") + QString::fromStdString(to_string(*image.pattern))
               : text;
}

} // namespace

HeatMapPanel::HeatMapPanel(QWidget* parent)
    : QWidget(parent), grid_(new QCheckBox(tr("&Blocks"))), lines_(new QCheckBox(tr("Lines"))),
      order_(new QCheckBox(tr("Order"))), fold_(new QCheckBox(tr("Fold"))),
      overview_(new QCheckBox(tr("Overview"))), note_(new QLabel),
      play_(tool_button(tr("Playback"), tr("Playback of the accesses"),
                        tr("The accesses one after the other, and what the L1 holds (Space)"))),
      view_(new HeatMapView), bar_(new ColourBar), go_to_(new GoToField),
      playback_(new PlaybackBar),
      // Three jobs in the background: `counting_` makes maps that the user asked for, `touching_`
      // the last warps for the readout beside the mouse, `preparing_` the picture of a large image.
      counting_(
          {.progressed = {},
           .finished =
               [this](const std::shared_ptr<Made>& made) {
                   made_.push_back(made);
                   refresh();
               },
           .failed = [this](const QString& line) { say_instead(line); },
           .cancelled = [this] { say_instead(tr("Cancelled. Choosing a quantity draws it.")); }}),
      touching_({.progressed = {},
                 .finished =
                     [this](const std::shared_ptr<Made>& made) {
                         made_.push_back(made);
                         if (view_->picture()) {
                             tell_last_touches(view_->picture()->launch);
                         }
                     },
                 .failed = {},
                 .cancelled = {}}),
      preparing_(
          {.progressed = {},
           .finished =
               [this](const std::shared_ptr<HeatPicture>& picture) { show_picture(picture); },
           .failed = [this](const QString& line) { say(line); },
           .cancelled = {}})
{
    auto* row = new FlowLayout;
    image_ = add_combo(row, tr("&Image"), "image", tr("Image"));
    quantity_ = add_combo(row, tr("&Quantity"), "quantity", tr("Quantity"));
    for (const HeatChoice choice : all_heat_choices) {
        const QString name = to_text(choice);
        quantity_->addItem(name, static_cast<int>(choice));
        quantity_->setItemData(quantity_->count() - 1,
                               quantity_tip(QStringLiteral("heat: ") + name), Qt::ToolTipRole);
    }
    resolution_ = add_combo(row, tr("b&y"), "resolution", tr("Resolution"));
    resolution_->addItem(tr("texel"), static_cast<int>(HeatResolution::Kind::texel));
    resolution_->addItem(tr("block"), static_cast<int>(HeatResolution::Kind::block));
    resolution_->addItem(tr("L1 line"), static_cast<int>(HeatResolution::Kind::line));
    resolution_->setToolTip(
        tr("Whether each texel, each block of the storage layout, or each cache line has a value"));
    coordinates_ = add_combo(row, tr("in"), "coordinates", tr("Coordinates"));
    coordinates_->addItem(tr("texels"), false);
    coordinates_->addItem(tr("tensor"), true);
    coordinates_->setToolTip(tr("The image, texel by texel, or the tensor that it holds, element "
                                "by element: each with the value "
                                "of its texel"));
    scale_ = add_combo(row, tr("Sca&le"), "scale", tr("Colour scale"));
    scale_->addItem(tr("linear"), static_cast<int>(ValueAxis::linear));
    scale_->addItem(tr("logarithmic"), static_cast<int>(ValueAxis::logarithmic));
    scale_->addItem(tr("percentile"), static_cast<int>(ValueAxis::percentile));
    grid_->setObjectName("block_grid");
    grid_->setChecked(true);
    grid_->setToolTip(tr("Borders of the storage layout's blocks"));
    lines_->setObjectName("cache_lines");
    lines_->setToolTip(
        tr("Borders between texels of different L1 cache lines, once texels are large enough"));
    order_->setObjectName("storage_order");
    order_->setToolTip(tr("The order in memory, as a curve through texels, or through blocks where "
                          "these are too many"));
    fold_->setObjectName("fold");
    fold_->setChecked(true);
    fold_->setToolTip(tr("A narrow image in bands side by side that fill the view"));
    overview_->setObjectName("overview");
    overview_->setChecked(true);
    overview_->setToolTip(tr("A small map of the whole in a corner, once a part is seen; click or "
                             "drag in it to go elsewhere"));
    note_->setObjectName("heat_note");
    note_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* fit =
        tool_button(tr("Fit"), tr("Fit the image into the view"), tr("Show the whole image (F)"));
    play_->setObjectName("playback");
    play_->setCheckable(true);
    auto* go_to =
        tool_button(tr("Go to…"), tr("Go to a texel"), tr("Go to a texel by its coordinates (G)"));
    for (QWidget* control : std::initializer_list<QWidget*>{grid_, lines_, order_, fold_, overview_,
                                                            play_, go_to, fit}) {
        row->addWidget(control);
    }

    auto* layout = new QGridLayout(this);
    bar_->hide(); // until there is something to measure by it
    hint_ = new EmptyHint(
        view_,
        tr("No study yet.\nWrite one down on the left and run it (F5), open a file (Ctrl+O), "
           "or take the tour in the Help menu."));
    layout->addLayout(row, 0, 0, 1, 2);
    layout->addWidget(view_, 1, 0);
    layout->addWidget(bar_, 1, 1);
    layout->addWidget(note_, 2, 0, 1, 2);
    layout->addWidget(go_to_, 3, 0, 1, 2);
    layout->addWidget(playback_, 4, 0, 1, 2);
    note_->hide();
    layout->setColumnStretch(0, 1);
    layout->setRowStretch(1, 1);

    for (QComboBox* combo : {image_, quantity_}) {
        connect(combo, &QComboBox::currentIndexChanged, this, [this] { chosen_ = true; });
    }
    for (QComboBox* combo : {image_, quantity_, resolution_, coordinates_}) {
        connect(combo, &QComboBox::currentIndexChanged, this, &HeatMapPanel::refresh);
    }
    connect(scale_, &QComboBox::currentIndexChanged, this, [this] {
        view_->set_axis(axis());
        if (view_->picture()) {
            bar_->show_scale(view_->picture()->kind, view_->scale());
        }
    });
    connect(bar_, &ColourBar::range_changed, view_, &HeatMapView::set_range);
    for (const QCheckBox* overlay : {grid_, lines_, order_, overview_}) {
        connect(overlay, &QCheckBox::toggled, this, [this] {
            view_->show_overlays({grid_->isChecked(), lines_->isChecked(), order_->isChecked(),
                                  overview_->isChecked()});
        });
    }
    connect(fold_, &QCheckBox::toggled, view_, &HeatMapView::set_folding);
    connect(fit, &QToolButton::clicked, view_, &HeatMapView::fit);
    connect(play_, &QToolButton::toggled, playback_, &QWidget::setVisible);
    // The view takes the focus, whose keys step through the accesses.
    connect(play_, &QToolButton::toggled, view_, [this] { view_->setFocus(); });
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

bool HeatMapPanel::in_tensor_coordinates() const
{
    return coordinates_->currentData().toBool() && study_ &&
           shown_launch()->images[image()].operand;
}

void HeatMapPanel::show_study(std::shared_ptr<const LaunchResult> study)
{
    counting_.drop();
    touching_.drop();
    study_ = std::move(study);
    hint_->show_text({});
    bar_->show();
    // Maps of launches that are no longer shown are forgotten.
    std::erase_if(made_, [this](const auto& made) {
        return made->launch != study_ && made->launch != other_;
    });
    list_images();
    if (!chosen_) {
        show_first_view();
    }
    playback_->show_study(shown_launch());
    refresh();
}

void HeatMapPanel::compare(std::shared_ptr<const LaunchResult> other, ShownLaunch which)
{
    which = other ? which : ShownLaunch::a;
    // B may be another one unseen, as long as A alone is shown.
    const bool same = which == which_ && (other == other_ || which == ShownLaunch::a);
    const std::shared_ptr<const LaunchResult> before = study_ ? shown_launch() : nullptr;
    other_ = std::move(other);
    which_ = which;
    if (study_ && !same) {
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

void HeatMapPanel::show_first_view()
{
    const QSignalBlocker image_blocker(image_);
    const QSignalBlocker quantity_blocker(quantity_);
    const FirstView first = first_view(*study_);
    image_->setCurrentIndex(static_cast<int>(first.image));
    const HeatChoice choice = std::exchange(next_, {}).value_or(first.choice);
    quantity_->setCurrentIndex(quantity_->findData(static_cast<int>(choice)));
}

std::shared_ptr<const LateMaps> HeatMapPanel::made(const LaunchResult& launch,
                                                   HeatChoice choice) const
{
    const auto found = std::find_if(made_.begin(), made_.end(), [&](const auto& made) {
        return made->launch.get() == &launch && made->choice == choice;
    });
    return found == made_.end() ? nullptr : (*found)->maps;
}

void HeatMapPanel::make(const std::shared_ptr<const LaunchResult>& launch, HeatChoice choice)
{
    // Another map of this launch may stay until the maps are there, one of another launch not.
    if (view_->picture() && view_->picture()->launch != launch) {
        view_->show_nothing();
    }
    say_instead(tr("Looking at every access for %1… (Esc cancels)").arg(to_text(choice)));
    counting_.start([launch, choice](const Progress&, const StopToken& stop) {
        return Made{launch, choice,
                    std::make_shared<const LateMaps>(late_maps(*launch, choice, stop))};
    });
    emit counting_started();
}

void HeatMapPanel::say_instead(const QString& line)
{
    say(line);
    if (!view_->picture()) {
        hint_->show_text(line);
    }
}

void HeatMapPanel::say(const QString& text)
{
    note_->setText(text);
    note_->setToolTip(text);
    note_->setVisible(!text.isEmpty());
}

void HeatMapPanel::refresh()
{
    constexpr std::int64_t at_once = 1 << 18; // texels, which take some milliseconds
    if (!study_ || image() >= shown_launch()->images.size()) {
        return;
    }
    const std::shared_ptr<const LaunchResult> launch = shown_launch();
    const HeatChoice choice = quantity();
    HeatSubject subject{launch,
                        which_ == ShownLaunch::difference ? other_ : nullptr,
                        image(),
                        choice,
                        resolution(),
                        made(*launch, choice),
                        in_tensor_coordinates()};
    preparing_.drop();
    if (!counted(choice) && !subject.late) {
        return make(launch, choice);
    }
    counting_.drop();
    if (launch->images[image()].image.extent.area() <= at_once) {
        return show_picture(std::make_shared<const HeatPicture>(heat_picture(subject)));
    }
    say(tr("Drawing…"));
    preparing_.start(
        [subject](const Progress&, const StopToken&) { return heat_picture(subject); });
}

void HeatMapPanel::show_picture(const std::shared_ptr<const HeatPicture>& picture)
{
    say(picture->note);
    hint_->show_text({});
    view_->show_picture(picture, axis());
    bar_->show_scale(picture->kind, view_->scale());
    go_to_->set_image(view_->extent());
    fold_->setEnabled(view_->can_fold());
    coordinates_->setEnabled(picture->study_image().operand.has_value());
    for (QCheckBox* of_texels : {grid_, lines_, order_}) {
        of_texels->setEnabled(!picture->tensor);
    }
    playback_->show_image(picture->image);
    tell_last_touches(picture->launch);
    emit refreshed();
}

void HeatMapPanel::tell_last_touches(const std::shared_ptr<const LaunchResult>& launch)
{
    constexpr std::int64_t unasked = 1 << 24; // reads, which take some tenths of a second
    constexpr HeatChoice choice = HeatChoice::last_warp;
    const auto known = made(*launch, choice);
    view_->set_last_touches(known);
    if (known || touching_.running() || launch->simulation.l1.texel_reads > unasked) {
        return;
    }
    touching_.start([launch](const Progress&, const StopToken& stop) {
        return Made{launch, choice,
                    std::make_shared<const LateMaps>(late_maps(*launch, choice, stop))};
    });
}

std::string HeatMapPanel::picture()
{
    if (!view_->picture()) {
        throw bad_input("there is no heat map yet", "export", "run a study first");
    }
    const HeatPicture& shown = *view_->picture();
    // A plain map is drawn as the command line does it; whatever else is on the screen is exported
    // as it is seen.
    const bool plain = shown.kind == HeatLayer::Kind::counts && axis() != ValueAxis::percentile &&
                       bar_->range() == ColourRange{} && !view_->fold().folded() && !shown.tensor;
    if (plain) {
        const ColourScale scale =
            axis() == ValueAxis::linear ? ColourScale::linear : ColourScale::logarithmic;
        const std::string by = resolution() == HeatResolution::Kind::texel
                                   ? ""
                                   : ", by " + resolution_->currentText().toStdString();
        const std::string name =
            shown.study_image().image.name + " " + shown.quantity.toStdString() + by;
        return to_png(heat_map_picture(shown.values(), name, scale));
    }
    // As it is on the screen, with its colour bar.
    const QPixmap pixels = grab(view_->geometry().united(bar_->geometry()));
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    pixels.save(&buffer, "PNG");
    return bytes.toStdString();
}

} // namespace texelscope::gui
