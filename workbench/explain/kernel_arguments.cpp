#include "workbench/explain/kernel_arguments.hpp"

#include "base/error.hpp"
#include "base/half.hpp"
#include "base/lists.hpp"
#include "base/random.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <optional>
#include <random>
#include <string_view>
#include <utility>

namespace texelscope::workbench::explain {
namespace {

using Kind = KernelArgument::Kind;
using NumberKind = NumberType::Kind;

constexpr NumberType types[] = {
    {"char", 1, NumberKind::with_sign},  {"uchar", 1, NumberKind::without_sign},
    {"short", 2, NumberKind::with_sign}, {"ushort", 2, NumberKind::without_sign},
    {"int", 4, NumberKind::with_sign},   {"uint", 4, NumberKind::without_sign},
    {"long", 8, NumberKind::with_sign},  {"ulong", 8, NumberKind::without_sign},
    {"half", 2, NumberKind::floating},   {"float", 4, NumberKind::floating},
    {"double", 8, NumberKind::floating},
};

const NumberType* number_type(std::string_view name)
{
    const auto found =
        std::ranges::find_if(types, [&](const NumberType& type) { return type.name == name; });
    return found == std::end(types) ? nullptr : &*found;
}

/// An order of channels, and a type of them: "rgba32f" is one of each.
struct ChannelOrder {
    std::string_view name;
    const char* word; ///< of the request
    int channels;
};
constexpr ChannelOrder orders[] = {
    {"rgba", "RGBA", 4}, {"bgra", "BGRA", 4}, {"rg", "RG", 2}, {"r", "R", 1}};
struct ChannelType {
    std::string_view name;
    const char* word; ///< of the request
    const char* number;
};
constexpr ChannelType channel_types[] = {
    {"8", "unorm8", "uchar"},  {"8s", "snorm8", "char"},     {"8i", "int8", "char"},
    {"8ui", "uint8", "uchar"}, {"16", "unorm16", "ushort"},  {"16s", "snorm16", "short"},
    {"16i", "int16", "short"}, {"16ui", "uint16", "ushort"}, {"16f", "half", "half"},
    {"32i", "int32", "int"},   {"32ui", "uint32", "uint"},   {"32f", "float", "float"},
};
struct Format {
    const ChannelOrder* order;
    const ChannelType* type;
};
std::optional<Format> format_of(std::string_view name)
{
    for (const ChannelOrder& order : orders) {
        for (const ChannelType& type : channel_types) {
            const bool bytes = type.name == "8" || order.name != "bgra";
            if (bytes && name.starts_with(order.name) &&
                name.substr(order.name.size()) == type.name) {
                return Format{&order, &type};
            }
        }
    }
    return std::nullopt;
}

/// How a sampler's words are given; the first of each is taken where none is.
constexpr std::array<std::string_view, 5> address_modes{"border", "edge", "repeat", "mirror",
                                                        "none"};
constexpr std::array<std::string_view, 2> filters{"nearest", "linear"};

template <class Values, class Value>
bool among(const Values& values, const Value& value)
{
    return std::ranges::find(values, value) != std::end(values);
}

std::vector<std::string> parts_of(std::string_view text, char separator)
{
    std::vector<std::string> parts;
    while (true) {
        const std::size_t end = text.find(separator);
        parts.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos) {
            return parts;
        }
        text.remove_prefix(end + 1);
    }
}

template <class Number>
std::optional<Number> number(std::string_view text)
{
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(value)
                                                                    : std::nullopt;
}

/// One argument while it is read: every error names it.
class ArgumentReader {
public:
    explicit ArgumentReader(const std::string& text) : text_(text)
    {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos || equals == 0) {
            throw bad_input("'" + text + "' is no argument", "--arg",
                            "write NAME=KIND:..., for example A=image:256x64:rgba32f, n=int:5");
        }
        read_.name = text.substr(0, equals);
        parts_ = parts_of(std::string_view(text).substr(equals + 1), ':');
    }

