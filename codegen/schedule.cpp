#include "codegen/schedule.hpp"

#include "traces/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <map>

namespace texelscope {
namespace {

constexpr const char* example = "write it like A=block4,column;T=4x4;W=8x8;G=16x8x1";

std::vector<std::string> split(const std::string& text, char separator)
{
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == separator) {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

/// Whole numbers from 1 on, separated by 'x'; between `least` and `most` of them.
std::vector<std::int32_t> sizes(const std::string& text, std::size_t least, std::size_t most, const std::string& where)
{
    std::vector<std::int32_t> numbers;
    for (const std::string& part : split(text, 'x')) {
        std::int32_t number = 0;
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
        constexpr std::int32_t largest = 1 << 20;
        if (error != std::errc{} || end != part.data() + part.size() || number < 1 || number > largest) {
            throw bad_input(fmt::format("'{}' is not a size from 1 to {}", part, largest), where, example);
        }
        numbers.push_back(number);
    }
    if (numbers.size() < least || numbers.size() > most) {
        throw bad_input(fmt::format("'{}' has {} sizes", text, numbers.size()), where,
                        least == most ? fmt::format("give {}", least) : fmt::format("give {} to {}", least, most));
    }
    return numbers;
}

} // namespace

Schedule parse_schedule(const std::string& text)
{
    const std::string where = "configuration '" + text + "'";
    std::map<std::string, std::string> parts;
    for (const std::string& part : split(text, ';')) {
        const auto equals = part.find('=');
        const std::string key = part.substr(0, equals);
        if (equals == std::string::npos || (key != "A" && key != "T" && key != "W" && key != "G")) {
            throw bad_input("'" + part + "' is not a part", where, "parts are A= T= W= G=; " + std::string(example));
        }
        if (!parts.emplace(key, part.substr(equals + 1)).second) {
            throw bad_input("the part '" + key + "' occurs twice", where, "give each part once");
        }
    }
    for (const char* key : {"A", "T", "G"}) {
        if (!parts.contains(key)) {
            throw bad_input("the part '" + std::string(key) + "' is missing", where, example);
        }
    }
    Schedule schedule;
    try {
        for (const std::string& name : split(parts["A"], ',')) {
            schedule.patterns.push_back(parse_access_pattern(name));
        }
    } catch (const Error& error) {
        throw bad_input(error.what(), where);
    }
    schedule.tile = sizes(parts["T"], 1, 3, where + ", part T");
    const auto group = sizes(parts["G"], 1, 3, where + ", part G");
    schedule.group = {group[0], group.size() > 1 ? group[1] : 1, group.size() > 2 ? group[2] : 1};
    schedule.warp = {schedule.group[0], schedule.group[1]};
    if (parts.contains("W")) {
        const auto warp = sizes(parts["W"], 2, 2, where + ", part W");
        schedule.warp = {warp[0], warp[1]};
    }
    return schedule;
}

std::string to_string(const Schedule& schedule)
{
    std::vector<std::string> patterns;
    for (const AccessPattern pattern : schedule.patterns) {
        patterns.push_back(to_string(pattern));
    }
    return fmt::format("A={};T={};W={};G={}", fmt::join(patterns, ","), fmt::join(schedule.tile, "x"),
                       fmt::join(schedule.warp, "x"), fmt::join(schedule.group, "x"));
}

} // namespace texelscope
