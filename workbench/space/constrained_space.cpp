#include "workbench/space/constrained_space.hpp"

#include "base/error.hpp"
#include "base/lists.hpp"
#include "workbench/space/restricted_space.hpp"
#include "workbench/space/tunable_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace texelscope::workbench::space {
namespace {

/// Behind the parameters of a schedule, with any value.
void add_numbers(ParameterValues& values, const std::vector<std::string>& names)
{
    for (const std::string& name : names) {
        values.emplace_back(name, std::int64_t{0});
    }
}

/// The parameters of the elements of one kernel: all but those of the group are worked out once.
class KernelParameters {
public:
    KernelParameters(const KernelChoice& kernel, const std::vector<std::string>& found)
        : values_(all_parameters(schedule_of(kernel, {}), kernel.patterns.size() + 1)),
          own_(values_.size())
    {
        add_numbers(values_, found);
        for (std::size_t i = 0; i < names.size(); ++i) {
            const auto value =
                std::ranges::find(values_, names[i], &ParameterValues::value_type::first);
            places_[i] = static_cast<std::size_t>(value - values_.begin());
        }
    }

    /// `found`: what was found out about the element; none: nothing.
    const ParameterValues& of(const GroupChoice& group, const std::vector<std::int64_t>& found)
    {
        const std::array<std::int32_t, 5> numbers{group.warp[0], group.warp[1], group.group[0],
                                                  group.group[1], group.group[2]};
        for (std::size_t i = 0; i < names.size(); ++i) {
            values_[places_[i]].second = std::int64_t{numbers[i]};
        }
        for (std::size_t i = 0; i < found.size(); ++i) {
            values_[own_ + i].second = found[i];
        }
        return values_;
    }

private:
    static constexpr std::array<const char*, 5> names{"warp_x", "warp_y", "block_size_x",
                                                      "block_size_y", "block_size_z"};
    ParameterValues values_;
    std::size_t own_; ///< how many are those of the schedule
    std::array<std::size_t, 5> places_{};
};

/// Looks at the parts whose parameters it names.
SpaceCondition condition_of(const Constraint& constraint)
{
    std::string parts;
    for (const std::string& name : constraint.names()) {
        parts += part_of_parameter(name)->key; // other names are refused where the text is read
    }
    return {parts, [&constraint](const KernelChoice& kernel) {
                return [&constraint, parameters = KernelParameters(kernel, {})](
                           const GroupChoice& group) mutable {
                    return constraint.holds(parameters.of(group, {}));
                };
            }};
}

} // namespace

std::vector<Constraint> constraints(const std::vector<std::string>& texts, const Operator& op,
                                    const std::vector<std::string>& found)
{
    Schedule any;
    any.patterns.resize(op.inputs.size());
    ParameterValues parameters = all_parameters(any, op.inputs.size() + 1);
    add_numbers(parameters, found);
    std::vector<Constraint> parsed;
    for (const std::string& text : texts) {
        try {
            parsed.emplace_back(text, parameters);
        } catch (const Error& error) { // operators differ in how many patterns they have
            throw bad_input(error.what(), to_string(op));
        }
    }
    return parsed;
}

ConstraintCounts& ConstraintCounts::operator+=(const ConstraintCounts& other)
{
    size += other.size;
    kept += other.kept;
    conditions.resize(other.conditions.size());
    for (std::size_t i = 0; i < conditions.size(); ++i) {
        conditions[i].text = other.conditions[i].text;
        conditions[i].excluded += other.conditions[i].excluded;
    }
    return *this;
}

ConstrainedElements constrained_elements(const ConfigurationSpace& space,
                                         const std::vector<Constraint>& where,
                                         const StopToken& stop, const FoundNumbers& found)
{
    // By condition, whether it names what was found out.
    const std::vector<bool> asks = mapped(where, [&](const Constraint& constraint) {
        return std::ranges::any_of(found.names,
                                   [&](const std::string& name) { return constraint.names(name); });
    });
    const bool any_asks = std::ranges::find(asks, true) != asks.end();
    ConstrainedElements elements{{}, {space.size(), space.size(), {}}};
    for (const Constraint& constraint : where) {
        elements.counts.conditions.push_back({constraint.text()});
    }
    elements.kept.reserve(static_cast<std::size_t>(space.size()));
    for (std::size_t k = 0; k < space.kernel_count(); ++k) {
        check_stop(stop);
        KernelParameters parameters(space.kernel(k), found.names);
        for (const GroupChoice& group : space.groups(k)) {
            const std::vector<std::int64_t> numbers =
                any_asks ? found.of(std::ssize(elements.kept)) : std::vector<std::int64_t>{};
            const ParameterValues& values = parameters.of(group, numbers);
            std::size_t held = 0;
            while (held < where.size() && !(asks[held] && numbers.empty()) &&
                   where[held].holds(values)) {
                ++held;
            }
            elements.kept.push_back(held == where.size());
            if (held < where.size()) {
                ++elements.counts.conditions[held].excluded;
                --elements.counts.kept;
            }
        }
    }
    return elements;
}

ConstrainedSpace constrained_space(ConfigurationSpace space, const std::vector<Constraint>& where,
                                   const std::string& what)
{
    ConstrainedSpace left{std::move(space), {}};
    left.counts.size = left.counts.kept = left.space.size();
    for (const Constraint& constraint : where) {
        try {
            left.space = restricted(left.space, condition_of(constraint));
        } catch (const Error& error) {
            throw bad_input(fmt::format("condition \"{}\": {}", constraint.text(), error.what()),
                            what);
        }
        left.counts.conditions.push_back({constraint.text(), left.counts.kept - left.space.size()});
        left.counts.kept = left.space.size();
    }
    if (!where.empty() && left.counts.kept == 0) {
        const std::string texts = joined(
            where, [](const Constraint& constraint) { return '"' + constraint.text() + '"'; },
            " and ");
        throw bad_input(fmt::format("none of {} configurations is left where {} {}",
                                    left.counts.size, texts, where.size() == 1 ? "holds" : "hold"),
                        what, "loosen the conditions, or search more parts");
    }
    return left;
}

} // namespace texelscope::workbench::space
