#pragma once

#include "gui/study/study_panel.hpp"

#include <QObject>
#include <QPointer>
#include <QString>
#include <QStringList>
#include <cstddef>
#include <optional>
#include <vector>

class QMainWindow;

namespace texelscope::gui {

class PartFrame;
class TourCard;

/// One stop of the tour over the example.
struct TourStep {
    QString title;
    QString text;      ///< what is seen there in the example, and what to try
    QStringList parts; ///< names of the docks and controls that it is about
};

/// The study that the tour goes over: small, and with a configuration that can be bettered.
[[nodiscard]] StudyForm example_study();

/// The numbers in the texts are those of the example.
[[nodiscard]] std::vector<TourStep> tour_steps();

/// The tour over the example study: a card beside the parts of the window that it is about, which
/// are framed. Nothing is modal, so what a step tells to try can be tried. The window runs the
/// example when the tour starts, and brings back the user's study when it ends.
class Tour : public QObject {
    Q_OBJECT

public:
    explicit Tour(QMainWindow& window);

    /// From the first step.
    void start();
    void end();

    /// The step that is shown, from 0; nothing where there is none.
    [[nodiscard]] std::optional<std::size_t> step() const { return step_; }

signals:
    /// The steps are about example_study(), which is to be shown from now on.
    void started();
    void ended();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    TourCard& card();
    void go(std::ptrdiff_t by);
    void show_step();
    void clear_frames();
    void place();

    QMainWindow& window_;
    std::vector<TourStep> steps_;
    std::optional<std::size_t> step_;
    QPointer<TourCard> card_;
    std::vector<PartFrame*> frames_;
};

} // namespace texelscope::gui
