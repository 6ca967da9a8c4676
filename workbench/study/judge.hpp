#pragma once

#include "base/layers.hpp"

#include <array>
#include <string>
#include <utility>

namespace texelscope::workbench::study {

/// What gives a configuration, or a kernel of a network, a time.
enum class Judge { model, simulator, device };
inline constexpr std::array all_judges{Judge::model, Judge::simulator, Judge::device};
/// Those whose orders are compared.
inline constexpr std::array judge_pairs{std::pair{Judge::model, Judge::simulator},
                                        std::pair{Judge::model, Judge::device},
                                        std::pair{Judge::simulator, Judge::device}};

[[nodiscard]] std::string to_string(Judge judge); ///< "model", "simulator", "device"
[[nodiscard]] std::string time_word(Judge judge); ///< "predicted", "simulated", "measured"

} // namespace texelscope::workbench::study
