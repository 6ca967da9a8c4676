#pragma once

#include "codegen/nest/schedule.hpp"

#include <QObject>
#include <vector>

namespace texelscope::gui {

/// The configurations that are selected, in every view at once: views set them, and follow where another one did.
class SelectedConfigurations : public QObject {
    Q_OBJECT

public:
    /// A plot or a table cannot show more of them at a glance; a view that has more selected tells of the first.
    static constexpr std::size_t most = 1000;

    explicit SelectedConfigurations(QObject* parent = nullptr) : QObject(parent) {}

    /// Says so where they are others than before.
    void set(std::vector<Schedule> schedules);
    [[nodiscard]] const std::vector<Schedule>& schedules() const { return schedules_; }

signals:
    void changed();

private:
    std::vector<Schedule> schedules_;
};

} // namespace texelscope::gui