    KernelArgument read()
    {
        const std::string kind = parts_[0];
        if (kind == "image") {
            image();
        } else if (kind == "buffer") {
            buffer();
        } else if (kind == "local" || kind == "bytes") {
            read_.kind = kind == "local" ? Kind::local : Kind::bytes;
            read_.bytes = count(1, most_bytes, "a number of bytes");
            if (kind == "bytes") {
                fill(2);
            }
            end(kind == "bytes" ? 3 : 2);
        } else if (kind == "sampler") {
            sampler();
        } else {
            value(kind);
        }
        return std::move(read_);
    }

private:
    static constexpr std::int64_t most_bytes = std::int64_t{1} << 31;

    [[noreturn]] void refuse(const std::string& what, const std::string& remedy) const
    {
        throw bad_input(what, "--arg " + text_, remedy);
    }
    [[nodiscard]] std::string part(std::size_t i) const
    {
        return i < parts_.size() ? parts_[i] : std::string();
    }
    void end(std::size_t parts) const
    {
        if (parts_.size() > parts) {
            refuse("'" + parts_[parts] + "' is too much", "leave it out");
        }
    }
    [[nodiscard]] std::int64_t count(std::size_t i, std::int64_t most, const char* what) const
    {
        const auto value = number<std::int64_t>(part(i));
        if (!value || *value < 1 || *value > most) {
            refuse(fmt::format("'{}' is not {}", part(i), what),
                   fmt::format("give a whole number from 1 to {}", most));
        }
        return *value;
    }
    void fill(std::size_t i)
    {
        read_.fill = read_.type != nullptr && read_.type->kind == NumberKind::floating
                         ? Fill::random
                         : Fill::zero;
        if (i < parts_.size()) {
            const std::string word = parts_[i];
            for (const Fill each : {Fill::zero, Fill::iota, Fill::random}) {
                if (word == to_string(each)) {
                    read_.fill = each;
                    return;
                }
            }
            refuse("'" + word + "' is no way to fill it", "use zero, iota or random");
        }
    }
    void check_bytes() const
    {
        if (read_.bytes > most_bytes) {
            refuse("it has more than 2 GiB", "make it smaller");
        }
    }

    void image()
    {
        read_.kind = Kind::image;
        const std::vector<std::string> sides = parts_of(part(1), 'x');
        double texels = 1; // it may be more than there are whole numbers
        for (const std::string& side : sides) {
            const auto value = number<std::int32_t>(side);
            if (sides.size() > 3 || !value || *value < 1) {
                refuse("'" + part(1) + "' is no size of an image", "write 256, 256x64 or 256x64x4");
            }
            read_.size.push_back(*value);
            texels *= *value;
        }
        read_.format = part(2);
        const auto format = format_of(read_.format);
        if (!format) {
            refuse("'" + part(2) + "' is no format of images",
                   fmt::format("write channels and type: r, rg, rgba or bgra, then {}",
                               base::joined(channel_types, [](const ChannelType& type) {
                                   return std::string(type.name);
                               })));
        }
        read_.channels = format->order->channels;
        read_.type = number_type(format->type->number);
        const double bytes = texels * read_.channels * read_.type->bytes;
        read_.bytes = bytes > static_cast<double>(most_bytes) ? most_bytes + 1
                                                              : static_cast<std::int64_t>(bytes);
        check_bytes();
        fill(3);
        end(4);
    }

    void buffer()
    {
        read_.kind = Kind::buffer;
        read_.bytes = count(1, most_bytes, "a number of bytes or of elements");
        const auto [type, width] = vector_type(part(2));
        if (type != nullptr) {
            read_.type = type;
            read_.channels = width;
            read_.bytes *= std::int64_t{type->bytes} * (width == 3 ? 4 : width);
            check_bytes();
        }
        const std::size_t behind = type != nullptr ? 3 : 2;
        if (type == nullptr && parts_.size() > 2 && !among(fill_words, part(2))) {
            refuse("'" + part(2) + "' is neither a type of numbers nor a way to fill it",
                   "write float, half4, int ..., or zero, iota, random");
        }
        fill(behind);
        end(behind + 1);
    }

