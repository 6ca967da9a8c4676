#pragma once

#include "codegen/operators/operator.hpp"
#include "gui/store/store_table.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace texelscope::gui {

/// What a store has measured of an operator and shape, by the device's name.
struct StoredTimes {
    using Times = std::vector<std::pair<Schedule, double>>; ///< medians in ns
    std::map<std::string, Times> by_device;
    std::size_t others = 0; ///< rows of the operator and shape that no device has measured, or that failed
};
/// The newest of several rows of one configuration on one device. Rows whose configuration does not parse are left out.
[[nodiscard]] StoredTimes stored_times(const StoreTable& table, const Operator& op);

/// The device of which there are most times; empty where there is none.
[[nodiscard]] std::string device_with_most_times(const StoredTimes& times);

} // namespace texelscope::gui
