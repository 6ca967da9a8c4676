// Leaves elements out of a space by conditions. A condition on parts ties together those factors
// (and the list) that have these parts: they are multiplied out and filtered, while the other
// factors stay as they are; so a large space is narrowed without its elements being listed. A
// condition on whole elements asks each of them.

#include "workbench/space/narrowed.hpp"

#include "base/error.hpp"
#include "base/lists.hpp"
#include "codegen/nest/schedule_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace texelscope::workbench::space {
namespace {

// Most kernels that one condition may tie together.
constexpr std::size_t most_tied = std::size_t{1} << 20U;

bool share(const std::string& some, const std::string& others)
{
    return some.find_first_of(others) != std::string::npos;
}

void copy_parts(KernelChoice& to, const KernelChoice& from, const std::string& parts)
{
    for (const char key : parts) {
        schedule_part(key).copy(to, from);
    }
}

/// Every value of one with every value of the other.
SpaceFactor product(const SpaceFactor& outer, const SpaceFactor& inner)
{
    SpaceFactor both{outer.parts + inner.parts, {}};
    for (const KernelChoice& value : outer.values) {
        for (const KernelChoice& other : inner.values) {
            both.values.push_back(value);
            copy_parts(both.values.back(), other, inner.parts);
        }
    }
    return both;
}

/// What the named parts of a kernel are.
std::string text_of(const KernelChoice& kernel, const std::string& parts)
{
    std::string text;
    for (const char key : parts) {
        text += schedule_part(key).write(kernel) + ";";
    }
    return text;
}

/// Filters the list of a space, each of its kernels with every value of a factor.
class ListFilter {
public:
    ListFilter(const ConfigurationSpace& space, const SpaceCondition& condition)
        : space_(space), condition_(condition), of_groups_(share(condition.parts, "WG"))
    {}

    /// Of the kernels whose factors are `to`'s.
    void add(const KernelChoice& value, const std::string& parts, ConfigurationSpace& to)
    {
        for (std::size_t k = 0; k < space_.listed().size(); ++k) {
            KernelChoice kernel = space_.listed()[k];
            copy_parts(kernel, value, parts);
            if (const auto list = list_of(kernel, space_.groups(k), to)) {
                to.add_kernel(std::move(kernel), *list);
            }
        }
    }
    [[nodiscard]] bool left_all() const { return left_all_; }

private:
    /// Number of the list that is left of the kernel's groups; nothing where that is empty. Kernels
    /// that have the same list and are the same to the condition share what is left.
    std::optional<std::size_t> list_of(const KernelChoice& kernel,
                                       std::span<const GroupChoice> groups, ConfigurationSpace& to)
    {
        const auto [found, fresh] =
            lists_.try_emplace({groups.data(), text_of(kernel, condition_.parts)}, std::nullopt);
        if (!fresh || groups.empty()) {
            return found->second;
        }
        const SpaceCondition::InGroup holds = condition_.holds(kernel, 0);
        std::vector<GroupChoice> left;
        if (of_groups_) {
            std::ranges::copy_if(groups, std::back_inserter(left),
                                 [&](const GroupChoice& group) { return holds(group, 0); });
        } else if (holds(groups.front(), 0)) {
            left.assign(groups.begin(), groups.end());
        }
        left_all_ = left_all_ && left.size() == groups.size();
        if (left.size() == groups.size()) { // shared by all that it is whole for
            const auto [whole, first] = whole_.try_emplace(groups.data(), 0);
            whole->second = first ? to.add_groups(std::move(left)) : whole->second;
            found->second = whole->second;
        } else if (!left.empty()) {
            found->second = to.add_groups(std::move(left));
        }
        return found->second;
    }

