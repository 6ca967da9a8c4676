#include "workbench/space/restricted_space.hpp"

#include "base/error.hpp"
#include "base/lists.hpp"
#include "codegen/nest/schedule_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace texelscope::workbench::space {
namespace {

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
        const auto holds = condition_.holds(kernel);
        std::vector<GroupChoice> left;
        if (of_groups_) {
            std::ranges::copy_if(groups, std::back_inserter(left), holds);
        } else if (holds(groups.front())) {
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

} // namespace

std::size_t tied_kernels(const ConfigurationSpace& space, const std::string& parts)
{
    return tied_by(space, parts).kernels;
}

ConfigurationSpace restricted(const ConfigurationSpace& space, const SpaceCondition& condition)
{
    if (space.size() == 0) {
        return space;
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
                  return !condition.holds(kernel)({});
              }) == 0;
    }
    if (all) {
        return space;
    }
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

} // namespace texelscope::workbench::space
