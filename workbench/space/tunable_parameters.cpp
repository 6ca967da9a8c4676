// A schedule as named parameters, as auto-tuners have them: pattern_1, tile_x, block_size_y. Names
// and values follow from the table of parts (schedule_parts()), so a new part needs no line here.

#include "workbench/space/tunable_parameters.hpp"

#include "base/error.hpp"
#include "base/lists.hpp"
#include "codegen/nest/schedule_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace texelscope::workbench::space {
namespace {

constexpr std::array<const char*, 3> sides{"x", "y", "z"};

using Part = SchedulePart;

std::string with(std::string text, char from, char to)
{
    std::replace(text.begin(), text.end(), from, to);
    return text;
}

/// For how many tensors a schedule says memory (M) or a framework's layout (F).
std::size_t stored_tensors(const Schedule& schedule)
{
    return std::max(schedule.memory.size(), schedule.frameworks.size());
}

/// The parameters of one part; `memories`: how many tensors have a memory and a framework.
void add_parameters(ParameterValues& all, const Part& part, const Schedule& schedule,
                    std::size_t memories)
{
    const std::string text = part.write(schedule);
    switch (part.kind) {
    case Part::Kind::tensors: {
        std::vector<std::string> values = values_of(text, ',');
        values.resize(part.always ? values.size() : memories, part.words.front());
        for (std::size_t i = 0; i < values.size(); ++i) {
            all.emplace_back(fmt::format("{}_{}", part.name, i + 1), std::move(values[i]));
        }
        break;
    }
    case Part::Kind::sides: {
        const std::vector<std::string> values = values_of(text, 'x');
        for (std::size_t i = 0; i < part.sides; ++i) {
            all.emplace_back(fmt::format("{}_{}", part.name, sides[i]),
                             i < values.size() ? std::stoll(values[i]) : 0);
        }
        break;
    }
    // Commas separate the fields of CSV files, in which parameters are exchanged.
    case Part::Kind::loops:
        all.emplace_back(part.name, text.empty() ? "none" : with(text, ',', '+'));
        break;
    case Part::Kind::number:
        all.emplace_back(part.name, std::int64_t{std::stoll(text)});
        break;
    case Part::Kind::word:
        all.emplace_back(part.name, text);
        break;
    }
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
        for (std::string name = prefix + "1"; has(name);
             name = fmt::format("{}{}", prefix, list.size() + 1)) {
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
    for (const Part& part : schedule_parts()) {
        add_parameters(all, part, schedule, memories);
    }
    return all;
}

const SchedulePart* part_of_parameter(const std::string& name)
{
    const auto found = std::ranges::find_if(schedule_parts(), [&](const Part& part) {
        const bool several = part.kind == Part::Kind::tensors || part.kind == Part::Kind::sides;
        return several ? name.starts_with(part.name + "_") : name == part.name;
    });
    return found == schedule_parts().end() ? nullptr : &*found;
}

std::vector<std::string> parameter_words(const std::string& name)
{
    const Part* const part = part_of_parameter(name);
    return part != nullptr ? part->words : std::vector<std::string>{};
}

ParameterValues tunable_parameters(const Schedule& schedule)
{
    ParameterValues parameters;
    for (const Part& part : schedule_parts()) {
        if (part.shown(schedule)) {
            add_parameters(parameters, part, schedule, stored_tensors(schedule));
        }
    }
    return parameters;
}

Schedule schedule_of(const ParameterValues& parameters)
{
    // Written as the text of a schedule, which is then checked like any other.
    Reader reader(parameters);
    std::string text;
    for (const Part& part : schedule_parts()) {
        std::string value = part.absent;
        if (part.kind == Part::Kind::tensors) {
            value = fmt::format("{}", fmt::join(reader.take_list(part.name + "_"), ","));
        } else if (part.kind == Part::Kind::sides) {
            std::vector<std::string> sizes;
            for (std::size_t i = 0; i < part.sides; ++i) {
                if (!part.always && !reader.has(fmt::format("{}_{}", part.name, sides[i]))) {
                    continue;
                }
                std::string size = reader.take(fmt::format("{}_{}", part.name, sides[i]));
                const bool may_lack = part.key == 'T' ? i > 0 : !part.always;
                if (!may_lack || size != "0") { // 0: without that side
                    sizes.push_back(std::move(size));
                }
            }
            value = fmt::format("{}", fmt::join(sizes, "x"));
        } else if (reader.has(part.name)) {
            value = reader.take(part.name);
            value = part.kind == Part::Kind::loops && value == "none" ? "" : with(value, '+', ',');
        }
        if (part.always || value != part.absent) {
            text += fmt::format("{}{}={}", text.empty() ? "" : ";", part.key, value);
        }
    }
    reader.check_empty();
    return parse_schedule(text);
}

std::vector<ParameterValue> ParameterTable::values(std::size_t column) const
{
    std::vector<ParameterValue> values = mapped(rows, [&](const auto& row) { return row[column]; });
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
        memories = std::max(memories, stored_tensors(schedule));
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
        if (schedule.patterns.size() != inputs ||
            (!schedule.memory.empty() && schedule.memory.size() != memories)) {
            throw bad_input(
                "configurations of different numbers of tensors have no parameters in common",
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

} // namespace texelscope::workbench::space
