#pragma once

#include "gui/heat_map/heat_map_view.hpp"
#include "gui/study/compare_strip.hpp"
#include "gui/widgets/background_job.hpp"

#include <QWidget>
#include <memory>
#include <optional>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QToolButton;

namespace texelscope::gui {

class ColourBar;
class EmptyHint;
class GoToField;
class PlaybackBar;

/// The heat map with what chooses its contents: image, quantity, resolution, scale, overlays; its
/// colour bar; and the playback of the accesses under it. Of two launches it shows the one, the
/// other, or what they differ by.
class HeatMapPanel : public QWidget {
    Q_OBJECT

public:
    explicit HeatMapPanel(QWidget* parent = nullptr);

    /// Shows a study: first_view() until the user chooses an image or a quantity, then what was
    /// chosen, if the study has an image of that number.
    void show_study(std::shared_ptr<const LaunchResult> study);

    /// Another launch to compare with, and which of the two is shown; none where `other` is null. A
    /// difference is of counts of images of the same size; where there is none to show, the first
    /// launch is shown.
    void compare(std::shared_ptr<const LaunchResult> other, ShownLaunch which);

    /// The next study opens on that quantity, whatever was chosen before.
    void open_next_on(HeatChoice quantity)
    {
        next_ = quantity;
        chosen_ = false;
    }

    [[nodiscard]] HeatMapView& view() { return *view_; }
    [[nodiscard]] PlaybackBar& playback() { return *playback_; }
    [[nodiscard]] std::size_t image() const;
    [[nodiscard]] HeatChoice quantity() const;
    [[nodiscard]] HeatResolution::Kind resolution() const;
    [[nodiscard]] ValueAxis axis() const;
    /// Whether the tensor is to be shown in the image's place; an image of a trace holds none that
    /// is known.
    [[nodiscard]] bool in_tensor_coordinates() const;
    /// A picture of what is shown, as a PNG file's bytes. Throws bad_input where there is no study
    /// yet.
    [[nodiscard]] std::string picture();

    /// Maps that every access must be looked at for are being made.
    [[nodiscard]] bool counting() const { return counting_.running(); }
    void cancel_counting() { counting_.cancel(); }

signals:
    void counting_started();
    /// Other contents are shown.
    void refreshed();

protected:
    /// The keys of the playback and of going to a texel, where no control of the panel takes them.
    void keyPressEvent(QKeyEvent* event) override;

private:
    /// Maps of a launch that were made when they were asked for.
    struct Made {
        std::shared_ptr<const LaunchResult> launch;
        HeatChoice choice;
        std::shared_ptr<const LateMaps> maps;
    };

    void refresh();
    void open_go_to();
    void list_images();
    void show_first_view();
    [[nodiscard]] std::shared_ptr<const LaunchResult> shown_launch() const;
    [[nodiscard]] std::shared_ptr<const LateMaps> made(const LaunchResult& launch,
                                                       HeatChoice choice) const;
    void show_picture(const std::shared_ptr<const HeatPicture>& picture);
    void make(const std::shared_ptr<const LaunchResult>& launch, HeatChoice choice);
    /// Lets the read-out say which warp read a texel last: at once where that is known, else when
    /// it has been looked at.
    void tell_last_touches(const std::shared_ptr<const LaunchResult>& launch);
    void say(const QString& text);
    /// Says it in the middle of the view as well, where this shows nothing.
    void say_instead(const QString& line);

    std::shared_ptr<const LaunchResult> study_;
    std::shared_ptr<const LaunchResult> other_;
    ShownLaunch which_ = ShownLaunch::a;
    std::optional<HeatChoice> next_;
    bool chosen_ = false; ///< an image or a quantity, by whoever uses the window
    std::vector<std::shared_ptr<const Made>> made_;
    QComboBox* image_;
    QComboBox* quantity_;
    QComboBox* resolution_;
    QComboBox* coordinates_;
    QComboBox* scale_;
    QCheckBox* grid_;
    QCheckBox* lines_;
    QCheckBox* order_;
    QCheckBox* fold_;
    QCheckBox* overview_;
    QLabel* note_;
    QToolButton* play_;
    HeatMapView* view_;
    EmptyHint* hint_;
    ColourBar* bar_;
    GoToField* go_to_;
    PlaybackBar* playback_;
    BackgroundJob<Made> counting_;
    BackgroundJob<Made> touching_; ///< not asked for by the user, so no message tells of it
    BackgroundJob<HeatPicture> preparing_;
};

} // namespace texelscope::gui
