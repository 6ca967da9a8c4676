// Texts that people write on the command line and that files hold: configurations, conditions,
// operators.

#include "codegen/nest/loop_nest.hpp"
#include "codegen/nest/schedule.hpp"
#include "codegen/operators/operator.hpp"
#include "devices/profile/device_profile.hpp"
#include "tests/fuzz/entries.hpp"
#include "tests/fuzz/property.hpp"
#include "traces/image.hpp"
#include "workbench/explain/kernel_arguments.hpp"
#include "workbench/space/constraint.hpp"
#include "workbench/space/searched_parts.hpp"
#include "workbench/store/result_diff.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace texelscope::fuzz {
using namespace workbench::store;

namespace {

const Operator& small_product()
{
    static const Operator op = parse_operator("matmul", "8,8,8");
    return op;
}

/// Whether a condition holds, as a word; "?" where it cannot be calculated.
std::string outcome(const Constraint& asked, const ParameterValues& values)
{
    const auto holds = accepted([&] { return asked.holds(values); });
    return !holds ? "?" : *holds ? "yes" : "no";
}

std::vector<std::string> lines_of(std::string_view input, std::size_t count)
{
    std::vector<std::string> lines(count);
    for (std::string& line : lines) {
        const std::size_t end = input.find('\n');
        line = input.substr(0, end);
        input.remove_prefix(end == std::string_view::npos ? input.size() : end + 1);
    }
    return lines;
}

} // namespace

bool schedule(std::string_view input)
{
    const auto read = accepted([&] { return parse_schedule(std::string(input)); });
    if (!read) {
        return false;
    }
    require(parse_schedule(to_string(*read)) == *read,
            "a configuration does not print and parse back");
    (void)accepted([&] { return loop_nest(small_product(), *read); }); // legal or not
    return true;
}

bool condition(std::string_view input)
{
    static const ParameterValues values =
        all_parameters(small_product().default_schedule, small_product().inputs.size() + 1);
    const std::string text(input);
    const auto read = accepted([&] { return Constraint(text, values); });
    if (!read) {
        return false;
    }
    for (const std::string& name : read->names()) {
        require(std::ranges::find(values, name, &ParameterValues::value_type::first) !=
                    values.end(),
                "a condition names what is no parameter");
    }
    const std::string found = outcome(*read, values);
    // refused where it is nested deepest
    const auto same = accepted([&] { return Constraint("( " + text + " )", values); });
    require(!same || outcome(*same, values) == found, "a condition in brackets is another one");
    const auto negated = accepted([&] { return Constraint("not ( " + text + " )", values); });
    require(!negated || outcome(*negated, values) == (found == "yes"  ? "no"
                                                      : found == "no" ? "yes"
                                                                      : found),
            "the opposite of a condition is not its opposite");
    return true;
}

bool diff_condition(std::string_view input)
{
    const auto read = accepted([&] { return parse_diff_condition(std::string(input)); });
    if (!read) {
        return false;
    }
    require(!read->path.empty() && std::isfinite(read->limit),
            "a condition has no path or no limit");
    const bool greater = read->comparison == DiffCondition::Comparison::greater ||
                         read->comparison == DiffCondition::Comparison::at_least;
    const bool equal = read->comparison == DiffCondition::Comparison::at_least ||
                       read->comparison == DiffCondition::Comparison::at_most;
    if (read->quantity != DiffCondition::Quantity::relative_change) { // a percentage is rounded
        const bool change = read->quantity == DiffCondition::Quantity::change;
        if (change || read->limit >= 0) {
            const DiffCondition again = parse_diff_condition(
                fmt::format("{} {}{} {}", read->path, greater ? ">" : "<", equal ? "=" : "",
                            fmt::format(fmt::runtime(change ? "{:+}" : "{}"), read->limit)));
            require(again.path == read->path && again.comparison == read->comparison &&
                        again.quantity == read->quantity && again.limit == read->limit,
                    "a condition does not print and parse back");
        }
    }
    for (const double a : {0.0, 1.0, -2.5}) {
        for (const double b : {0.0, 1.0, 1.05}) {
            (void)holds(*read, a, b);
        }
    }
    return true;
}

bool operator_text(std::string_view input)
{
    const std::vector<std::string> lines = lines_of(input, 3);
    const auto read = accepted([&] { return parse_operator(lines[0], lines[1], lines[2]); });
    if (!read) {
        return false;
    }
    const std::string sizes = fmt::format("{}", fmt::join(read->shape, ","));
    const Operator again = parse_operator(read->name, sizes, read->padding);
    require(again.shape == read->shape && again.default_schedule == read->default_schedule &&
                again.flops == read->flops,
            "an operator does not print and parse back");
    (void)loop_nest(*read, read->default_schedule); // always legal
    return true;
}

bool image(std::string_view input)
{
    const auto read = accepted([&] { return parse_image(std::string(input)); });
    if (!read) {
        return false;
    }
    require(read->extent.width >= 1 && read->extent.height >= 1 && read->bytes_per_texel.value >= 1,
            "an image has no texels");
    require(parse_image(fmt::format("{}:{}x{}x{}", read->name, read->extent.width,
                                    read->extent.height, read->bytes_per_texel.value)) == *read,
            "an image does not print and parse back");
    return true;
}

bool override_text(std::string_view input)
{
    static const devices::DeviceProfile base = [] {
        devices::DeviceProfile profile = devices::find_profile("adreno-740");
        profile.machines.clear(); // which are no part of the file
        return profile;
    }();
    std::vector<std::string> given = lines_of(input, 2);
    std::erase(given, std::string());
    const auto set = accepted([&] { return devices::with_overrides(base, given, "override"); });
    if (!set) {
        return false;
    }
    require(devices::parse_profile(devices::to_xml(*set), "again.xml") == *set,
            "a profile with values set by hand is another one when it is read again");
    return true;
}

bool parts(std::string_view input)
{
    const auto read = accepted([&] { return parse_parts(std::string(input)); });
    if (!read) {
        return false;
    }
    require(parse_parts(parts_text(*read)) == *read, "parts do not print and parse back");
    return true;
}

bool kernel_argument(std::string_view input)
{
    using namespace workbench::explain;
    const auto read = accepted([&] { return parse_kernel_argument(std::string(input)); });
    if (!read) {
        return false;
    }
    require(parse_kernel_argument(to_string(*read)) == *read,
            "an argument does not print and parse back");
    if (read->bytes <= 1 << 16) { // larger ones take long to fill
        require(std::ssize(argument_data(*read, 1)) == read->bytes,
                "an argument has another size than it says");
    }
    return true;
}

} // namespace texelscope::fuzz
