#include "base/control_characters.hpp"

#include <algorithm>
#include <cstddef>

namespace texelscope::base {
namespace {

/// Bytes of the control character at the start of a text that is not empty; 0 where there is none.
/// In UTF-8, the control characters of Latin-1 (U+0080 to U+009F) are C2 and one byte more.
std::size_t control_length(std::string_view text)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    if (byte(0) < 0x20 || byte(0) == 0x7F) {
        return 1;
    }
    return byte(0) == 0xC2 && text.size() > 1 && byte(1) >= 0x80 && byte(1) < 0xA0 ? 2 : 0;
}

} // namespace

bool has_controls(std::string_view text)
{
    for (; !text.empty(); text.remove_prefix(1)) {
        if (control_length(text) > 0) {
            return true;
        }
    }
    return false;
}

std::string without_controls(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::size_t control = control_length(text);
        const bool stays = text[0] == '\n' || text[0] == '\t' || text.substr(0, 2) == "\r\n";
        if (control > 0 && !stays) {
            out += "\uFFFD";
        } else {
            out += text[0];
        }
        text.remove_prefix(std::max<std::size_t>(control, 1));
    }
    return out;
}

} // namespace texelscope::base
