#pragma once

#include "gui/heat_map/access_recording.hpp"
#include "gui/widgets/background_job.hpp"

#include <QTimer>
#include <QWidget>
#include <optional>

class QComboBox;
class QLabel;
class QSlider;
class QToolButton;

namespace texelscope::gui {

/// Goes through the warp accesses of a study, one after the other or by itself. The accesses are
/// recorded in the background when the bar is first shown for a study; while it is hidden, it
/// neither works nor shows anything.
class PlaybackBar : public QWidget {
    Q_OBJECT

public:
    explicit PlaybackBar(QWidget* parent = nullptr);

    void show_study(std::shared_ptr<const LaunchResult> study);
    /// The image that is looked at, which the label compares with the one that is read.
    void show_image(std::size_t image);

    /// Access `number`, from 0; the nearest one there is.
    void go_to(std::int64_t number);
    void step(std::int64_t accesses) { go_to(number() + accesses); }
    void set_playing(bool on);
    /// Cancels the recording that is under way.
    void cancel() { job_.cancel(); }
    [[nodiscard]] bool recording_now() const { return job_.running(); }
    void toggle_playing() { set_playing(!playing()); }

    /// Accesses that can be shown; 0 while there is no recording.
    [[nodiscard]] std::int64_t count() const;
    [[nodiscard]] std::int64_t number() const;
    [[nodiscard]] bool playing() const { return timer_.isActive(); }
    [[nodiscard]] std::shared_ptr<const AccessRecording> recording() const { return recording_; }
    /// How much of a launch is kept, see AccessRecording; for the studies that come.
    void set_limit(std::size_t limit) { limit_ = limit; }

signals:
    /// A recording is under way.
    void started();
    /// What is to be shown now; nothing where playback is closed or there is no access.
    void frame_changed(const std::optional<texelscope::gui::PlaybackFrame>& frame);

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void record();
    void show_recording(std::shared_ptr<const AccessRecording> recording);
    void show_frame();
    void show_icons();
    void show_speed();
    [[nodiscard]] QString text(const PlaybackFrame& frame) const;

    QTimer timer_;
    std::size_t limit_;
    std::shared_ptr<const LaunchResult> study_;
    std::shared_ptr<const AccessRecording> recording_;
    std::size_t image_ = 0;
    std::int64_t accesses_per_tick_ = 1;
    bool play_when_ready_ = false;

    QToolButton* first_;
    QToolButton* previous_;
    QToolButton* play_;
    QToolButton* next_;
    QToolButton* last_;
    QSlider* slider_;
    QComboBox* speed_;
    QLabel* label_;
    BackgroundJob<AccessRecording> job_;
};

} // namespace texelscope::gui
