#include "codegen/nest/schedule.hpp"

#include "base/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>

namespace texelscope::codegen {
namespace {

constexpr const char* example = "write it like A=block4,column;T=4x4;W=8x8;G=16x8x1";

std::vector<std::string> split_at(const std::string& text, char separator)
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
    for (const std::string& part : split_at(text, 'x')) {
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

/// One of a few words; the place of the word that `text` is.
std::size_t word(const std::string& text, const std::vector<std::string>& words, const std::string& where)
{
    const auto found = std::find(words.begin(), words.end(), text);
    if (found == words.end()) {
        throw bad_input("'" + text + "' is not known", where, fmt::format("use {}", fmt::join(words, " or ")));
    }
    return static_cast<std::size_t>(found - words.begin());
}

std::vector<std::string> loop_names(const std::string& text, const std::string& where)
{
    std::vector<std::string> names = split_at(text, ',');
    for (const std::string& name : names) {
        if (name.empty() || std::count(names.begin(), names.end(), name) > 1) {
            throw bad_input(name.empty() ? "a name is empty" : "the loop '" + name + "' occurs twice", where,
                            "name loops like kh,kw,ci");
        }
    }
    return names;
}

constexpr std::string_view known_parts = "ATWGLURSMPVBE";

std::map<char, std::string> parts_of(const std::string& text, const std::string& where)
{
    std::map<char, std::string> parts;
    for (const std::string& part : split_at(text, ';')) {
        if (part.size() < 2 || part[1] != '=' || known_parts.find(part[0]) == std::string_view::npos) {
            throw bad_input("'" + part + "' is not a part", where,
                            "parts are A= T= W= G= L= U= R= S= M= P= V= B= E=; " + std::string(example));
        }
        if (!parts.emplace(part[0], part.substr(2)).second) {
            throw bad_input(fmt::format("the part '{}' occurs twice", part[0]), where, "give each part once");
        }
    }
    for (const char key : {'A', 'T', 'G'}) {
        if (!parts.contains(key)) {
            throw bad_input(fmt::format("the part '{}' is missing", key), where, example);
        }
    }
    return parts;
}

} // namespace

std::string to_string(Memory memory)
{
    return memory == Memory::image ? "image" : "buffer";
}

std::string to_string(Storage storage)
{
    return storage == Storage::fp32 ? "fp32" : "fp16";
}

int bytes_per_texel(Storage storage)
{
    return storage == Storage::fp32 ? 16 : 8;
}

Schedule parse_schedule(const std::string& text)
{
    const std::string where = "configuration '" + text + "'";
    const auto parts = parts_of(text, where);
    const auto in_part = [&](char key) { return fmt::format("{}, part {}", where, key); };
    Schedule schedule;
    try {
        for (const std::string& name : split_at(parts.at('A'), ',')) {
            schedule.patterns.push_back(parse_access_pattern(name));
        }
    } catch (const Error& error) {
        throw bad_input(error.what(), where);
    }
    schedule.tile = sizes(parts.at('T'), 1, 3, in_part('T'));
    const auto group = sizes(parts.at('G'), 1, 3, in_part('G'));
    schedule.group = {group[0], group.size() > 1 ? group[1] : 1, group.size() > 2 ? group[2] : 1};
    schedule.warp = {schedule.group[0], schedule.group[1]};
    for (const auto& [key, value] : parts) {
        switch (key) {
        case 'W': {
            const auto warp = sizes(value, 2, 2, in_part(key));
            schedule.warp = {warp[0], warp[1]};
            break;
        }
        case 'L':
            schedule.order = loop_names(value, in_part(key));
            break;
        case 'U':
            schedule.unroll = loop_names(value, in_part(key));
            break;
        case 'R':
            schedule.split = sizes(value, 1, 1, in_part(key)).front();
            break;
        case 'S':
            schedule.stage = sizes(value, 1, 1, in_part(key)).front();
            break;
        case 'M':
            for (const std::string& name : split_at(value, ',')) {
                schedule.memory.push_back(word(name, {"image", "buffer"}, in_part(key)) == 0 ? Memory::image
                                                                                             : Memory::buffer);
            }
            break;
        case 'P':
            schedule.storage = word(value, {"fp32", "fp16"}, in_part(key)) == 0 ? Storage::fp32 : Storage::fp16;
            break;
        case 'V':
            schedule.vector = sizes(value, 1, 1, in_part(key)).front();
            break;
        case 'B':
            schedule.splat = word(value, {"auto", "splat"}, in_part(key)) == 1;
            break;
        case 'E':
            schedule.eliminate_addresses = word(value, {"on", "off"}, in_part(key)) == 0;
            break;
        default:
            break;
        }
    }
    return schedule;
}

std::string to_string(const Schedule& schedule)
{
    const auto words = [](const auto& values) {
        std::string text;
        for (const auto& value : values) {
            text += (text.empty() ? "" : ",") + to_string(value);
        }
        return text;
    };
    std::string text = fmt::format("A={};T={};W={};G={}", words(schedule.patterns), fmt::join(schedule.tile, "x"),
                                   fmt::join(schedule.warp, "x"), fmt::join(schedule.group, "x"));
    if (!schedule.order.empty()) {
        text += fmt::format(";L={}", fmt::join(schedule.order, ","));
    }
    if (!schedule.unroll.empty()) {
        text += fmt::format(";U={}", fmt::join(schedule.unroll, ","));
    }
    if (schedule.split != 1) {
        text += fmt::format(";R={}", schedule.split);
    }
    if (schedule.stage != 0) {
        text += fmt::format(";S={}", schedule.stage);
    }
    if (std::count(schedule.memory.begin(), schedule.memory.end(), Memory::buffer) > 0) {
        text += ";M=" + words(schedule.memory);
    }
    if (schedule.storage != Storage::fp32) {
        text += ";P=" + to_string(schedule.storage);
    }
    if (schedule.vector != 4) {
        text += fmt::format(";V={}", schedule.vector);
    }
    return text + (schedule.splat ? ";B=splat" : "") + (schedule.eliminate_addresses ? "" : ";E=off");
}

} // namespace texelscope::codegen
