#pragma once

#include <catch2/catch.hpp>

#include <cstddef>
#include <string>

namespace texelscope::test {

/// RFC 4648, section 4; fails the test at another character.
inline std::string decode_base64(const std::string& text)
{
    const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    unsigned bits = 0;
    unsigned count = 0;
    for (const char c : text) {
        if (c == '=') {
            break;
        }
        const std::size_t value = alphabet.find(c);
        REQUIRE(value != std::string::npos);
        bits = (bits << 6U | static_cast<unsigned>(value)) & 0xFFFFU;
        count += 6;
        if (count >= 8) {
            count -= 8;
            bytes += static_cast<char>(bits >> count & 0xFFU);
        }
    }
    return bytes;
}

} // namespace texelscope::test
