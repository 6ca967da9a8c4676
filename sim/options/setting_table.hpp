#pragma once

#include "base/error.hpp"
#include "sim/options/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace texelscope::sim {

// Tables of named values of a struct: how each is read, written and parsed. For the libraries' own
// use.

template <class Options>
struct SettingEntry {
    Setting setting;
    std::function<std::string(const Options&)> read;
    std::function<void(Options&, const std::string&)> write;
};

template <class Number>
Number parse_number(const std::string& text)
{
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    if constexpr (std::is_floating_point_v<Number>) {
        if (!whole || !(value > -1e18 && value < 1e18)) {
            throw bad_input("'" + text + "' is not a number", {}, "give a plain number");
        }
    } else if (!whole) {
        throw bad_input("'" + text + "' is not a number in range", {}, "give a plain number");
    }
    return value;
}

/// A word out of a closed list.
template <class Enum>
using Words = std::vector<std::pair<const char*, Enum>>;

template <class Enum>
std::string word_of(const Words<Enum>& words, Enum value)
{
    return std::find_if(words.begin(), words.end(),
                        [&](const auto& w) { return w.second == value; })
        ->first;
}

template <class Enum>
Enum parse_word(const Words<Enum>& words, const std::string& text)
{
    std::string known;
    for (const auto& [word, value] : words) {
        if (text == word) {
            return value;
        }
        known += (known.empty() ? "" : ", ") + std::string(word);
    }
    throw bad_input("'" + text + "' is not one of the words", {}, "use " + known);
}

/// A member of the options, of one of their parts, and so on. In place of a member: a function from
/// the part to a reference.
template <class Part, class Member, class... Members>
auto& at(Part& part, const Member& member, const Members&... members)
{
    auto& found = std::invoke(member, part);
    if constexpr (sizeof...(members) == 0) {
        return found;
    } else {
        return at(found, members...);
    }
}

template <class Options>
class SettingTable {
public:
    /// A plain number.
    template <class... Members>
    void number(Setting setting, Members... members)
    {
        using Number = std::remove_cvref_t<decltype(at(std::declval<Options&>(), members...))>;
        entries.push_back({std::move(setting),
                           [=](const Options& o) { return fmt::format("{}", at(o, members...)); },
                           [=](Options& o, const std::string& text) {
                               at(o, members...) = parse_number<Number>(text);
                           }});
    }
    /// A number that may be missing, which is written as 0.
    template <class... Members>
    void number_or_0(Setting setting, Members... members)
    {
        using Number = typename std::remove_cvref_t<decltype(at(std::declval<Options&>(),
                                                                members...))>::value_type;
        entries.push_back({std::move(setting),
                           [=](const Options& o) {
                               return fmt::format("{}", at(o, members...).value_or(Number{0}));
                           },
                           [=](Options& o, const std::string& text) {
                               const auto value = parse_number<Number>(text);
                               at(o, members...) =
                                   value == Number{0} ? std::optional<Number>() : value;
                           }});
    }
    template <class Enum, class... Members>
    void word(Setting setting, Words<Enum> words, Members... members)
    {
        entries.push_back({std::move(setting),
                           [=](const Options& o) { return word_of(words, at(o, members...)); },
                           [=](Options& o, const std::string& text) {
                               at(o, members...) = parse_word(words, text);
                           }});
    }

    std::vector<SettingEntry<Options>> entries;
};

template <class Options>
std::vector<Setting> settings_of(const std::vector<SettingEntry<Options>>& entries)
{
    std::vector<Setting> list;
    for (const auto& entry : entries) {
        list.push_back(entry.setting);
    }
    return list;
}

/// Throws bad_input, which names the key, for a text that is no value of it.
template <class Options>
void write(const SettingEntry<Options>& entry, Options& options, const std::string& text)
{
    try {
        entry.write(options, text);
    } catch (const Error& error) {
        throw bad_input(error.what(), entry.setting.key);
    }
}

} // namespace texelscope::sim
