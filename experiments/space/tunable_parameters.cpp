#include "experiments/space/tunable_parameters.hpp"

#include "base/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace texelscope::experiments {
namespace {

constexpr std::array<const char*, 3> sides{"x", "y", "z"};

std::string splat_word(bool splat)
{
    return splat ? "splat" : "auto";
}

std::string switch_word(bool on)
{
    return on ? "on" : "off";
}

bool always_there(const std::string& name)
{
    return name.starts_with("pattern_") || name.starts_with("tile_") || name.starts_with("warp_") ||
           name.starts_with("block_size_");
}

/// As the parameter is where a schedule does not say it.
ParameterValue default_of(const std::string& name)
{
    static const ParameterValues defaults = all_parameters(Schedule{}, 0);
    const auto found =
        std::find_if(defaults.begin(), defaults.end(), [&](const auto& parameter) { return parameter.first == name; });
    return found != defaults.end() ? found->second : ParameterValue(std::string("image")); // memory_1, ...
}

/// The values by name, taken out one by one.
class Reader {
public:
    explicit Reader(const ParameterValues& parameters)
    {
        for (const auto& [name, value] : parameters) {
            if (!values_.emplace(name, to_string(value)).second) {
                throw bad_input("the parameter '" + name + "' occurs twice");
            }
        }
    }

    [[nodiscard]] bool has(const std::string& name) const { return values_.contains(name); }

    std::string take(const std::string& name)
    {
        const auto found = values_.find(name);
        if (found == values_.end()) {
            throw bad_input("the parameter '" + name + "' is missing", "",
                            "give a file whose parameters are those of texelscope");
        }
        std::string value = std::move(found->second);
        values_.erase(found);
        return value;
    }

    /// The texts of prefix_1, prefix_2, ... as far as they are there.
    std::vector<std::string> take_list(const std::string& prefix)
    {
        std::vector<std::string> list;
        for (std::string name = prefix + "1"; has(name); name = fmt::format("{}{}", prefix, list.size() + 1)) {
            list.push_back(take(name));
        }
        return list;
    }

    void check_empty() const
    {
        if (!values_.empty()) {
            throw bad_input("the parameter '" + values_.begin()->first + "' is not known", "",
                            "give a file whose parameters are those of texelscope");
        }
    }

private:
    std::map<std::string, std::string> values_;
};

} // namespace

std::string to_string(const ParameterValue& value)
{
    const auto* const number = std::get_if<std::int64_t>(&value);
    return number != nullptr ? std::to_string(*number) : std::get<std::string>(value);
}

ParameterValues all_parameters(const Schedule& schedule, std::size_t memories)
{
    ParameterValues all;
    const auto add = [&](std::string name, ParameterValue value) {
        all.emplace_back(std::move(name), std::move(value));
    };
    for (std::size_t i = 0; i < schedule.patterns.size(); ++i) {
        add(fmt::format("pattern_{}", i + 1), to_string(schedule.patterns[i]));
    }
    for (std::size_t i = 0; i < sides.size(); ++i) {
        add(fmt::format("tile_{}", sides[i]), i < schedule.tile.size() ? std::int64_t{schedule.tile[i]} : 0);
    }
    add("warp_x", std::int64_t{schedule.warp[0]});
    add("warp_y", std::int64_t{schedule.warp[1]});
    for (std::size_t i = 0; i < sides.size(); ++i) {
        add(fmt::format("block_size_{}", sides[i]), std::int64_t{schedule.group[i]});
    }
    const auto loops = [](const std::vector<std::string>& names) {
        return names.empty() ? std::string("none") : fmt::format("{}", fmt::join(names, "+"));
    };
    add("order", loops(schedule.order));
    add("unroll", loops(schedule.unroll));
    add("split", std::int64_t{schedule.split});
    add("stage", std::int64_t{schedule.stage});
    for (std::size_t i = 0; i < memories; ++i) {
        add(fmt::format("memory_{}", i + 1), to_string(schedule.memory_of(i)));
    }
    add("storage", to_string(schedule.storage));
    add("vector", std::int64_t{schedule.vector});
    add("splat", splat_word(schedule.splat));
    add("eliminate_addresses", switch_word(schedule.eliminate_addresses));
    return all;
}

