#pragma once

#include "workbench/space/configuration_space.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <vector>

namespace texelscope::workbench::space {

/// The kernels of a space as vectors of numbers ("knobs"), all of the same length: the pattern of
/// each input, three sides of the tile, then the further parts of a schedule in the order of its
/// text. A word's number is its place in the order of appearance. Only the space's list and factors
/// are stored, whatever its size.
class KernelKnobs {
public:
    using Values = std::vector<std::int64_t>;

    /// The space must outlive this object and must have kernels.
    explicit KernelKnobs(const ConfigurationSpace& space);

    [[nodiscard]] std::size_t count() const { return knobs_; }
    /// Number of the first of the three knobs of the tile.
    [[nodiscard]] std::size_t first_tile() const { return first_tile_; }
    [[nodiscard]] Values of(std::size_t kernel) const;
    /// The values that occur at a knob, ascending.
    [[nodiscard]] Values values(std::size_t knob) const;
    /// The kernels that differ from `kernel` only in the knobs [first, last), itself among them,
    /// ascending. These knobs must be those of one part.
    [[nodiscard]] std::vector<std::size_t> along(std::size_t kernel, std::size_t first,
                                                 std::size_t last) const;

    /// The kernels that have `value` at the knob and equal `kernel` in all other knobs, ascending.
    [[nodiscard]] std::vector<std::size_t> with(std::size_t kernel, std::size_t knob,
                                                std::int64_t value) const;

private:
    /// A factor of the space, or its list: where it is in the number of a kernel, and the knobs
    /// that it turns.
    struct Axis {
        std::size_t stride = 1; ///< in numbers of kernels
        std::vector<std::size_t> knobs;
        /// By value of the digit: the numbers at its knobs.
        std::vector<Values> rows;
        /// The reverse: values of the digit by their numbers.
        std::map<Values, std::vector<std::size_t>> rows_with;
    };
    [[nodiscard]] static std::size_t row_of(const Axis& axis, std::size_t kernel)
    {
        return kernel / axis.stride % axis.rows.size();
    }
    [[nodiscard]] static std::size_t place_of(const Axis& axis, std::size_t knob)
    {
        return static_cast<std::size_t>(std::ranges::find(axis.knobs, knob) - axis.knobs.begin());
    }

    std::size_t knobs_ = 0;
    std::size_t first_tile_ = 0;
    std::vector<Axis> axes_;
    std::vector<std::size_t> axis_of_; ///< of each knob
};

/// A configuration space as a learned search sees it: knobs to turn one at a time, and numbers to
/// learn from.
///
/// Knobs are those of KernelKnobs; then the warp shape as a whole, and each side of the work-group.
class Knobs {
public:
    /// The space must outlive this; it is not empty.
    explicit Knobs(const ConfigurationSpace& space);

    /// The element's features for a learned model: its knobs as numbers (words by their order), the
    /// work-items of its group, and the outputs of a work-item.
    [[nodiscard]] Eigen::VectorXd features(std::int64_t index) const;

    /// Another element that differs in one knob drawn at random, and otherwise only as far as that
    /// change requires: a group side that the warp shape does not fit brings another warp shape,
    /// and a kernel that does not have the same group gets a group at random. Where several draws
    /// in a row find nothing, any element.
    [[nodiscard]] std::int64_t neighbour(std::int64_t index, std::mt19937_64& random) const;

private:
    using Values = KernelKnobs::Values;
    [[nodiscard]] std::optional<std::int64_t>
    turn_kernel(ConfigurationSpace::Place from, std::size_t knob, std::mt19937_64& random) const;
    [[nodiscard]] std::optional<std::int64_t>
    turn_group(ConfigurationSpace::Place from, std::size_t knob, std::mt19937_64& random) const;

    const ConfigurationSpace& space_;
    KernelKnobs kernels_;
    std::vector<Values> values_; ///< by knob of kernels: the values that occur, ascending
    /// Knobs of kernels that have several values, then those of groups.
    std::vector<std::size_t> turnable_;
};

} // namespace texelscope::workbench::space
