// A space is kernels times work-groups. Kernels are a list times factors (values of further parts),
// the last factor running fastest, and the list within; element numbers follow that order. Lists of
// work-groups are kept once and shared by kernels.

#include "workbench/space/configuration_space.hpp"

#include "codegen/nest/schedule_parts.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace texelscope::workbench::space {

std::size_t ConfigurationSpace::add_groups(std::vector<GroupChoice> groups)
{
    lists_.push_back(std::move(groups));
    return lists_.size() - 1;
}

void ConfigurationSpace::add_kernel(KernelChoice kernel, std::size_t groups)
{
    listed_.push_back(std::move(kernel));
    list_.push_back(groups);
    first_.push_back(first_.back() + std::ssize(lists_[groups]));
}

void ConfigurationSpace::add_factor(SpaceFactor factor)
{
    times_ *= std::ssize(factor.values);
    factors_.push_back(std::move(factor));
}

ConfigurationSpace ConfigurationSpace::without_factors() const
{
    ConfigurationSpace alone = *this;
    alone.factors_.clear();
    alone.times_ = 1;
    return alone;
}

// Every value of the factors repeats the whole list with its work-groups.
ConfigurationSpace::Place ConfigurationSpace::place(std::int64_t index) const
{
    const std::int64_t in_list = index % first_.back();
    const auto next = std::upper_bound(first_.begin(), first_.end(), in_list);
    const auto listed = static_cast<std::size_t>(next - first_.begin()) - 1;
    return {static_cast<std::size_t>(index / first_.back()) * list_.size() + listed,
            static_cast<std::size_t>(in_list - first_[listed])};
}

KernelChoice ConfigurationSpace::kernel(std::size_t number) const
{
    KernelChoice kernel = listed_[number % listed_.size()];
    number /= listed_.size();
    for (auto factor = factors_.rbegin(); factor != factors_.rend(); ++factor) {
        for (const char key : factor->parts) {
            schedule_part(key).copy(kernel, factor->values[number % factor->values.size()]);
        }
        number /= factor->values.size();
    }
    return kernel;
}

Schedule ConfigurationSpace::at(std::int64_t index) const
{
    const Place found = place(index);
    return schedule_of(kernel(found.kernel), groups(found.kernel)[found.group]);
}

// `kept` has an entry for each element, so afterwards each kernel may have a list of its own: the
// factors no longer repeat the list of groups, only the kernels.
ConfigurationSpace ConfigurationSpace::keeping(const std::vector<bool>& kept) const
{
    ConfigurationSpace part;
    part.factors_ = factors_;
    part.listed_ = listed_;
    part.lists_ = lists_;
    const std::size_t none = part.add_groups({});
    auto mark = kept.begin();
    for (std::size_t k = 0; k < kernel_count(); ++k) {
        const std::span<const GroupChoice> all = groups(k);
        std::vector<GroupChoice> left;
        for (const GroupChoice& group : all) {
            if (*mark++) {
                left.push_back(group);
            }
        }
        part.first_.push_back(part.first_.back() + std::ssize(left));
        part.list_.push_back(left.empty()                ? none
                             : left.size() == all.size() ? list_[k % list_.size()]
                                                         : part.add_groups(std::move(left)));
    }
    return part;
}

ConfigurationSpace ConfigurationSpace::flattened() const
{
    ConfigurationSpace flat;
    flat.lists_ = lists_;
    for (std::size_t k = 0; k < kernel_count(); ++k) {
        if (!groups(k).empty()) {
            flat.add_kernel(kernel(k), list_[k % list_.size()]);
        }
    }
    return flat;
}

} // namespace texelscope::workbench::space