std::vector<std::string> parameter_words(const std::string& name)
{
    std::vector<std::string> words;
    const auto add = [&](const auto& values) {
        for (const auto value : values) {
            words.push_back(to_string(value));
        }
    };
    if (name.starts_with("pattern_")) {
        add(all_access_patterns);
    } else if (name.starts_with("memory_")) {
        add(std::array{Memory::image, Memory::buffer});
    } else if (name == "storage") {
        add(std::array{Storage::fp32, Storage::fp16});
    } else if (name == "splat") {
        words = {splat_word(false), splat_word(true)};
    } else if (name == "eliminate_addresses") {
        words = {switch_word(false), switch_word(true)};
    }
    return words;
}

ParameterValues tunable_parameters(const Schedule& schedule)
{
    ParameterValues parameters = all_parameters(schedule, schedule.memory.size());
    const bool images = std::count(schedule.memory.begin(), schedule.memory.end(), Memory::buffer) == 0;
    std::erase_if(parameters, [&](const auto& parameter) {
        return !always_there(parameter.first) &&
               (parameter.first.starts_with("memory_") ? images : parameter.second == default_of(parameter.first));
    });
    return parameters;
}

Schedule schedule_of(const ParameterValues& parameters)
{
    // Written as the text of a schedule, which is then checked like any other.
    Reader reader(parameters);
    std::string text = fmt::format("A={}", fmt::join(reader.take_list("pattern_"), ","));
    const std::string x = reader.take("tile_x");
    const std::string y = reader.take("tile_y");
    const std::string z = reader.take("tile_z");
    text += ";T=" + x + (y == "0" ? "" : "x" + y) + (z == "0" ? "" : "x" + z);
    text += ";W=" + reader.take("warp_x") + "x" + reader.take("warp_y");
    text += ";G=" + reader.take("block_size_x");
    text += "x" + reader.take("block_size_y");
    text += "x" + reader.take("block_size_z");
    for (const auto& [name, part] : std::initializer_list<std::pair<const char*, char>>{{"order", 'L'},
                                                                                        {"unroll", 'U'},
                                                                                        {"split", 'R'},
                                                                                        {"stage", 'S'},
                                                                                        {"storage", 'P'},
                                                                                        {"vector", 'V'},
                                                                                        {"splat", 'B'},
                                                                                        {"eliminate_addresses", 'E'}}) {
        std::string value = reader.has(name) ? reader.take(name) : to_string(default_of(name));
        if (value != to_string(default_of(name))) {
            std::replace(value.begin(), value.end(), '+', ',');
            text += fmt::format(";{}={}", part, value);
        }
    }
    if (const auto memory = reader.take_list("memory_"); !memory.empty()) {
        text += fmt::format(";M={}", fmt::join(memory, ","));
    }
    reader.check_empty();
    return parse_schedule(text);
}

std::vector<ParameterValue> ParameterTable::values(std::size_t column) const
{
    std::vector<ParameterValue> values;
    for (const auto& row : rows) {
        values.push_back(row[column]);
    }
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

ParameterValues ParameterTable::row(std::size_t number) const
{
    ParameterValues values;
    for (std::size_t i = 0; i < names.size(); ++i) {
        values.emplace_back(names[i], rows[number][i]);
    }
    return values;
}

ParameterTable parameter_table(const std::vector<Schedule>& schedules)
{
    std::size_t memories = 0;
    std::size_t inputs = 0;
    for (const Schedule& schedule : schedules) {
        memories = std::max(memories, schedule.memory.size());
        inputs = std::max(inputs, schedule.patterns.size());
    }
    // The columns in the order of all parameters, those that some schedule has.
    std::set<std::string> present;
    for (const Schedule& schedule : schedules) {
        for (const auto& [name, value] : tunable_parameters(schedule)) {
            present.insert(name);
        }
    }
    Schedule widest;
    widest.patterns.resize(inputs);
    ParameterTable table;
    for (const auto& [name, value] : all_parameters(widest, memories)) {
        if (present.contains(name)) {
            table.names.push_back(name);
        }
    }
    for (const Schedule& schedule : schedules) {
        if (schedule.patterns.size() != inputs || (!schedule.memory.empty() && schedule.memory.size() != memories)) {
            throw bad_input("configurations of different numbers of tensors have no parameters in common",
                            to_string(schedule), "choose results of one operator");
        }
        std::vector<ParameterValue> row;
        for (auto& [name, value] : all_parameters(schedule, memories)) {
            if (present.contains(name)) {
                row.push_back(std::move(value));
            }
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

} // namespace texelscope::experiments