    void sampler()
    {
        read_.kind = Kind::sampler;
        read_.sampler = {std::string(address_modes[0]), std::string(filters[0]), ""};
        bool given[3] = {false, false, false};
        for (std::size_t i = 1; i < parts_.size(); ++i) {
            const std::string& word = parts_[i];
            const std::size_t place = among(address_modes, word) ? 0
                                      : among(filters, word)     ? 1
                                      : word == "normalized"     ? 2
                                                                 : 3;
            if (place == 3 || given[place]) {
                refuse("'" + word + "' is no word of a sampler, or one too many",
                       fmt::format("use one of {}; of {}; and normalized, if it is",
                                   fmt::join(address_modes, ", "), fmt::join(filters, ", ")));
            }
            given[place] = true;
            read_.sampler[place] = word;
        }
    }

    void value(const std::string& kind)
    {
        const auto [type, width] = vector_type(kind);
        if (type == nullptr) {
            refuse("'" + kind + "' is no kind of argument",
                   "use image, buffer, local, sampler, bytes, or a type such as int or float4");
        }
        read_.kind = Kind::value;
        read_.type = type;
        read_.channels = width;
        read_.bytes = std::int64_t{type->bytes} * (width == 3 ? 4 : width);
        read_.numbers = parts_of(part(1), ',');
        const auto given = static_cast<int>(read_.numbers.size());
        if (given != width && given != 1) {
            refuse(fmt::format("it has {} numbers", given),
                   fmt::format("give {}, or one for all", width));
        }
        for (const std::string& text : read_.numbers) {
            if (!fits(text, *type)) {
                refuse("'" + text + "' is no number of type " + type->name,
                       "give one that it can hold");
            }
        }
        end(2);
    }

    static bool fits(const std::string& text, const NumberType& type)
    {
        if (type.kind == NumberKind::floating) {
            return number<double>(text).has_value();
        }
        if (type.kind == NumberKind::without_sign) {
            const auto value = number<std::uint64_t>(text);
            return value && (type.bytes == 8 || *value >> (8 * type.bytes) == 0);
        }
        const auto value = number<std::int64_t>(text);
        const std::int64_t half = type.bytes == 8 ? 0 : std::int64_t{1} << (8 * type.bytes - 1);
        return value && (half == 0 || (*value >= -half && *value < half));
    }

    /// "float4": the type, and how many of it; null for another word.
    static std::pair<const NumberType*, int> vector_type(std::string_view word)
    {
        const std::size_t digits = word.find_first_of("0123456789");
        const NumberType* type = number_type(word.substr(0, digits));
        if (digits == std::string_view::npos || type == nullptr) {
            return {type, 1};
        }
        const auto width = number<int>(word.substr(digits));
        const bool known = width && among(std::array{2, 3, 4, 8, 16}, *width);
        return {known ? type : nullptr, known ? *width : 1};
    }
    static constexpr std::array<std::string_view, 3> fill_words{"zero", "iota", "random"};

    std::string text_;
    std::vector<std::string> parts_;
    KernelArgument read_;
};

/// Puts a number into the next bytes, as the type has it.
void put(std::string& out, const NumberType& type, double value)
{
    const auto append = [&](const auto& bits) {
        out.append(reinterpret_cast<const char*>(&bits), sizeof bits);
    };
    if (type.kind == NumberKind::floating) {
        if (type.bytes == 2) {
            append(half_bits(static_cast<float>(value)));
        } else if (type.bytes == 4) {
            append(static_cast<float>(value));
        } else {
            append(value);
        }
        return;
    }
    // Whole numbers are written modulo their range: the lowest bytes come first.
    const auto whole = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    for (int i = 0; i < type.bytes; ++i) {
        out += static_cast<char>(whole >> (8 * i) & 0xFF);
    }
}

