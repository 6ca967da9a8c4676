#include "codegen/nest/schedule.hpp"

#include "base/error.hpp"
#include "codegen/nest/framework_layout.hpp"
#include "codegen/nest/schedule_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <type_traits>
#include <utility>

namespace texelscope::codegen {
namespace {

constexpr const char* example = "write it like A=block4,column;T=4x4;W=8x8;G=16x8x1";

std::vector<std::string> split_at(const std::string& text, char separator)
{
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == separator) {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

/// Parses sizes such as "16x8x1": whole numbers from 1 on, between `least` and `most` of them.
std::vector<std::int32_t> sizes(const std::string& text, std::size_t least, std::size_t most,
                                const std::string& where)
{
    std::vector<std::int32_t> numbers;
    for (const std::string& part : split_at(text, 'x')) {
        std::int32_t number = 0;
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
        constexpr std::int32_t largest = 1 << 20;
        if (error != std::errc{} || end != part.data() + part.size() || number < 1 ||
            number > largest) {
            throw bad_input(fmt::format("'{}' is not a size from 1 to {}", part, largest), where,
                            example);
        }
        numbers.push_back(number);
    }
    if (numbers.size() < least || numbers.size() > most) {
        throw bad_input(fmt::format("'{}' has {} sizes", text, numbers.size()), where,
                        least == most ? fmt::format("give {}", least)
                                      : fmt::format("give {} to {}", least, most));
    }
    return numbers;
}

/// The place of `text` in a list of words. Where it is none of them, the message says that it is no
/// `what`.
std::size_t word(const std::string& text, const std::vector<std::string>& words,
                 const std::string& where, const char* what = "known")
{
    const auto found = std::find(words.begin(), words.end(), text);
    if (found == words.end()) {
        throw bad_input(fmt::format("'{}' is not {}", text, what), where,
                        fmt::format("use {}", fmt::join(words, " or ")));
    }
    return static_cast<std::size_t>(found - words.begin());
}

std::vector<std::string> loop_names(const std::string& text, const std::string& where)
{
    std::vector<std::string> names = split_at(text, ',');
    for (const std::string& name : names) {
        if (name.empty() || std::count(names.begin(), names.end(), name) > 1) {
            throw bad_input(name.empty() ? "a name is empty"
                                         : "the loop '" + name + "' occurs twice",
                            where, "name loops like kh,kw,ci");
        }
    }
    return names;
}

using Kind = SchedulePart::Kind;

/// Joins numbers or texts with the separator.
template <class Values>
std::string joined(const Values& values, char separator)
{
    std::string text;
    for (const auto& value : values) {
        if (!text.empty()) {
            text += separator;
        }
        if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(value)>>) {
            text += std::to_string(value);
        } else {
            text += value;
        }
    }
    return text;
}

template <class Value>
std::function<void(Schedule&, const Schedule&)> copy_of(Value Schedule::*member)
{
    return [=](Schedule& to, const Schedule& from) { to.*member = from.*member; };
}

template <class Value>
SchedulePart word_part(char key, const std::string& name, const char* about,
                       const std::vector<std::string>& words, Value Schedule::*member)
{
    return {.key = key,
            .name = name,
            .about = about,
            .words = words,
            .write = [=](const Schedule& s) { return words[static_cast<std::size_t>(s.*member)]; },
            .read =
                [=](Schedule& s, const std::string& text, const std::string& where) {
                    s.*member = static_cast<Value>(word(text, words, where));
                },
            .copy = copy_of(member)};
}

SchedulePart number_part(char key, const std::string& name, const char* about,
                         std::int32_t Schedule::*member)
{
    return {.key = key,
            .name = name,
            .about = about,
            .kind = Kind::number,
            .write = [=](const Schedule& s) { return std::to_string(s.*member); },
            .read = [=](Schedule& s, const std::string& text,
                        const std::string& where) { s.*member = sizes(text, 1, 1, where).front(); },
            .copy = copy_of(member)};
}

SchedulePart loops_part(char key, const std::string& name, const char* about,
                        std::vector<std::string> Schedule::*member)
{
    return {.key = key,
            .name = name,
            .about = about,
            .kind = Kind::loops,
            .write = [=](const Schedule& s) { return joined(s.*member, ','); },
            .read = [=](Schedule& s, const std::string& text,
                        const std::string& where) { s.*member = loop_names(text, where); },
            .copy = copy_of(member)};
}

template <class Value>
SchedulePart tensors_part(char key, const std::string& name, const char* about,
                          const std::vector<std::string>& words,
                          std::vector<Value> Schedule::*member, const char* what = "known")
{
    return {.key = key,
            .name = name,
            .about = about,
            .kind = Kind::tensors,
            .words = words,
            .write =
                [=](const Schedule& s) {
                    std::vector<std::string> texts;
                    for (const Value value : s.*member) {
                        texts.push_back(words[static_cast<std::size_t>(value)]);
                    }
                    return joined(texts, ',');
                },
            .read =
                [=](Schedule& s, const std::string& text, const std::string& where) {
                    (s.*member).clear();
                    for (const std::string& word_text : split_at(text, ',')) {
                        (s.*member).push_back(
                            static_cast<Value>(word(word_text, words, where, what)));
                    }
                },
            .copy = copy_of(member)};
}

/// The row of a member that holds sizes along x, y, z, in a vector or an array.
template <class Sizes>
SchedulePart sides_part(char key, const std::string& name, const char* about, std::size_t least,
                        std::size_t most, Sizes Schedule::*member, bool always = true)
{
    return {.key = key,
            .name = name,
            .about = about,
            .kind = Kind::sides,
            .sides = most,
            .always = always,
            .write = [=](const Schedule& s) { return joined(s.*member, 'x'); },
            .read =
                [=](Schedule& s, const std::string& text, const std::string& where) {
                    const std::vector<std::int32_t> numbers = sizes(text, least, most, where);
                    if constexpr (requires(Sizes all) { all.resize(0); }) {
                        s.*member = numbers;
                    } else {
                        (s.*member).fill(1);
                        std::copy(numbers.begin(), numbers.end(), (s.*member).begin());
                    }
                },
            .copy = copy_of(member)};
}

template <class Value>
bool all_are(const std::vector<Value>& values, std::type_identity_t<Value> value)
{
    return std::ranges::all_of(values, [&](const Value& each) { return each == value; });
}

std::vector<SchedulePart> make_parts()
{
    std::vector<std::string> patterns;
    for (const AccessPattern pattern : all_access_patterns) {
        patterns.push_back(to_string(pattern));
    }
    std::vector<SchedulePart> parts{
        tensors_part('A', "pattern", "access pattern of each input", patterns, &Schedule::patterns,
                     "an access pattern"),
        sides_part('T', "tile", "outputs of a work-item", 1, 3, &Schedule::tile),
        sides_part('D', "turns", "work-items that take turns along each dimension", 1, 3,
                   &Schedule::turns, false),
        sides_part('K', "turn", "outputs of one turn", 1, 3, &Schedule::turn, false),
        sides_part('W', "warp", "shape of a warp", 2, 2, &Schedule::warp),
        sides_part('G', "block_size", "work-group, in tiles", 1, 3, &Schedule::group),
        word_part('N', "numbering", "axes in the order in which work-items are numbered",
                  {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx"}, &Schedule::numbering),
        loops_part('L', "order", "reduction loops, outermost first", &Schedule::order),
        loops_part('U', "unroll", "reduction loops that are written out", &Schedule::unroll),
        number_part('R', "split", "work-items that share a reduction", &Schedule::split),
        number_part('S', "stage", "iterations of a loop that are copied to local memory together",
                    &Schedule::stage),
        tensors_part('M', "memory", "memory of each input, then of the output", {"image", "buffer"},
                     &Schedule::memory),
        tensors_part('F', "framework", "layout of each input, then of the output, by framework",
                     framework_layout_names(), &Schedule::frameworks),
        word_part('O', "output", "access pattern in which the output is written", patterns,
                  &Schedule::output),
        word_part('P', "storage", "storage of all tensors", {"fp32", "fp16"}, &Schedule::storage),
        word_part('C', "sums", "precision of sums of numbers in half precision",
                  {"carried", "fp32", "fp16"}, &Schedule::sums),
        number_part('V', "vector", "numbers of a vector of sums", &Schedule::vector),
        word_part('B', "splat", "scalar times vector, or written out as a vector first",
                  {"auto", "splat"}, &Schedule::splat),
        word_part('E', "eliminate_addresses", "common parts of addresses are calculated once",
                  {"off", "on"}, &Schedule::eliminate_addresses)};
    for (SchedulePart& part : parts) {
        part.always = part.always || part.key == 'A';
        part.absent = part.write({});
        const auto left_out_where = [&](auto all_default) {
            part.write = [write = part.write, all_default](const Schedule& s) {
                return all_default(s) ? "" : write(s);
            };
        };
        if (part.key == 'M') {
            left_out_where([](const Schedule& s) { return all_are(s.memory, Memory::image); });
        }
        if (part.key == 'F') {
            left_out_where(
                [](const Schedule& s) { return all_are(s.frameworks, FrameworkLayout::own); });
        }
        if (part.key == 'D') {
            left_out_where([](const Schedule& s) { return all_are(s.turns, 1); });
        }
    }
    return parts;
}

std::map<char, std::string> values_by_key(const std::string& text, const std::string& where)
{
    std::vector<std::string> known;
    for (const SchedulePart& part : schedule_parts()) {
        known.push_back({part.key, '='});
    }
    std::map<char, std::string> values;
    for (const std::string& part : split_at(text, ';')) {
        if (std::find(known.begin(), known.end(), part.substr(0, 2)) == known.end()) {
            throw bad_input("'" + part + "' is not a part", where,
                            fmt::format("parts are {}; {}", fmt::join(known, " "), example));
        }
        if (!values.emplace(part[0], part.substr(2)).second) {
            throw bad_input(fmt::format("the part '{}' occurs twice", part[0]), where,
                            "give each part once");
        }
    }
    for (const char key : {'A', 'T', 'G'}) {
        if (!values.contains(key)) {
            throw bad_input(fmt::format("the part '{}' is missing", key), where, example);
        }
    }
    return values;
}

} // namespace

const std::vector<SchedulePart>& schedule_parts()
{
    static const std::vector<SchedulePart> parts = make_parts();
    return parts;
}

const SchedulePart& schedule_part(char key)
{
    return *std::ranges::find(schedule_parts(), key, &SchedulePart::key);
}

std::vector<std::string> values_of(const std::string& text, char separator)
{
    return text.empty() ? std::vector<std::string>{} : split_at(text, separator);
}

std::string to_string(Memory memory)
{
    return memory == Memory::image ? "image" : "buffer";
}

std::string to_string(Storage storage)
{
    return storage == Storage::fp32 ? "fp32" : "fp16";
}

int bytes_per_texel(Storage storage)
{
    return storage == Storage::fp32 ? 16 : 8;
}

std::array<std::size_t, 3> axes_of(Numbering numbering)
{
    constexpr std::array<std::array<std::size_t, 3>, 6> axes{
        {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};
    return axes[static_cast<std::size_t>(numbering)];
}

Schedule parse_schedule(const std::string& text)
{
    const std::string where = "configuration '" + text + "'";
    const auto values = values_by_key(text, where);
    Schedule schedule;
    for (const SchedulePart& part : schedule_parts()) {
        if (const auto found = values.find(part.key); found != values.end()) {
            part.read(schedule, found->second, fmt::format("{}, part {}", where, part.key));
        }
    }
    if (!values.contains('W')) {
        const Dim3 group = schedule.launched_group();
        schedule.warp = {group[0], group[1]};
    }
    return schedule;
}

std::string to_string(const Schedule& schedule)
{
    std::string text;
    for (const SchedulePart& part : schedule_parts()) {
        const std::string value = part.write(schedule);
        if (part.always || value != part.absent) {
            ((text += text.empty() ? "" : ";") += part.key) += "=" + value;
        }
    }
    return text;
}

void check_schedule(const Schedule& schedule, const std::vector<std::string>& input_names,
                    const std::string& where)
{
    const std::size_t inputs = input_names.size();
    if (schedule.patterns.size() != inputs) {
        throw bad_input(fmt::format("{} access patterns", schedule.patterns.size()), where,
                        fmt::format("give one for each of {}", fmt::join(input_names, ", ")));
    }
    constexpr std::int64_t most_outputs = 1024;
    std::int64_t outputs = 1;
    for (const std::int32_t size : schedule.tile) {
        outputs *= size;
    }
    if (outputs > most_outputs) {
        throw bad_input(fmt::format("a tile of {} outputs", fmt::join(schedule.tile, "x")), where,
                        fmt::format("a work-item computes at most {}", most_outputs));
    }
    if (!schedule.memory.empty() && schedule.memory.size() != inputs + 1) {
        throw bad_input(fmt::format("memory of {} tensors", schedule.memory.size()), where,
                        fmt::format("give it for {} inputs and the output", inputs));
    }
    if (!schedule.frameworks.empty() && schedule.frameworks.size() != inputs + 1) {
        throw bad_input(fmt::format("layouts of {} tensors", schedule.frameworks.size()), where,
                        fmt::format("give F for {} inputs and the output", inputs));
    }
    for (const auto& [name, sizes_of] : {std::pair('D', &schedule.turns), {'K', &schedule.turn}}) {
        if (sizes_of->size() > schedule.tile.size() &&
            std::any_of(sizes_of->begin() + std::ssize(schedule.tile), sizes_of->end(),
                        [](std::int32_t size) { return size > 1; })) {
            throw bad_input(fmt::format("{} of {} sizes", name, sizes_of->size()), where,
                            fmt::format("T has {}", schedule.tile.size()));
        }
    }
    if (schedule.sums == Sums::fp16 && (schedule.storage != Storage::fp16 || schedule.split > 1)) {
        throw bad_input("sums in half precision to the end", where,
                        "C=fp16 goes with P=fp16, and without R");
    }
    constexpr std::int32_t most_staged = 1024;
    if (schedule.stage > most_staged) {
        throw bad_input(fmt::format("{} iterations in local memory", schedule.stage), where,
                        fmt::format("S is at most {}", most_staged));
    }
    constexpr std::int32_t most_split = 256;
    if (schedule.split > most_split) {
        throw bad_input(fmt::format("a reduction split into {}", schedule.split), where,
                        fmt::format("at most {} work-items share one", most_split));
    }
}

} // namespace texelscope::codegen
