#pragma once

#include <span>
#include <string>
#include <string_view>

namespace texelscope::experiments {

/// Why a finding of an experiment does not hold on the simulated Adreno 740, or on the device that the experiment is of.
/// "Probably" where no further experiment has shown it.
struct Explanation {
    std::string_view experiment;
    std::string_view claim; ///< how the finding's claim begins, or a part of it that no other has
    std::string_view why; ///< begins with where the cause lies: "simulator", "profile", "wording", "set-up" or "model"
};
[[nodiscard]] std::span<const Explanation> all_explanations();

/// Of the first that fits; empty where none does.
[[nodiscard]] std::string explanation_of(std::string_view experiment, std::string_view claim);

} // namespace texelscope::experiments