void put_text(std::string& out, const NumberType& type, const std::string& text)
{
    if (type.kind == NumberKind::floating) {
        put(out, type, *number<double>(text));
        return;
    }
    const std::uint64_t whole = type.kind == NumberKind::without_sign
                                    ? *number<std::uint64_t>(text)
                                    : static_cast<std::uint64_t>(*number<std::int64_t>(text));
    for (int i = 0; i < type.bytes; ++i) {
        out += static_cast<char>(whole >> (8 * i) & 0xFF);
    }
}

/// FNV-1a, so that arguments of other names have other random numbers.
std::uint64_t hash_of(const std::string& name)
{
    std::uint64_t hash = 14695981039346656037U;
    for (const char letter : name) {
        hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211U;
    }
    return hash;
}

} // namespace

std::span<const NumberType> number_types()
{
    return types;
}

std::string to_string(Fill fill)
{
    return fill == Fill::zero ? "zero" : fill == Fill::iota ? "iota" : "random";
}

KernelArgument parse_kernel_argument(const std::string& text)
{
    return ArgumentReader(text).read();
}

std::string type_name(const KernelArgument& argument)
{
    return argument.channels > 1 ? fmt::format("{}{}", argument.type->name, argument.channels)
                                 : argument.type->name;
}

std::array<std::string, 2> format_words(const std::string& format)
{
    const Format known = *format_of(format);
    return {known.order->word, known.type->word};
}

std::string to_string(const KernelArgument& argument)
{
    const std::string fill = ":" + to_string(argument.fill);
    const std::string begin = argument.name + "=";
    switch (argument.kind) {
    case Kind::image:
        return fmt::format("{}image:{}:{}{}", begin, fmt::join(argument.size, "x"), argument.format,
                           fill);
    case Kind::buffer:
        if (argument.type != nullptr) {
            const std::int64_t element = std::int64_t{argument.type->bytes} *
                                         (argument.channels == 3 ? 4 : argument.channels);
            return fmt::format("{}buffer:{}:{}{}", begin, argument.bytes / element,
                               type_name(argument), fill);
        }
        return fmt::format("{}buffer:{}{}", begin, argument.bytes, fill);
    case Kind::bytes:
        return fmt::format("{}bytes:{}{}", begin, argument.bytes, fill);
    case Kind::local:
        return fmt::format("{}local:{}", begin, argument.bytes);
    case Kind::sampler:
        return begin + "sampler:" + argument.sampler[0] + ":" + argument.sampler[1] +
               (argument.sampler[2].empty() ? "" : ":" + argument.sampler[2]);
    case Kind::value:
        break;
    }
    return fmt::format("{}{}:{}", begin, type_name(argument), fmt::join(argument.numbers, ","));
}

std::string argument_data(const KernelArgument& argument, std::uint64_t seed)
{
    std::string out;
    out.reserve(static_cast<std::size_t>(argument.bytes));
    if (argument.kind == Kind::value) {
        for (int i = 0; i < argument.channels; ++i) {
            const auto given = static_cast<std::size_t>(i) % argument.numbers.size();
            put_text(out, *argument.type, argument.numbers[given]);
        }
    } else if (argument.fill != Fill::zero) {
        constexpr NumberType byte{"uchar", 1, NumberKind::without_sign};
        const NumberType& type = argument.type != nullptr ? *argument.type : byte;
        std::mt19937_64 random(seed ^ hash_of(argument.name));
        const std::int64_t count = argument.bytes / type.bytes;
        for (std::int64_t i = 0; i < count; ++i) {
            put(out, type,
                argument.fill == Fill::iota         ? static_cast<double>(i)
                : type.kind == NumberKind::floating ? 2 * uniform_real(random) - 1
                : type.kind == NumberKind::without_sign || type.bytes > 1
                    ? static_cast<double>(uniform_below(random, 256))
                    : static_cast<double>(uniform_below(random, 128)));
        }
    }
    out.resize(static_cast<std::size_t>(argument.bytes), '\0');
    return out;
}

} // namespace texelscope::workbench::explain
