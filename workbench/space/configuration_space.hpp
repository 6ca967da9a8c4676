#pragma once

#include "codegen/operators/operator.hpp"
#include "devices/launch/limits.hpp"
#include "devices/profile/device_profile.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace texelscope::workbench::space {

/// Letters of the parts of a schedule that TMModel searches.
inline constexpr const char* paper_parts = "ATWG";

/// What a search may choose from. The defaults are those of the TMModel paper: patterns, tile, warp
/// shape and work-group (its A, T, W and G); all other parts of a schedule are as in the operator's
/// default schedule.
struct SpaceOptions {
    std::string parts = paper_parts; ///< letters of the parts that are searched
    std::vector<AccessPattern> patterns{all_access_patterns.begin(), all_access_patterns.end()};
    /// Numbers of the inputs whose pattern is not searched, but stays that of the operator's
    /// default schedule.
    std::set<std::size_t> kept_patterns = {};
    std::vector<std::int32_t> tile_sides{1, 2, 4, 8}; ///< along x and y
    std::vector<std::int32_t> tile_depths{1};         ///< along z, where the grid has it
    std::vector<std::int32_t> group_depths{1};        ///< in tiles along z, where the grid has it
    /// Values of further parts, by the part's letter, written as in a schedule's text; "" is the
    /// default value. A part need not be searched to have values here. A part that is searched and
    /// has none here takes part_values(). Values that are illegal for the operator are left out.
    std::map<char, std::vector<std::string>> choices = {};
    std::int64_t smallest_group = 16;  ///< work-items
    std::int64_t largest_group = 1024; ///< work-items; the device's own limit holds as well
};

/// The choice that decides a kernel's text and images: a schedule whose warp shape and work-group
/// do not count.
using KernelChoice = Schedule;
/// The choice that decides which work-items run together.
struct GroupChoice {
    std::array<std::int32_t, 2> warp{1, 1};
    Dim3 group{1, 1, 1};
};
[[nodiscard]] Schedule schedule_of(const KernelChoice& kernel, const GroupChoice& group);
/// The schedule to ask about a kernel in its group number `g`: with that very group where the
/// kernel's reads depend on the group (it copies blocks), else one schedule that stands for all
/// groups.
[[nodiscard]] Schedule standing_for(const KernelChoice& kernel, std::span<const GroupChoice> groups,
                                    std::size_t g);
[[nodiscard]] KernelChoice kernel_of(Schedule schedule);

/// Whether the operator takes the schedule.
[[nodiscard]] bool is_legal(const Operator& op, const Schedule& schedule);

/// Every combination of one pattern for each input.
[[nodiscard]] std::vector<std::vector<AccessPattern>>
pattern_choices(std::span<const AccessPattern> patterns, std::size_t inputs);
/// Every combination of SpaceOptions::choices. The first part, in the order of a schedule's text,
/// varies slowest; patterns and tile are those of `base`.
[[nodiscard]] std::vector<KernelChoice> further_choices(const SpaceOptions& options,
                                                        const KernelChoice& base = {});

/// Values of one part of a schedule, or of several parts that depend on each other. Every kernel of
/// a space comes with each of the values.
struct SpaceFactor {
    std::string parts;                ///< letters
    std::vector<KernelChoice> values; ///< schedules of which only these parts count
};

/// A set of configurations, too large to be written out: kernels, each with the work-groups that it
/// can have, times factors.
///
/// What goes in: lists of work-groups, kernels that refer to one of the lists, and factors. What
/// comes out: the schedule of any element by its number, or one kernel after the other with its
/// work-groups. Usually configuration_space() makes one from an operator, a device and
/// SpaceOptions; constrained_space(), restricted() and part_of() make smaller ones.
///
/// Order of calls when building one: add_groups(), then add_kernel() with the list's number, then
/// add_factor().
///
/// What always holds: an element is a number in [0, size()). The elements of one kernel are
/// neighbours, in the order of its groups. Memory grows with the lists and factors, never with
/// size().
class ConfigurationSpace {
public:
    /// Adds a list of work-groups, which several kernels may share; returns the list's number.
    std::size_t add_groups(std::vector<GroupChoice> groups);
    /// Adds a kernel with the work-groups of the list number `groups`. With an empty list it has no
    /// elements.
    void add_kernel(KernelChoice kernel, std::size_t groups);
    /// Multiplies the space by a factor: every listed kernel is there once for each value, which
    /// takes the place of the kernel's own.
    void add_factor(SpaceFactor factor);

