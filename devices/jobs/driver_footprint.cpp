#include "devices/jobs/driver_footprint.hpp"

#include "codegen/nest/kernel_launch.hpp"

#include <charconv>
#include <limits>
#include <string_view>

namespace texelscope::devices {
namespace {

/// Takes a whole number off the front of a text; nothing where there is none that fits.
template <class Number>
std::optional<Number> take_number(std::string_view& text)
{
    Number number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || text.front() == '-') {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

/// Takes a word off the front of a text; false, with nothing taken, where it begins with another
/// one.
bool take_word(std::string_view& text, std::string_view word)
{
    const bool there = text.substr(0, word.size()) == word;
    text.remove_prefix(there ? word.size() : 0);
    return there;
}

// "Used N registers"; other uses of the word "Used" are passed over.
std::optional<int> registers_in(std::string_view log)
{
    constexpr std::string_view before = "Used ";
    for (std::size_t at = log.find(before); at != std::string_view::npos;
         at = log.find(before, at + 1)) {
        std::string_view rest = log.substr(at + before.size());
        const auto number = take_number<int>(rest);
        if (number && take_word(rest, " registers")) {
            return number;
        }
    }
    return std::nullopt;
}

// "N bytes spill stores, M bytes spill loads": N is looked for backwards from the words.
std::optional<std::int64_t> spilled_in(std::string_view log)
{
    constexpr std::string_view after_stores = " bytes spill stores, ";
    for (std::size_t at = log.find(after_stores); at != std::string_view::npos;
         at = log.find(after_stores, at + 1)) {
        std::size_t begin = at;
        while (begin > 0 && log[begin - 1] >= '0' && log[begin - 1] <= '9') {
            --begin;
        }
        std::string_view before = log.substr(begin, at - begin);
        std::string_view rest = log.substr(at + after_stores.size());
        const auto stores = take_number<std::int64_t>(before);
        const auto loads = take_number<std::int64_t>(rest);
        if (stores && loads && take_word(rest, " bytes spill loads") &&
            *stores <= std::numeric_limits<std::int64_t>::max() - *loads) {
            return *stores + *loads;
        }
    }
    return std::nullopt;
}

} // namespace

std::string telling_build_options(const std::string& vendor)
{
    const bool nvidia = vendor.find("NVIDIA") != std::string::npos;
    return std::string(kernel_build_options) + (nvidia ? " -cl-nv-verbose" : "");
}

DriverFootprint footprint_from_log(const std::string& log)
{
    DriverFootprint footprint;
    footprint.registers = registers_in(log);
    footprint.spilled_bytes = spilled_in(log);
    return footprint;
}

} // namespace texelscope::devices
