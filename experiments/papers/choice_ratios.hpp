#pragma once

#include "experiments/papers/experiment.hpp"
#include "experiments/render/panel_plot.hpp"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace texelscope::experiments {

/// Times of choices over the best there is, for several choosers and cases.
struct ChoiceRatios {
    std::vector<std::string> choosers;
    std::vector<std::string> cases;          ///< operators and shapes
    std::vector<std::vector<double>> ratios; ///< by chooser, by case; 1 or more

    explicit ChoiceRatios(std::span<const char* const> names);
    /// One ratio for each chooser.
    void add(const std::string& name, std::span<const double> of_case);

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

/// What TMModel says of its choices (section 6.4, figure 10), and whether a second chooser, which goes by the profile, is
/// better: by a chooser's place. `paper_share`: what the paper gives for the first.
[[nodiscard]] std::vector<Finding> paper_findings(const ChoiceRatios& choices, std::size_t literal,
                                                  std::size_t bottleneck, const std::string& paper_share);

/// The mean of each chooser as a bar, the cases as discs.
[[nodiscard]] PanelPlot choice_plot(const ChoiceRatios& choices, const std::string& title);

} // namespace texelscope::experiments
