#include "experiments/space/knobs.hpp"

#include "base/random.hpp"
#include "codegen/nest/schedule_parts.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace texelscope::experiments {
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

} // namespace

std::vector<std::vector<std::int64_t>> kernel_knobs(const ConfigurationSpace& space)
{
    std::map<char, std::map<std::string, std::int64_t>> numbers; // of the words that were met, by part
    std::vector<std::vector<std::int64_t>> knobs;
    knobs.reserve(space.kernels().size());
    for (const KernelChoice& kernel : space.kernels()) {
        std::vector<std::int64_t>& values = knobs.emplace_back();
        for (const AccessPattern pattern : kernel.patterns) {
            values.push_back(static_cast<std::int64_t>(pattern));
        }
        for (std::size_t axis = 0; axis < 3; ++axis) {
            values.push_back(axis < kernel.tile.size() ? kernel.tile[axis] : 1);
        }
        for (const SchedulePart& part : schedule_parts()) {
            if (!part.always) {
                const std::string text = part.write(kernel);
                auto& known = numbers[part.key];
                values.push_back(part.kind == SchedulePart::Kind::number
                                     ? std::stoll(text)
                                     : known.try_emplace(text, std::ssize(known)).first->second);
            }
        }
    }
    return knobs;
}

std::size_t first_tile_knob(const ConfigurationSpace& space)
{
    return space.kernels().empty() ? 0 : space.kernels().front().patterns.size();
}

Knobs::Knobs(const ConfigurationSpace& space) : space_(space), kernels_(kernel_knobs(space))
{
    bool choice_of_groups = false;
    for (std::size_t k = 0; k < kernels_.size(); ++k) {
        if (!space.groups(k).empty()) {
            kernel_with_.emplace(kernels_[k], k);
        }
        choice_of_groups = choice_of_groups || space.groups(k).size() > 1;
        values_.resize(kernels_[k].size());
        for (std::size_t knob = 0; knob < values_.size(); ++knob) {
            values_[knob].push_back(kernels_[k][knob]);
        }
    }
    for (std::size_t knob = 0; knob < values_.size(); ++knob) {
        Values& values = values_[knob];
        std::sort(values.begin(), values.end());
        values.erase(std::unique(values.begin(), values.end()), values.end());
        if (values.size() > 1) {
            turnable_.push_back(knob);
        }
    }
    for (std::size_t knob = 0; choice_of_groups && knob < group_knobs; ++knob) {
        turnable_.push_back(values_.size() + knob);
    }
}

Eigen::VectorXd Knobs::features(std::int64_t index) const
{
    const ConfigurationSpace::Place place = space_.place(index);
    const KernelChoice& kernel = space_.kernels()[place.kernel];
    const GroupChoice& choice = space_.groups(place.kernel)[place.group];
    std::int64_t outputs = 1;
    for (const std::int32_t side : kernel.tile) {
        outputs *= side;
    }
    const std::int64_t items = std::int64_t{choice.group[0]} * choice.group[1] * choice.group[2] * kernel.split;
    Values numbers = kernels_[place.kernel];
    numbers.insert(numbers.end(),
                   {choice.warp[0], choice.warp[1], choice.group[0], choice.group[1], choice.group[2], items, outputs});
    return Eigen::Map<const Eigen::Matrix<std::int64_t, Eigen::Dynamic, 1>>(numbers.data(), std::ssize(numbers))
        .cast<double>();
}

std::optional<std::int64_t> Knobs::turn_kernel(ConfigurationSpace::Place from, std::size_t knob,
                                               std::mt19937_64& random) const
{
    Values turned = kernels_[from.kernel];
    turned[knob] = values_[knob][below(random, values_[knob].size())];
    const auto found = kernel_with_.find(turned);
    if (found == kernel_with_.end() || found->second == from.kernel) {
        return std::nullopt;
    }
    const GroupChoice& group = space_.groups(from.kernel)[from.group];
    const auto groups = space_.groups(found->second);
    const auto kept =
        std::find_if(groups.begin(), groups.end(), [&](const GroupChoice& other) { return same(group, other); });
    const auto place =
        kept == groups.end() ? below(random, groups.size()) : static_cast<std::size_t>(kept - groups.begin());
    return space_.first(found->second) + static_cast<std::int64_t>(place);
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
            (groups[g].warp == group.warp ? with_warp : others).push_back(static_cast<std::int64_t>(g));
        }
    }
    const auto& candidates = with_warp.empty() ? others : with_warp;
    if (candidates.empty()) {
        return std::nullopt;
    }
    return space_.first(from.kernel) + candidates[below(random, candidates.size())];
}

std::int64_t Knobs::neighbour(std::int64_t index, std::mt19937_64& random) const
{
    constexpr int draws = 16;
    const ConfigurationSpace::Place from = space_.place(index);
    for (int draw = 0; draw < draws && !turnable_.empty(); ++draw) {
        const std::size_t knob = turnable_[below(random, turnable_.size())];
        const auto found =
            knob < values_.size() ? turn_kernel(from, knob, random) : turn_group(from, knob - values_.size(), random);
        if (found) {
            return *found;
        }
    }
    return static_cast<std::int64_t>(uniform_below(random, static_cast<std::uint64_t>(space_.size())));
}

} // namespace texelscope::experiments
