// Apart from base/text.cpp, which texelscope-agent is built from as well: JSON is none of its
// libraries.

#include "base/printable_text.hpp"

#include <nlohmann/json.hpp>

namespace texelscope::base {

std::string printable(std::string_view text)
{
    constexpr std::size_t most = 60;
    const bool cut = text.size() > most;
    // Quoting it as JSON escapes control characters and replaces bytes that are no UTF-8.
    using nlohmann::json;
    const std::string quoted = json(std::string(text.substr(0, most)))
                                   .dump(-1, ' ', false, json::error_handler_t::replace);
    return quoted.substr(1, quoted.size() - 2) + (cut ? "..." : "");
}

bool is_utf8(const std::string& text)
{
    try {
        (void)nlohmann::json(text).dump(); // strict
    } catch (const nlohmann::json::type_error&) {
        return false;
    }
    return true;
}

} // namespace texelscope::base
