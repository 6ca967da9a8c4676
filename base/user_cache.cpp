#include "base/user_cache.hpp"

#include <cstdlib>

namespace texelscope::base {

std::optional<std::string> user_cache_folder()
{
    const char* const cache = std::getenv("XDG_CACHE_HOME");
    const char* const home = std::getenv("HOME");
    // The XDG Base Directory Specification says that a relative path is to be ignored.
    if (cache != nullptr && *cache == '/') {
        return std::string(cache) + "/texelscope";
    }
    if (home == nullptr || *home == '\0') {
        return std::nullopt;
    }
    return std::string(home) + "/.cache/texelscope";
}

} // namespace texelscope::base
