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

/// Each kernel of a space as numbers, the same knobs for all: the pattern of each input, three
/// sides of the tile, then the further parts of a schedule in the order of its text, words by order
/// of appearance. Only factors and the list of the space are gone through, whatever its size.
class KernelKnobs {
public:
    using Values = std::vector<std::int64_t>;

    /// The space must outlive this; it has kernels.
    explicit KernelKnobs(const ConfigurationSpace& space);

    [[nodiscard]] std::size_t count() const { return knobs_; }
    /// The first of the tile's three.
    [[nodiscard]] std::size_t first_tile() const { return first_tile_; }
    [[nodiscard]] Values of(std::size_t kernel) const;
    /// What occurs at a knob, ascending.
    [[nodiscard]] Values values(std::size_t knob) const;
    /// The kernels that differ from it in the knobs from `first` to before `last` alone, itself
    /// among them, ascending. The knobs are those of one part.
    [[nodiscard]] std::vector<std::size_t> along(std::size_t kernel, std::size_t first,
                                                 std::size_t last) const;

    /// Those that differ from it in one knob at most, which has that value; ascending.
    [[nodiscard]] std::vector<std::size_t> with(std::size_t kernel, std::size_t knob,
                                                std::int64_t value) const;

private:
    /// A factor of the space, or its list: where it is in the number of a kernel, and the knobs
    /// that it turns.
    struct Axis {
        std::size_t stride = 1; ///< in numbers of kernels
        std::vector<std::size_t> knobs;
        /// Of each of its values, in the order of the knobs.
        std::vector<Values> rows;
        std::map<Values, std::vector<std::size_t>> rows_with; ///< of those
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

    /// The knobs of an element as numbers (names by their order), work-items of the group, outputs
    /// of a work-item.
    [[nodiscard]] Eigen::VectorXd features(std::int64_t index) const;

    /// Another element that differs in one knob drawn at random, and in no more than follows from
    /// it: a group side that the warp shape does not fit takes another warp shape along, a kernel
    /// without that group a group at random. Where some draws in succession find nothing, any
    /// element.
    [[nodiscard]] std::int64_t neighbour(std::int64_t index, std::mt19937_64& random) const;

private:
    using Values = KernelKnobs::Values;
    [[nodiscard]] std::optional<std::int64_t>
    turn_kernel(ConfigurationSpace::Place from, std::size_t knob, std::mt19937_64& random) const;
    [[nodiscard]] std::optional<std::int64_t>
    turn_group(ConfigurationSpace::Place from, std::size_t knob, std::mt19937_64& random) const;

    const ConfigurationSpace& space_;
    KernelKnobs kernels_;
    std::vector<Values> values_; ///< of each kernel knob: what occurs, ascending
    /// Knobs of kernels that have several values, then those of groups.
    std::vector<std::size_t> turnable_;
};

} // namespace texelscope::workbench::space