    [[nodiscard]] std::int64_t size() const { return times_ * first_.back(); }
    /// The element number `index` in [0, size()). Groups vary fastest, then the listed kernels,
    /// then the factors, of which the first varies slowest.
    [[nodiscard]] Schedule at(std::int64_t index) const;
    /// Where an element is: its kernel, and its place in the kernel's list of groups.
    struct Place {
        std::size_t kernel = 0;
        std::size_t group = 0;
    };
    [[nodiscard]] Place place(std::int64_t index) const;

    [[nodiscard]] std::size_t kernel_count() const
    {
        return static_cast<std::size_t>(times_) * listed_.size();
    }
    [[nodiscard]] KernelChoice kernel(std::size_t number) const;
    /// All kernels, each made when it is looked at. This is a class of its own since clang 14,
    /// which builds the fuzzers, does not compile GCC's std::views.
    class Kernels {
    public:
        class Iterator {
        public:
            Iterator(const ConfigurationSpace& space, std::size_t number)
                : space_(&space), number_(number)
            {}
            [[nodiscard]] KernelChoice operator*() const { return space_->kernel(number_); }
            Iterator& operator++()
            {
                ++number_;
                return *this;
            }
            [[nodiscard]] bool operator!=(const Iterator& other) const
            {
                return number_ != other.number_;
            }

        private:
            const ConfigurationSpace* space_;
            std::size_t number_;
        };

        explicit Kernels(const ConfigurationSpace& space) : space_(&space) {}
        [[nodiscard]] Iterator begin() const { return {*space_, 0}; }
        [[nodiscard]] Iterator end() const { return {*space_, space_->kernel_count()}; }

    private:
        const ConfigurationSpace* space_;
    };
    [[nodiscard]] Kernels kernels() const { return Kernels(*this); }
    [[nodiscard]] std::span<const GroupChoice> groups(std::size_t kernel) const
    {
        return lists_[list_[kernel % listed_.size()]];
    }
    /// Number of the first element of a kernel. The elements of its other groups follow.
    [[nodiscard]] std::int64_t first(std::size_t kernel) const
    {
        return static_cast<std::int64_t>(kernel / listed_.size()) * first_.back() +
               first_[kernel % listed_.size()];
    }

    [[nodiscard]] const std::vector<SpaceFactor>& factors() const { return factors_; }
    [[nodiscard]] const std::vector<KernelChoice>& listed() const { return listed_; }
    /// The space of the listed kernels alone.
    [[nodiscard]] ConfigurationSpace without_factors() const;

private:
    std::vector<SpaceFactor> factors_;
    std::int64_t times_ = 1; ///< product of the numbers of values of all factors
    std::vector<KernelChoice> listed_;
    std::vector<std::vector<GroupChoice>> lists_;
    std::vector<std::size_t> list_; ///< by listed kernel: number of its list of groups
    /// By listed kernel: number of its first element; last, their total.
    std::vector<std::int64_t> first_{0};
};

/// The space of the elements that `kept` marks by number, in the same order. Kernels that are left
/// with no group are dropped.
[[nodiscard]] ConfigurationSpace part_of(const ConfigurationSpace& space,
                                         const std::vector<bool>& kept);

/// The work-groups that a kernel can have: those that the options allow for G and W and that are
/// within the device's limit. A kernel that copies blocks (S) gets only those that the operator
/// takes with some tile.
[[nodiscard]] std::vector<GroupChoice> group_choices(const Operator& op,
                                                     const DeviceProfile& device,
                                                     const SpaceOptions& options,
                                                     const KernelChoice& kernel);
/// The tiles that the options allow for T. A tile has two sides where its third is 1. Not all are
/// legal.
[[nodiscard]] std::vector<std::vector<std::int32_t>> tile_choices(const Operator& op,
                                                                  const SpaceOptions& options);

/// Every combination of the options' values that is legal on the device and within its limits.
/// Sides of work-groups are powers of two. Sides of groups and of tiles above the smallest power of
/// two that covers the output are left out. A kernel that copies blocks (S) may still turn out to
/// be illegal together with its tile or its loops. Throws bad_input where nothing is left.
[[nodiscard]] ConfigurationSpace configuration_space(const Operator& op,
                                                     const DeviceProfile& device,
                                                     const SpaceOptions& options = {});

} // namespace texelscope::workbench::space
