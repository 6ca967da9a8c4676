#include "workbench/machines/machines_json.hpp"

#include "base/error.hpp"
#include "base/json_integer.hpp"
#include "base/json_nesting.hpp"
#include "devices/profile/device_profile.hpp"
#include "devices/profile/profile_machines.hpp"

#include <fmt/format.h>

#include <cmath>

namespace texelscope::workbench::machines {
namespace {

using nlohmann::ordered_json;

constexpr const char* machines_schema = "texelscope.machines/1";

template <class Value>
ordered_json or_null(const std::optional<Value>& value)
{
    return value ? ordered_json(to_json(*value)) : ordered_json();
}

ordered_json or_null(const std::optional<double>& value)
{
    return value ? ordered_json(*value) : ordered_json();
}

/// Throws what nlohmann::json throws where the number is missing, or none that can be.
double number_from(const ordered_json& json, const char* name, double least)
{
    const auto value = json.at(name).get<double>();
    if (!std::isfinite(value) || value < least) {
        throw nlohmann::json::other_error::create(501, fmt::format("{} cannot be {}", name, value),
                                                  &json);
    }
    return value;
}

Judgement judgement_from(const ordered_json& json)
{
    Judgement one;
    one.tasks = integer_of<std::int64_t>(json.at("tasks"));
    one.kernels = integer_of<std::int64_t>(json.at("kernels"));
    one.tau = number_from(json, "tau", -1);
    one.least_tau = number_from(json, "least_tau", -1);
    one.error = number_from(json, "median_error", 0);
    one.choice = number_from(json, "choice_over_best", 0);
    one.worst_choice = number_from(json, "worst_choice", 0);
    if (!json.at("coverage_80").is_null()) {
        one.coverage = number_from(json, "coverage_80", 0);
    }
    return one;
}

std::optional<Judgement> judgement_or_nothing(const ordered_json& json)
{
    return json.is_null() ? std::nullopt : std::optional(judgement_from(json));
}

ordered_json machine_json(const IdentifiedMachine& machine)
{
    ordered_json json{{"weight", machine.weight},
                      {"loss", machine.loss},
                      {"simulated_loss", or_null(machine.simulated_loss)},
                      {"residuals", machine.residuals},
                      {"values", machine.values}};
    return json;
}

IdentifiedMachine machine_from(const ordered_json& json, std::size_t values)
{
    constexpr double above_0 = 1e-12;
    IdentifiedMachine machine;
    machine.weight = number_from(json, "weight", above_0);
    machine.loss = number_from(json, "loss", 0);
    if (!json.at("simulated_loss").is_null()) {
        machine.simulated_loss = number_from(json, "simulated_loss", 0);
    }
    machine.residuals = json.at("residuals").get<std::array<double, 5>>();
    machine.values = json.at("values").get<std::vector<std::string>>();
    if (machine.values.size() != values) {
        throw nlohmann::json::other_error::create(501, "a machine with another number of values",
                                                  &json);
    }
    return machine;
}

/// Throws std::bad_alloc where there is no room for the values of a text. They could not say so
/// themselves: their destructor allocates, and what it throws ends the program.
void require_room_for(const std::string& text)
{
    constexpr std::size_t times = 32; // as much as the text
    std::vector<char> room(times * text.size() + 1);
    volatile char* const used = room.data(); // or a compiler would leave it out
    *used = 0;
}

} // namespace

ordered_json to_json(const Judgement& judgement)
{
    return {{"tasks", judgement.tasks},
            {"kernels", judgement.kernels},
            {"tau", judgement.tau},
            {"least_tau", judgement.least_tau},
            {"median_error", judgement.error},
            {"choice_over_best", judgement.choice},
            {"worst_choice", judgement.worst_choice},
            {"coverage_80", or_null(judgement.coverage)}};
}

ordered_json to_json(const MachineSet& set)
{
    ordered_json values = ordered_json::array();
    for (const MachineSet::Value& value : set.values) {
        values.push_back({{"key", value.key},
                          {"spread", value.spread},
                          {"told", value.told()},
                          {"low", value.low},
                          {"high", value.high}});
    }
    ordered_json machines = ordered_json::array();
    for (const IdentifiedMachine& machine : set.machines) {
        machines.push_back(machine_json(machine));
    }
    return {{"profile", set.profile},
            {"seed", set.seed},
            {"evaluations", set.evaluations},
            {"limit", set.limit},
            {"start_anywhere", set.start_anywhere},
            {"sources", set.sources},
            {"hold_out", set.hold_out},
            {"folds", set.folds},
            {"identified_on", to_json(set.known)},
            {"held_out", or_null(set.held_out)},
            {"held_out_together", or_null(set.together)},
            {"held_out_nominal", or_null(set.nominal)},
            {"simulated", or_null(set.simulated)},
            {"simulated_held_out", or_null(set.simulated_held_out)},
            {"values", values},
            {"machines", machines}};
}

std::string machines_text(const MachineSet& set)
{
    ordered_json json{{"schema", machines_schema}};
    json.update(to_json(set));
    std::string text = "{\n";
    for (const auto& [name, member] : json.items()) {
        text += ordered_json(name).dump() + ": ";
        if (name == "machines" || name == "values") {
            std::string separator = "[\n";
            for (const ordered_json& one : member) {
                text += separator + one.dump();
                separator = ",\n";
            }
            text += member.empty() ? "[]" : "]";
        } else {
            text += member.dump();
        }
        text += name == "machines" ? "\n" : ",\n";
    }
    return text + "}\n";
}

MachineSet parse_machines(const std::string& text, const std::string& where)
{
    check_json_nesting(text, where);
    require_room_for(text);
    try {
        const ordered_json json = ordered_json::parse(text);
        if (json.at("schema") != machines_schema) {
            throw bad_input("it holds no machines", where, "give what identify --kernels wrote");
        }
        MachineSet set;
        set.profile = json.at("profile").get<std::string>();
        set.seed = integer_of<std::uint64_t>(json.at("seed"));
        set.evaluations = integer_of<std::int64_t>(json.at("evaluations"));
        set.limit = number_from(json, "limit", 0);
        set.start_anywhere = json.at("start_anywhere").get<bool>();
        set.sources = json.at("sources").get<std::vector<std::string>>();
        set.hold_out = json.at("hold_out").get<std::vector<std::string>>();
        set.folds = integer_of<std::int64_t>(json.value("folds", ordered_json(1)));
        set.known = judgement_from(json.at("identified_on"));
        set.held_out = judgement_or_nothing(json.at("held_out"));
        set.together = judgement_or_nothing(json.at("held_out_together"));
        set.nominal = judgement_or_nothing(json.at("held_out_nominal"));
        set.simulated = judgement_or_nothing(json.value("simulated", ordered_json()));
        set.simulated_held_out =
            judgement_or_nothing(json.value("simulated_held_out", ordered_json()));
        for (const ordered_json& value : json.at("values")) {
            set.values.push_back(
                {value.at("key").get<std::string>(), number_from(value, "spread", 0),
                 value.at("low").get<std::string>(), value.at("high").get<std::string>()});
        }
        for (const ordered_json& machine : json.at("machines")) {
            set.machines.push_back(machine_from(machine, set.values.size()));
        }
        if (set.machines.empty()) {
            throw bad_input("it holds no machine", where, "give what identify --kernels wrote");
        }
        return set;
    } catch (const nlohmann::json::exception&) {
        throw bad_input("it holds no machines", where, "give what identify --kernels wrote");
    }
}

std::optional<MachineSet> machines_of(const DeviceProfile& device)
{
    const auto found = find_machines(device.machines);
    return found ? std::optional(parse_machines(found->text, found->where)) : std::nullopt;
}

} // namespace texelscope::workbench::machines
