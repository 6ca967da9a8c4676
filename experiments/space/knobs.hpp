#pragma once

#include "experiments/space/configuration_space.hpp"

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <vector>

namespace texelscope::experiments {

/// Each kernel of a space as numbers, the same knobs for all: the pattern of each input, three sides of the tile, then the
/// further parts of a schedule in the order of its text, words by order of appearance.
[[nodiscard]] std::vector<std::vector<std::int64_t>> kernel_knobs(const ConfigurationSpace& space);
/// The first of the tile's three among them.
[[nodiscard]] std::size_t first_tile_knob(const ConfigurationSpace& space);

/// A configuration space as a learned search sees it: knobs to turn one at a time, and numbers to learn from.
///
/// Knobs are those of kernel_knobs(); then the warp shape as a whole, and each side of the work-group.
class Knobs {
public:
    /// The space must outlive this; it is not empty.
    explicit Knobs(const ConfigurationSpace& space);

    /// The knobs of an element as numbers (names by their order), work-items of the group, outputs of a work-item.
    [[nodiscard]] Eigen::VectorXd features(std::int64_t index) const;

    /// Another element that differs in one knob drawn at random, and in no more than follows from it: a group side that
    /// the warp shape does not fit takes another warp shape along, a kernel without that group a group at random. Where
    /// some draws in succession find nothing, any element.
    [[nodiscard]] std::int64_t neighbour(std::int64_t index, std::mt19937_64& random) const;

private:
    using Values = std::vector<std::int64_t>;
    [[nodiscard]] std::optional<std::int64_t> turn_kernel(ConfigurationSpace::Place from, std::size_t knob,
                                                          std::mt19937_64& random) const;
    [[nodiscard]] std::optional<std::int64_t> turn_group(ConfigurationSpace::Place from, std::size_t knob,
                                                         std::mt19937_64& random) const;

    const ConfigurationSpace& space_;
    std::vector<Values> kernels_;               ///< knob values of each kernel
    std::map<Values, std::size_t> kernel_with_; ///< of those that have groups
    std::vector<Values> values_;                ///< of each kernel knob: what occurs, ascending
    std::vector<std::size_t> turnable_;         ///< knobs of kernels that have several values, then those of groups
};

} // namespace texelscope::experiments
