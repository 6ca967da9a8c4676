#include "base/printable.hpp"

#include <nlohmann/json.hpp>

namespace texelscope::base {

std::string printable(std::string_view text)
{
    constexpr std::size_t most = 60;
    const bool cut = text.size() > most;
    using nlohmann::json;
    const std::string quoted =
        json(std::string(text.substr(0, most))).dump(-1, ' ', false, json::error_handler_t::replace);
    return quoted.substr(1, quoted.size() - 2) + (cut ? "..." : "");
}

} // namespace texelscope::base
