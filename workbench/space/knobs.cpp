// Knobs are the numbers that a configuration is made of: for each part of a schedule one (patterns:
// one for each input; the tile: its three sides), and four for the work-group. Kernels of a space
// are rows of axes (the list, and each factor), and a knob belongs to one axis.

#include "workbench/space/knobs.hpp"

#include "base/lists.hpp"
#include "base/random.hpp"
#include "codegen/nest/schedule_parts.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace texelscope::workbench::space {
namespace {

constexpr std::size_t group_knobs = 4; ///< the warp shape, then the sides of the group

template <class Random>
std::size_t below(Random& random, std::size_t count)
{
    return static_cast<std::size_t>(uniform_below(random, count));
}

bool same(const GroupChoice& a, const GroupChoice& b)
{
    return a.warp == b.warp && a.group == b.group;
}

/// Whether the groups differ in that side, and in no other.
bool differ_in_side(const Dim3& a, const Dim3& b, std::size_t side)
{
    Dim3 with_side = a;
    with_side[side] = b[side];
    return a[side] != b[side] && with_side == b;
}

/// The knobs of a part, and what they are at.
class PartKnobs {
public:
    explicit PartKnobs(const SchedulePart& part) : part_(part) {}

    [[nodiscard]] KernelKnobs::Values of(const KernelChoice& kernel)
    {
        if (part_.key == 'A') {
            return mapped(kernel.patterns,
                          [](AccessPattern pattern) { return static_cast<std::int64_t>(pattern); });
        }
        if (part_.key == 'T') {
            KernelKnobs::Values sides(tile_sides, 1);
            std::ranges::copy(kernel.tile, sides.begin());
            return sides;
        }
        const std::string text = part_.write(kernel);
        return {part_.kind == SchedulePart::Kind::number
                    ? std::stoll(text)
                    : numbers_.try_emplace(text, std::ssize(numbers_)).first->second};
    }

private:
    static constexpr std::size_t tile_sides = 3;
    const SchedulePart& part_;
    std::map<std::string, std::int64_t> numbers_; ///< of words, as they were met
};

} // namespace

// `stride`: how far kernels lie apart whose rows on this axis are neighbours.
KernelKnobs::KernelKnobs(const ConfigurationSpace& space)
{
    std::size_t stride = space.kernel_count();
    std::string in_factors;
    for (const SpaceFactor& factor : space.factors()) {
        stride /= factor.values.size();
        axes_.push_back({stride, {}, std::vector<Values>(factor.values.size()), {}});
        in_factors += factor.parts;
    }
    axes_.push_back({1, {}, std::vector<Values>(space.listed().size()), {}});
    for (const SchedulePart& part : schedule_parts()) {
        if (part.key == 'W' || part.key == 'G') {
            continue;
        }
        const auto owner = std::ranges::find_if(space.factors(), [&](const SpaceFactor& factor) {
            return factor.parts.find(part.key) != std::string::npos;
        });
        const auto d = static_cast<std::size_t>(owner - space.factors().begin()); // or the list's
        const std::vector<KernelChoice>& values =
            d < space.factors().size() ? owner->values : space.listed();
        PartKnobs knobs(part);
        std::size_t count = 0;
        for (std::size_t row = 0; row < values.size(); ++row) {
            const Values numbers = knobs.of(values[row]);
            axes_[d].rows[row].insert(axes_[d].rows[row].end(), numbers.begin(), numbers.end());
            count = numbers.size();
        }
        first_tile_ = part.key == 'T' ? knobs_ : first_tile_;
        for (std::size_t i = 0; i < count; ++i) {
            axes_[d].knobs.push_back(knobs_++);
            axis_of_.push_back(d);
        }
    }
    for (Axis& axis : axes_) {
        for (std::size_t row = 0; row < axis.rows.size(); ++row) {
            axis.rows_with[axis.rows[row]].push_back(row);
        }
    }
}

KernelKnobs::Values KernelKnobs::of(std::size_t kernel) const
{
    Values values(knobs_);
    for (const Axis& axis : axes_) {
        const Values& row = axis.rows[row_of(axis, kernel)];
        for (std::size_t i = 0; i < row.size(); ++i) {
            values[axis.knobs[i]] = row[i];
        }
    }
    return values;
}

