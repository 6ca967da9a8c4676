#pragma once

#include "workbench/space/kernel_choice.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace texelscope::workbench::space {

/// Values of one part of a schedule, or of several that hang together: each with every kernel of a
/// space.
struct SpaceFactor {
    std::string parts;                ///< their keys
    std::vector<KernelChoice> values; ///< of which only these parts count
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
        return static_cast<std::size_t>(times_) * list_.size();
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
        return lists_[list_[kernel % list_.size()]];
    }
    /// Number of the first element of a kernel. The elements of its other groups follow.
    [[nodiscard]] std::int64_t first(std::size_t kernel) const
    {
        return static_cast<std::int64_t>(kernel / list_.size()) * first_.back() +
               first_[kernel % list_.size()];
    }

    [[nodiscard]] const std::vector<SpaceFactor>& factors() const { return factors_; }
    [[nodiscard]] const std::vector<KernelChoice>& listed() const { return listed_; }
    /// The space of the listed kernels alone.
    [[nodiscard]] ConfigurationSpace without_factors() const;

    /// After so many kernels their work-groups repeat: as many as are listed; all, where kernels
    /// keep groups of their own (keeping()).
    [[nodiscard]] std::size_t period() const { return list_.size(); }
    /// The kernels as they are, each with those of its work-groups that `kept` marks, by the number
    /// of the element; some may have none. Elements keep their order.
    [[nodiscard]] ConfigurationSpace keeping(const std::vector<bool>& kept) const;
    /// The same elements, in their order, with all kernels listed; those that have no work-group
    /// go.
    [[nodiscard]] ConfigurationSpace flattened() const;

private:
    std::vector<SpaceFactor> factors_;
    /// That the lists of groups repeat: values of all factors together, or 1.
    std::int64_t times_ = 1;
    std::vector<KernelChoice> listed_;
    std::vector<std::vector<GroupChoice>> lists_;
    std::vector<std::size_t> list_;      ///< of the kernels of a period
    std::vector<std::int64_t> first_{0}; ///< of each of these, and the size
};

} // namespace texelscope::workbench::space
