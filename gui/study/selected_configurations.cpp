#include "gui/study/selected_configurations.hpp"

#include <utility>

namespace texelscope::gui {

void SelectedConfigurations::set(std::vector<Schedule> schedules)
{
    if (schedules != schedules_) {
        schedules_ = std::move(schedules);
        emit changed();
    }
}

} // namespace texelscope::gui
