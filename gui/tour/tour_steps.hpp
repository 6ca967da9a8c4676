#pragma once

#include "gui/study/study_form.hpp"

#include <QString>
#include <QStringList>
#include <vector>

namespace texelscope::gui {

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

} // namespace texelscope::gui
