#include "workbench/space/where.hpp"

#include "base/error.hpp"
#include "base/lists.hpp"
#include "workbench/space/tunable_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace texelscope::workbench::space {
namespace {

/// Adds parameters behind those of a schedule; 0 stands for any value.
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

std::vector<SpaceCondition> conditions_of(const std::vector<Constraint>& where)
{
    return mapped(where, [](const Constraint& constraint) {
        std::string parts;
        for (const std::string& name : constraint.names()) {
            parts += part_of_parameter(name)->key; // other names are refused where the text is read
        }
        parts = parts.empty() ? "T" : parts; // it names none: any does
        return SpaceCondition{constraint.text(), parts,
                              [&constraint](const KernelChoice& kernel, std::size_t) {
                                  return [&constraint, parameters = KernelParameters(kernel, {})](
                                             const GroupChoice& group, std::int64_t) mutable {
                                      return constraint.holds(parameters.of(group, {}));
                                  };
                              }};
    });
}

std::vector<SpaceCondition> conditions_of(const std::vector<Constraint>& where,
                                          const FoundNumbers& found)
{
    return mapped(where, [&](const Constraint& constraint) {
        const bool asks = std::ranges::any_of(
            found.names, [&](const std::string& name) { return constraint.names(name); });
        return SpaceCondition{
            .text = constraint.text(),
            .holds = [&constraint, &found, asks](const KernelChoice& kernel, std::size_t) {
                return
                    [&constraint, &found, asks, parameters = KernelParameters(kernel, found.names)](
                        const GroupChoice& group, std::int64_t element) mutable {
                        const auto numbers = asks ? found.of(element) : std::vector<std::int64_t>{};
                        return !(asks && numbers.empty()) &&
                               constraint.holds(parameters.of(group, numbers));
                    };
            }};
    });
}

void check_some_left(const SpaceCounts& counts, const std::string& what)
{
    if (!counts.conditions.empty() && counts.kept == 0) {
        const std::string texts = joined(
            counts.conditions, [](const auto& condition) { return '"' + condition.text + '"'; },
            " and ");
        throw bad_input(fmt::format("none of {} configurations is left where {} {}", counts.size,
                                    texts, counts.conditions.size() == 1 ? "holds" : "hold"),
                        what, "loosen the conditions, or search more parts");
    }
}

} // namespace texelscope::workbench::space
