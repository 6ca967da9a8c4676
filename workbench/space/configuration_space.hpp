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
        return static_cast<std::size_t>(times_) * list_.size();
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
        return lists_[list_[kernel % list_.size()]];
    }
    /// Number of the first element of a kernel; its groups follow.
    [[nodiscard]] std::int64_t first(std::size_t kernel) const
    {
        return static_cast<std::int64_t>(kernel / list_.size()) * first_.back() +
               first_[kernel % list_.size()];
    }

    [[nodiscard]] const std::vector<SpaceFactor>& factors() const { return factors_; }
    [[nodiscard]] const std::vector<KernelChoice>& listed() const { return listed_; }
    /// The listed kernels as they are.
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
