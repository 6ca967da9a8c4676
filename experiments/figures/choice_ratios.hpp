#pragma once

#include "experiments/panel_plot.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace texelscope {

/// Times of choices over the best there is, for several choosers and cases.
struct ChoiceRatios {
    std::vector<std::string> choosers;
    std::vector<std::string> cases;          ///< operators and shapes
    std::vector<std::vector<double>> ratios; ///< by chooser, by case; 1 or more

    /// Geometric mean of a chooser's.
    [[nodiscard]] double mean(std::size_t chooser) const;
    [[nodiscard]] double worst(std::size_t chooser) const; ///< 1 where there is no case
    /// Share of the cases in which the choice is within 1 % of the best.
    [[nodiscard]] double share_as_good(std::size_t chooser) const;
    /// "literal VALUE, refined VALUE ..".
    [[nodiscard]] std::string of_each(const std::function<std::string(std::size_t)>& value) const;
    [[nodiscard]] std::string means() const;
    [[nodiscard]] std::string worsts() const;
    [[nodiscard]] std::string shares() const;
};

/// The mean of each chooser as a bar, the cases as discs.
[[nodiscard]] PanelPlot choice_plot(const ChoiceRatios& choices, const std::string& title);

} // namespace texelscope