KernelKnobs::Values KernelKnobs::values(std::size_t knob) const
{
    const Axis& axis = axes_[axis_of_[knob]];
    const std::size_t place = place_of(axis, knob);
    Values values = mapped(axis.rows, [&](const Values& row) { return row[place]; });
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

std::vector<std::size_t> KernelKnobs::along(std::size_t kernel, std::size_t first,
                                            std::size_t last) const
{
    const Axis& axis = axes_[axis_of_[first]];
    const auto from = static_cast<std::ptrdiff_t>(place_of(axis, first));
    const auto to = from + static_cast<std::ptrdiff_t>(last - first);
    const std::size_t own = row_of(axis, kernel);
    const Values& here = axis.rows[own];
    std::vector<std::size_t> kernels;
    for (std::size_t row = 0; row < axis.rows.size(); ++row) {
        const Values& there = axis.rows[row];
        if (std::equal(here.begin(), here.begin() + from, there.begin()) &&
            std::equal(here.begin() + to, here.end(), there.begin() + to)) {
            kernels.push_back(kernel + row * axis.stride - own * axis.stride);
        }
    }
    return kernels;
}

std::vector<std::size_t> KernelKnobs::with(std::size_t kernel, std::size_t knob,
                                           std::int64_t value) const
{
    const Axis& axis = axes_[axis_of_[knob]];
    const std::size_t own = row_of(axis, kernel);
    Values turned = axis.rows[own];
    turned[place_of(axis, knob)] = value;
    const auto found = axis.rows_with.find(turned);
    return found == axis.rows_with.end()
               ? std::vector<std::size_t>{}
               : mapped(found->second, [&](std::size_t row) {
                     return kernel + row * axis.stride - own * axis.stride;
                 });
}

Knobs::Knobs(const ConfigurationSpace& space) : space_(space), kernels_(space)
{
    for (std::size_t knob = 0; knob < kernels_.count(); ++knob) {
        values_.push_back(kernels_.values(knob));
        if (values_.back().size() > 1) {
            turnable_.push_back(knob);
        }
    }
    bool choice_of_groups = false;
    for (std::size_t k = 0; k < space.period(); ++k) {
        choice_of_groups = choice_of_groups || space.groups(k).size() > 1;
    }
    for (std::size_t knob = 0; choice_of_groups && knob < group_knobs; ++knob) {
        turnable_.push_back(values_.size() + knob);
    }
}

Eigen::VectorXd Knobs::features(std::int64_t index) const
{
    const ConfigurationSpace::Place place = space_.place(index);
    const KernelChoice kernel = space_.kernel(place.kernel);
    const GroupChoice& choice = space_.groups(place.kernel)[place.group];
    std::int64_t outputs = 1;
    for (const std::int32_t side : kernel.tile) {
        outputs *= side;
    }
    const std::int64_t items =
        std::int64_t{choice.group[0]} * choice.group[1] * choice.group[2] * kernel.split;
    Values numbers = kernels_.of(place.kernel);
    numbers.insert(numbers.end(), {choice.warp[0], choice.warp[1], choice.group[0], choice.group[1],
                                   choice.group[2], items, outputs});
    return Eigen::Map<const Eigen::Matrix<std::int64_t, Eigen::Dynamic, 1>>(numbers.data(),
                                                                            std::ssize(numbers))
        .cast<double>();
}

std::optional<std::int64_t> Knobs::turn_kernel(ConfigurationSpace::Place from, std::size_t knob,
                                               std::mt19937_64& random) const
{
    const std::vector<std::size_t> turned =
        kernels_.with(from.kernel, knob, values_[knob][below(random, values_[knob].size())]);
    const auto found = std::ranges::find_if(
        turned, [&](std::size_t kernel) { return !space_.groups(kernel).empty(); });
    if (found == turned.end() || *found == from.kernel) {
        return std::nullopt;
    }
    const GroupChoice& group = space_.groups(from.kernel)[from.group];
    const auto groups = space_.groups(*found);
    const auto kept = std::find_if(groups.begin(), groups.end(),
                                   [&](const GroupChoice& other) { return same(group, other); });
    const auto place = kept == groups.end() ? below(random, groups.size())
                                            : static_cast<std::size_t>(kept - groups.begin());
    return space_.first(*found) + static_cast<std::int64_t>(place);
}

std::optional<std::int64_t> Knobs::turn_group(ConfigurationSpace::Place from, std::size_t knob,
                                              std::mt19937_64& random) const
{
    const auto groups = space_.groups(from.kernel);
    const GroupChoice& group = groups[from.group];
    std::vector<std::int64_t> with_warp; // that keep the warp shape, where a side is turned
    std::vector<std::int64_t> others;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        if (knob == 0 ? groups[g].group == group.group && groups[g].warp != group.warp
                      : differ_in_side(group.group, groups[g].group, knob - 1)) {
            (groups[g].warp == group.warp ? with_warp : others)
                .push_back(static_cast<std::int64_t>(g));
        }
    }
    const auto& candidates = with_warp.empty() ? others : with_warp;
    if (candidates.empty()) {
        return std::nullopt;
    }
    return space_.first(from.kernel) + candidates[below(random, candidates.size())];
}

// A random knob at another value; after so many draws without a neighbour, an element anywhere.
std::int64_t Knobs::neighbour(std::int64_t index, std::mt19937_64& random) const
{
    constexpr int draws = 16;
    const ConfigurationSpace::Place from = space_.place(index);
    for (int draw = 0; draw < draws && !turnable_.empty(); ++draw) {
        const std::size_t knob = turnable_[below(random, turnable_.size())];
        const auto found = knob < values_.size() ? turn_kernel(from, knob, random)
                                                 : turn_group(from, knob - values_.size(), random);
        if (found) {
            return *found;
        }
    }
    return static_cast<std::int64_t>(
        uniform_below(random, static_cast<std::uint64_t>(space_.size())));
}

} // namespace texelscope::workbench::space
