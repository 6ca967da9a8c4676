#pragma once

#include "base/error.hpp"

#include <optional>
#include <stdexcept>
#include <string>

namespace texelscope::fuzz {

/// Something that holds for all good input.
inline void require(bool holds, const std::string& what)
{
    if (!holds) {
        throw std::logic_error(what);
    }
}

/// What `read` gives; nothing where it refuses.
template <class Read>
auto accepted(Read read) -> std::optional<decltype(read())>
{
    try {
        return read();
    } catch (const base::Error& error) {
        require(*error.what() != '\0', "something is refused without a word");
        return std::nullopt;
    }
}

} // namespace texelscope::fuzz
