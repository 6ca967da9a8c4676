#include "traces/image.hpp"

#include "base/control_characters.hpp"
#include "base/error.hpp"

#include <charconv>
#include <limits>

namespace texelscope::traces {
namespace {

constexpr const char* remedy = "write ID:WIDTHxHEIGHTxBYTES, for example A:64x64x16";

/// Reads a whole number in [1, max] from the front of `text`, followed by `separator` (0: by the
/// end), and drops both.
std::int32_t take_number(std::string_view& text, char separator, const std::string& where)
{
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const auto length = static_cast<std::size_t>(end - text.data());
    const bool ends_right =
        separator == 0 ? length == text.size() : length < text.size() && text[length] == separator;
    if (error != std::errc{} || !ends_right) {
        throw bad_input("not an image declaration", where, remedy);
    }
    if (value < 1 || value > std::numeric_limits<std::int32_t>::max()) {
        throw bad_input("the number " + std::to_string(value) + " is out of range", where,
                        "use sizes from 1 to 2147483647");
    }
    text.remove_prefix(separator == 0 ? length : length + 1);
    return static_cast<std::int32_t>(value);
}

} // namespace

// Names without commas and spaces can stand in CSV rows and on command lines.
bool is_plain_name(const std::string& name)
{
    return !name.empty() && name.find_first_of(", ") == std::string::npos && !has_controls(name);
}

Image parse_image(const std::string& text)
{
    const std::string where = "image '" + text + "'";
    // From the right, because a name may have a colon in it.
    const auto colon = text.rfind(':');
    if (colon == std::string::npos || colon == 0) {
        throw bad_input("not an image declaration", where, remedy);
    }
    std::string_view sizes = std::string_view(text).substr(colon + 1);
    Image image;
    image.name = text.substr(0, colon);
    if (!is_plain_name(image.name)) {
        throw bad_input("an image's name holds no comma, space or control character", where,
                        remedy);
    }
    if (sizes.find('@') != std::string_view::npos) {
        throw bad_input("only images of a trace of byte addresses have a base address", where,
                        "leave it out; trace import reads such traces");
    }
    image.extent.width = take_number(sizes, 'x', where);
    image.extent.height = take_number(sizes, 'x', where);
    image.bytes_per_texel = Bytes{take_number(sizes, 0, where)};
    return image;
}

} // namespace texelscope::traces
