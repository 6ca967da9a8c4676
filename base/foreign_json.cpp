// JSON as other programs write it, and what is wrong with it.

#include "base/foreign_json.hpp"

#include "base/printable_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace texelscope::base {

std::string null_for_nan(std::string_view json)
{
    constexpr std::array<std::string_view, 3> words{"NaN", "Infinity", "-Infinity"};
    std::string plain;
    plain.reserve(json.size());
    bool in_text = false;
    while (!json.empty()) {
        std::size_t taken = in_text && json.front() == '\\' ? 2 : 1;
        std::string_view kept = json.substr(0, taken);
        in_text = in_text != (json.front() == '"');
        for (const std::string_view word : words) {
            if (!in_text && json.starts_with(word)) {
                taken = word.size();
                kept = "null";
            }
        }
        plain += kept;
        json.remove_prefix(std::min(taken, json.size()));
    }
    return plain;
}

std::string json_fault(const std::exception& error)
{
    if (const auto* parsing = dynamic_cast<const nlohmann::json::parse_error*>(&error)) {
        return fmt::format("it is no JSON from byte {} on", parsing->byte);
    }
    if (dynamic_cast<const nlohmann::json::out_of_range*>(&error) != nullptr) {
        // The library has the name of the missing member in its message alone.
        constexpr std::string_view before = "key '";
        const std::string_view text = error.what();
        const std::size_t begin = text.find(before);
        const std::size_t end = text.rfind("' not found");
        return begin == std::string_view::npos || end == std::string_view::npos
                   ? "a list is too short, or a number too large"
                   : fmt::format("the member '{}' is missing",
                                 printable(text.substr(begin + before.size(),
                                                       end - begin - before.size())));
    }
    return "a member is of another kind (number, text, list, object) than it should be";
}

} // namespace texelscope::base
