#include "workbench/store/tuning_json.hpp"

#include "base/error.hpp"
#include "base/json_integer.hpp"
#include "base/lists.hpp"
#include "codegen/nest/loop_nest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

namespace texelscope::workbench::store {
// What the files of auto-tuners share (kernel_tuner_cache.cpp, t4_results.cpp).
namespace {

using Json = nlohmann::ordered_json;

constexpr double ns_per_ms = 1e6;

/// A text that all results of a file share: how to get it from a result, and where it is in a
/// group.
struct SharedMember {
    const char* name;
    std::string (*of)(const StoredResult&);
    std::string& (*in)(TuningGroup&);
};
constexpr std::array<SharedMember, 8> shared_members{{
    {"op", [](const StoredResult& r) { return r.op; },
     [](TuningGroup& g) -> std::string& { return g.op; }},
    {"shape", [](const StoredResult& r) { return r.shape; },
     [](TuningGroup& g) -> std::string& { return g.shape; }},
    {"padding", [](const StoredResult& r) { return r.padding; },
     [](TuningGroup& g) -> std::string& { return g.padding; }},
    {"judge", [](const StoredResult& r) { return r.key.judge; },
     [](TuningGroup& g) -> std::string& { return g.key.judge; }},
    {"device", [](const StoredResult& r) { return r.key.device; },
     [](TuningGroup& g) -> std::string& { return g.key.device; }},
    {"driver", [](const StoredResult& r) { return r.key.driver; },
     [](TuningGroup& g) -> std::string& { return g.key.driver; }},
    {"program", [](const StoredResult& r) { return r.key.program; },
     [](TuningGroup& g) -> std::string& { return g.key.program; }},
    {"settings", [](const StoredResult& r) { return r.key.settings; },
     [](TuningGroup& g) -> std::string& { return g.key.settings; }},
}};

/// From ms to ns. Devices count whole ns, so a number that is whole but for rounding errors is
/// taken to be whole.
double ns_from_ms(double ms)
{
    const double ns = ms * ns_per_ms;
    const double whole = std::round(ns);
    return std::abs(ns - whole) <= 2 * std::numeric_limits<double>::epsilon() * std::abs(ns) ? whole
                                                                                             : ns;
}

/// Whether a time comes back the same after it was written in ms.
bool kept_by_ms(double ns)
{
    return std::isfinite(ns) && ns_from_ms(ns / ns_per_ms) == ns;
}

/// The schedule of a row. Throws bad_input for a row without a configuration.
Schedule schedule_of_row(const StoredResult& result)
{
    if (result.config.empty()) {
        throw bad_input("a result has no configuration", result.op + " " + result.shape,
                        "choose results of generated kernels");
    }
    return parse_schedule(result.config);
}

} // namespace

TuningGroup common_group(const std::vector<StoredResult>& results)
{
    if (results.empty()) {
        throw bad_input("no result is chosen", "", "loosen --op, --shape, --device and --judge");
    }
    TuningGroup group;
    for (const SharedMember& member : shared_members) {
        member.in(group) = member.of(results.front());
        for (const StoredResult& result : results) {
            if (member.of(result) != member.in(group)) {
                throw bad_input(
                    fmt::format("the results differ in {}: '{}' and '{}'", member.name,
                                member.in(group), member.of(result)),
                    "", fmt::format("such a file has one alone; choose it with --{}", member.name));
            }
        }
    }
    std::set<std::string> configurations;
    for (const StoredResult& result : results) {
        if (!configurations.insert(to_string(schedule_of_row(result))).second) {
            throw bad_input(
                "there are two results of one configuration, with kernels of different texts",
                result.config, "such a file can have one alone");
        }
    }
    return group;
}

Json to_json(const TuningGroup& group)
{
    TuningGroup copy = group;
    Json object;
    for (const SharedMember& member : shared_members) {
        object[member.name] = member.in(copy);
    }
    return object;
}

TuningGroup group_of(const Json& object)
{
    TuningGroup group;
    group.key.judge = "device";
    group.key.settings = settings_digest("");
    for (const SharedMember& member : shared_members) {
        if (object.contains(member.name)) {
            member.in(group) = object[member.name].get<std::string>();
        }
    }
    return group;
}

ParameterTable parameters_of(const std::vector<StoredResult>& results)
{
    return parameter_table(mapped(results, schedule_of_row));
}

Json to_json(const ParameterValue& value)
{
    return std::visit([](const auto& held) { return Json(held); }, value);
}

ParameterValue parameter_value(const Json& value)
{
    if (value.is_number_integer()) {
        return value.get<std::int64_t>();
    }
    if (!value.is_string()) {
        throw bad_input("the value " + one_line(value) +
                        " of a parameter is neither a whole number nor a text");
    }
    return value.get<std::string>();
}

Json shape_json(const std::string& shape)
{
    Json sizes = Json::array();
    const char* const end = shape.data() + shape.size();
    for (const char* at = shape.data(); at < end; ++at) {
        std::int64_t size = 0;
        const auto [behind, error] = std::from_chars(at, end, size);
        if (error != std::errc{} || (behind != end && *behind != ',')) {
            throw bad_input("'" + shape + "' is no shape", "", "choose results of operators");
        }
        sizes.push_back(size);
        at = behind;
    }
    return sizes;
}

std::string shape_of(const Json& sizes)
{
    return sizes.is_array() ? fmt::format("{}", fmt::join(integers_of<std::int64_t>(sizes), ","))
                            : std::to_string(integer_of<std::int64_t>(sizes));
}

Json number_json(double number)
{
    return std::isnan(number)   ? Json("nan")
           : std::isinf(number) ? Json(number > 0 ? "inf" : "-inf")
                                : Json(number);
}

double number_of(const Json& value)
{
    if (value.is_string()) {
        const auto& text = value.get_ref<const std::string&>();
        if (text == "nan") {
            return std::numeric_limits<double>::quiet_NaN();
        }
        if (text == "inf" || text == "-inf") {
            return (text == "inf" ? 1 : -1) * std::numeric_limits<double>::infinity();
        }
        throw bad_input("'" + text + "' is no number");
    }
    return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

void put_ms(Json& object, const std::string& name, double ns)
{
    if (std::isfinite(ns)) {
        object[name] = ns / ns_per_ms;
    }
    if (!kept_by_ms(ns)) {
        object[name + "_ns"] = number_json(ns);
    }
}

void put_ms(Json& object, const std::string& name, const std::vector<double>& ns)
{
    Json ms = Json::array();
    Json exact = Json::array();
    for (const double one : ns) {
        if (std::isfinite(one)) {
            ms.push_back(one / ns_per_ms);
        }
        exact.push_back(number_json(one));
    }
    object[name] = std::move(ms);
    if (!std::all_of(ns.begin(), ns.end(), kept_by_ms)) {
        object[name + "_ns"] = std::move(exact);
    }
}

std::optional<double> ns_of(const Json& object, const std::string& name)
{
    if (object.contains(name + "_ns")) {
        return number_of(object[name + "_ns"]);
    }
    if (object.contains(name) && object[name].is_number()) {
        return ns_from_ms(object[name].get<double>());
    }
    return std::nullopt;
}

std::optional<std::vector<double>> ns_list_of(const Json& object, const std::string& name)
{
    const bool exact = object.contains(name + "_ns");
    if (!exact && !object.contains(name)) {
        return std::nullopt;
    }
    return mapped(object[exact ? name + "_ns" : name], [&](const Json& value) {
        return exact || value.is_null() ? number_of(value) : ns_from_ms(value.get<double>());
    });
}

Json own_members(const StoredResult& result)
{
    Json members{{"status", to_string(result.status)},
                 {"reason", result.reason},
                 {"kernel", result.key.kernel},
                 {"max_abs", number_json(result.check.max_abs)},
                 {"max_rel", number_json(result.check.max_rel)},
                 {"tolerance", number_json(result.check.tolerance)},
                 {"total_ns", number_json(result.times.total)}};
    if (result.seed) {
        members["seed"] = *result.seed;
    }
    if (result.wall_clock) {
        members["wall_clock"] = true;
    }
    if (result.reference.told()) {
        members["reference_ns"] = result.reference.median_ns;
        members["reference_spread"] = result.reference.spread;
    }
    return members;
}

void set_own_members(StoredResult& result, const Json& members, const TuningGroup& group,
                     const ParameterValues& configuration)
{
    const Schedule schedule = schedule_of(configuration);
    result.key = group.key;
    result.op = group.op;
    result.shape = group.shape;
    result.padding = group.padding;
    result.config = to_string(schedule);
    if (members.contains("status")) {
        result.status = parse_result_status(members["status"].get<std::string>());
    }
    result.reason = members.value("reason", "");
    const auto number = [&](const char* name) {
        return members.contains(name) ? number_of(members[name]) : 0.0;
    };
    result.check = {result.status == RunStatus::ok, number("max_abs"), number("max_rel"),
                    number("tolerance")};
    result.times.total = number("total_ns");
    if (members.contains("seed")) {
        result.seed = integer_of<std::uint64_t>(members["seed"]);
    }
    result.wall_clock = members.value("wall_clock", false);
    result.reference = {members.value("reference_ns", 0.0), members.value("reference_spread", 1.0)};
    result.key.kernel =
        members.contains("kernel")
            ? members["kernel"].get<std::string>()
            : kernel_digest(
                  loop_nest(parse_operator(result.op, result.shape, result.padding), schedule),
                  TexelBackend::native);
}

void fail_without_time(StoredResult& result, const Json& members, bool exact,
                       const std::string& program)
{
    if (result.status != RunStatus::ok) {
        return;
    }
    constexpr double failure_ms = 1e20;
    const double limit = members.contains("status") ? std::numeric_limits<double>::infinity()
                                                    : failure_ms * ns_per_ms;
    const auto wrong = std::ranges::find_if(
        result.samples_ns, [&](double ns) { return !exact && !(ns > 0 && ns < limit); });
    if (wrong == result.samples_ns.end() && !result.samples_ns.empty()) {
        return;
    }
    result.reason =
        program + ": " +
        (result.samples_ns.empty() ? "it has no time"
         : std::isnan(*wrong)
             ? "its time is no number"
             : fmt::format("its time is {} ms, which stands for a failure", *wrong / ns_per_ms));
    result.status = RunStatus::failed;
    result.check.passed = false;
    result.samples_ns.clear();
}

std::string normalised_timestamp(std::string text)
{
    constexpr std::size_t date_length = 10;
    if (text.size() > date_length && text[date_length] == ' ') {
        text[date_length] = 'T';
    }
    if (text.ends_with("+00:00")) {
        text.replace(text.size() - 6, 6, "Z");
    }
    return text;
}

std::string one_line(const Json& value)
{
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace texelscope::workbench::store