    const ConfigurationSpace& space_;
    const SpaceCondition& condition_;
    bool of_groups_;
    bool left_all_ = true;
    std::map<std::pair<const GroupChoice*, std::string>, std::optional<std::size_t>> lists_;
    std::map<const GroupChoice*, std::size_t> whole_;
};

/// What a condition ties together.
struct Tied {
    std::string parts;   ///< of the factors
    bool listed = false; ///< the list of kernels, too
    std::size_t kernels = 1;
};

Tied tied_by(const ConfigurationSpace& space, const std::string& parts)
{
    Tied tied;
    for (const SpaceFactor& factor : space.factors()) {
        if (share(factor.parts, parts)) {
            tied.parts += factor.parts;
            tied.kernels *= factor.values.size();
        }
    }
    std::string own = parts; // those of the list
    std::erase_if(own, [&](char key) { return tied.parts.find(key) != std::string::npos; });
    tied.listed = tied.parts.empty() || share(parts, "WG") ||
                  std::ranges::any_of(space.listed(), [&](const KernelChoice& kernel) {
                      return text_of(kernel, own) != text_of(space.listed().front(), own);
                  });
    tied.kernels *= tied.listed ? space.listed().size() : 1;
    return tied;
}

/// The space without what a condition on parts leaves out.
ConfigurationSpace restricted(ConfigurationSpace space, const SpaceCondition& condition)
{
    if (space.size() == 0) {
        return space;
    }
    if (space.period() != space.listed().size()) {
        space = space.flattened();
    }
    const Tied tied = tied_by(space, condition.parts);
    if (tied.kernels > most_tied) {
        throw bad_input(fmt::format("a condition ties {} kernels together, more than {}",
                                    tied.kernels, most_tied),
                        {}, "split it where it says 'and', or search fewer parts");
    }
    SpaceFactor joined{{}, {KernelChoice{}}};
    for (const SpaceFactor& factor : space.factors()) {
        joined = share(factor.parts, tied.parts) ? product(joined, factor) : joined;
    }
    ConfigurationSpace left;
    bool all = true;
    if (tied.listed) {
        ListFilter filter(space, condition);
        for (const KernelChoice& value : joined.values) {
            filter.add(value, joined.parts, left);
        }
        all = filter.left_all();
    } else {
        left = space.without_factors();
        all = std::erase_if(joined.values, [&](const KernelChoice& value) {
                  KernelChoice kernel = space.listed().front();
                  copy_parts(kernel, value, joined.parts);
                  return !condition.holds(kernel, 0)({}, 0);
              }) == 0;
    }
    if (all) {
        return space;
    }
    // The joined factor takes the place of the first of those that it was made from, or is part of
    // the list.
    bool placed = tied.listed;
    for (const SpaceFactor& factor : space.factors()) {
        if (!share(factor.parts, tied.parts)) {
            left.add_factor(factor);
        } else if (!placed) {
            left.add_factor(joined);
            placed = true;
        }
    }
    return left;
}

/// Asks conditions on whole elements. Returns which elements are kept, and adds what each condition
/// excludes to the counts: what those before it had left, and where it is asked in any case
/// (`always`), also what it would exclude alone.
std::vector<bool> kept_elements(const ConfigurationSpace& space,
                                std::span<const SpaceCondition> conditions, SpaceCounts& counts,
                                const StopToken& stop)
{
    const std::size_t first = counts.conditions.size();
    for (const SpaceCondition& condition : conditions) {
        counts.conditions.push_back({condition.text});
    }
    std::vector<bool> kept;
    kept.reserve(static_cast<std::size_t>(space.size()));
    for (std::size_t k = 0; k < space.kernel_count(); ++k) {
        check_stop(stop);
        const KernelChoice kernel = space.kernel(k);
        const auto tests = mapped(conditions, [&](const SpaceCondition& condition) {
            return condition.holds(kernel, k);
        });
        for (const GroupChoice& group : space.groups(k)) {
            const std::int64_t element = std::ssize(kept);
            bool excluded = false;
            for (std::size_t c = 0; c < conditions.size(); ++c) {
                if ((excluded && !conditions[c].always) || tests[c](group, element)) {
                    continue;
                }
                SpaceCounts::Condition& count = counts.conditions[first + c];
                count.alone += conditions[c].always ? 1 : 0;
                count.excluded += excluded ? 0 : 1;
                excluded = true;
            }
            kept.push_back(!excluded);
            counts.kept -= excluded ? 1 : 0;
        }
    }
    return kept;
}

} // namespace

SpaceCondition condition_on_kernels(std::string parts,
                                    std::function<bool(const KernelChoice&)> holds)
{
    return {.parts = std::move(parts),
            .holds = [holds = std::move(holds)](const KernelChoice& kernel, std::size_t) {
                return [is = holds(kernel)](const GroupChoice&, std::int64_t) { return is; };
            }};
}

SpaceCounts& SpaceCounts::operator+=(const SpaceCounts& other)
{
    size += other.size;
    kept += other.kept;
    conditions.resize(other.conditions.size());
    for (std::size_t i = 0; i < conditions.size(); ++i) {
        conditions[i].text = other.conditions[i].text;
        conditions[i].excluded += other.conditions[i].excluded;
        conditions[i].alone += other.conditions[i].alone;
    }
    return *this;
}

std::size_t tied_kernels(const ConfigurationSpace& space, const std::string& parts)
{
    return tied_by(space, parts).kernels;
}

Narrowed narrowed(ConfigurationSpace space, const std::vector<SpaceCondition>& conditions,
                  const std::string& what, const StopToken& stop)
{
    Narrowed left{std::move(space), {}};
    left.counts.size = left.counts.kept = left.space.size();
    const auto is_whole = [](const SpaceCondition& condition) { return condition.parts.empty(); };
    for (auto next = conditions.begin(); next != conditions.end();) {
        const auto last = std::find_if_not(next, conditions.end(), is_whole);
        if (last != next) { // together, so that each can be asked of every element
            left.kept = kept_elements(left.space, {next, last}, left.counts, stop);
            left.space = left.space.keeping(left.kept);
            next = last;
            continue;
        }
        try {
            left.space = restricted(std::move(left.space), *next);
        } catch (const Error& error) {
            if (next->text.empty()) {
                throw;
            }
            throw bad_input(fmt::format("condition \"{}\": {}", next->text, error.what()), what);
        }
        left.counts.conditions.push_back({next->text, left.counts.kept - left.space.size()});
        left.counts.kept = left.space.size();
        ++next;
    }
    return left;
}

} // namespace texelscope::workbench::space
