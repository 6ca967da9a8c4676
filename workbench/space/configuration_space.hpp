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

/// The parts that TMModel searches.
inline constexpr const char* paper_parts = "ATWG";

/// What a search chooses from. The defaults are those of the paper: patterns, tile, warp shape and
/// work-group (TMModel's A, T, W and G), with everything else of a schedule as it is in the
/// operator's default one.
struct SpaceOptions {
    std::string parts = paper_parts; ///< letters of those that are searched
    std::vector<AccessPattern> patterns{all_access_patterns.begin(), all_access_patterns.end()};
    /// Inputs whose pattern stays that of the operator's default schedule.
    std::set<std::size_t> kept_patterns = {};
    std::vector<std::int32_t> tile_sides{1, 2, 4, 8}; ///< along x and y
    std::vector<std::int32_t> tile_depths{1};         ///< along z, where the grid has it
    std::vector<std::int32_t> group_depths{1};        ///< in tiles along z, where the grid has it
    /// Values of any further part, searched or not, as in the text; "" is its default. Those of a
    /// part that is searched and not here are part_values(). What is illegal for the operator is
    /// left out.
    std::map<char, std::vector<std::string>> choices = {};
    std::int64_t smallest_group = 16;  ///< work-items
    std::int64_t largest_group = 1024; ///< work-items; the device's limit holds as well
};

/// What decides text and images: a schedule whose warp shape and work-group are not said.
using KernelChoice = Schedule;
/// The part that decides which work-items run together.
struct GroupChoice {
    std::array<std::int32_t, 2> warp{1, 1};
    Dim3 group{1, 1, 1};
};
[[nodiscard]] Schedule schedule_of(const KernelChoice& kernel, const GroupChoice& group);
/// What is asked of a kernel in the group of that number: itself where its reads depend on the
/// group, else what stands for all.
[[nodiscard]] Schedule standing_for(const KernelChoice& kernel, std::span<const GroupChoice> groups,
                                    std::size_t g);
[[nodiscard]] KernelChoice kernel_of(Schedule schedule);

/// Whether the operator takes the schedule.
[[nodiscard]] bool is_legal(const Operator& op, const Schedule& schedule);

/// Every combination of one pattern for each input.
[[nodiscard]] std::vector<std::vector<AccessPattern>>
pattern_choices(std::span<const AccessPattern> patterns, std::size_t inputs);
/// Every combination of the options' further choices, the first part (in the order of a schedule's
/// text) outermost; patterns and tile are those of `base`.
[[nodiscard]] std::vector<KernelChoice> further_choices(const SpaceOptions& options,
                                                        const KernelChoice& base = {});

/// Values of one part of a schedule, or of several that hang together: each with every kernel of a
/// space.
struct SpaceFactor {
    std::string parts;                ///< letters
    std::vector<KernelChoice> values; ///< of which only these parts count
};

/// Kernels, each with the work-groups that it can have: a list of them, times factors. An element
/// is a number; nothing is made up front for each.
class ConfigurationSpace {
public:
    /// A list of work-groups that kernels can share; returns its number.
    std::size_t add_groups(std::vector<GroupChoice> groups);
    /// A kernel with the work-groups of a list; one with an empty list has no elements.
    void add_kernel(KernelChoice kernel, std::size_t groups);
    /// Every listed kernel is there with each of its values, in place of its own ones.
    void add_factor(SpaceFactor factor);

    [[nodiscard]] std::int64_t size() const { return times_ * first_.back(); }
    /// Number `index` in [0, size()): groups vary fastest, then the listed kernels, then the
    /// factors, the first one slowest.
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
    /// All of them, each made when it is looked at. A class of its own, for clang 14 (the fuzzers')
    /// does not compile GCC's std::views.
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
    /// Number of the first element of a kernel; its groups follow.
    [[nodiscard]] std::int64_t first(std::size_t kernel) const
    {
        return static_cast<std::int64_t>(kernel / listed_.size()) * first_.back() +
               first_[kernel % listed_.size()];
    }

    [[nodiscard]] const std::vector<SpaceFactor>& factors() const { return factors_; }
    [[nodiscard]] const std::vector<KernelChoice>& listed() const { return listed_; }
    /// The listed kernels as they are.
    [[nodiscard]] ConfigurationSpace without_factors() const;

private:
    std::vector<SpaceFactor> factors_;
    std::int64_t times_ = 1; ///< values of all factors together
    std::vector<KernelChoice> listed_;
    std::vector<std::vector<GroupChoice>> lists_;
    std::vector<std::size_t> list_;      ///< of each listed kernel
    std::vector<std::int64_t> first_{0}; ///< of each listed kernel, and the size
};

/// The elements that `kept` marks, by number, in their order; kernels that are left with no group
/// go.
[[nodiscard]] ConfigurationSpace part_of(const ConfigurationSpace& space,
                                         const std::vector<bool>& kept);

/// The work-groups that a kernel can have, by what the options say of G and W and by the device's
/// limit; where it copies blocks, those that the operator takes with some tile.
[[nodiscard]] std::vector<GroupChoice> group_choices(const Operator& op,
                                                     const DeviceProfile& device,
                                                     const SpaceOptions& options,
                                                     const KernelChoice& kernel);
/// The tiles by what the options say of T: two sizes where the third is 1. Not all are legal.
[[nodiscard]] std::vector<std::vector<std::int32_t>> tile_choices(const Operator& op,
                                                                  const SpaceOptions& options);

/// Every combination of what the options name that is legal on the device and within its limits.
/// Group sides are powers of two; those above the smallest power of two that covers the output are
/// left out, as are tile sides. What copies blocks (S) may yet turn out illegal with the tile or
/// the loops that it meets. Throws bad_input where nothing is left.
[[nodiscard]] ConfigurationSpace configuration_space(const Operator& op,
                                                     const DeviceProfile& device,
                                                     const SpaceOptions& options = {});

} // namespace texelscope::workbench::space
