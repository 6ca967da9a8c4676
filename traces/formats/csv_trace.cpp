// The plain trace: a CSV file with a row for each read of a work-item, and its images declared in
// comment lines `#image NAME:WIDTHxHEIGHTxBYTES` before the header or given by the caller. Rows may
// come in any order (RowCollector sorts them).

#include "traces/formats/csv_trace.hpp"

#include "base/error.hpp"
#include "base/printable_text.hpp"
#include "traces/access_walk.hpp"
#include "traces/formats/row_collector.hpp"
#include "traces/native/file_stream.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <istream>
#include <limits>
#include <map>
#include <ostream>

namespace texelscope::traces {
namespace {

constexpr std::string_view header = "group,item,step,image,x,y";

template <class Number>
Number
parse_number(std::string_view field, std::string_view column, std::int64_t lowest,
             const std::string& where,
             std::int64_t highest = static_cast<std::int64_t>(std::numeric_limits<Number>::max()))
{
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc{} || end != field.data() + field.size()) {
        throw bad_input(
            fmt::format("column '{}' is not a whole number: '{}'", column, printable(field)), where,
            "rows are group,item,step,image,x,y");
    }
    if (value < lowest || value > highest) {
        throw bad_input(fmt::format("column '{}' is out of range: {}", column, value), where,
                        fmt::format("it may be {} to {}", lowest, highest));
    }
    return static_cast<Number>(value);
}

std::array<std::string_view, 6> split_row(std::string_view line, const std::string& where)
{
    std::array<std::string_view, 6> fields;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const auto comma = line.find(',');
        if ((comma == std::string_view::npos) != (i + 1 == fields.size())) {
            throw bad_input("a row has six fields", where, fmt::format("write {}", header));
        }
        fields[i] = line.substr(0, comma);
        line.remove_prefix(comma == std::string_view::npos ? line.size() : comma + 1);
    }
    return fields;
}

// `declared` are the caller's images. They come first and win over declarations of the file.
std::unique_ptr<TraceSource> read_plain(std::istream& in, const std::string& name,
                                        const std::vector<Image>& declared,
                                        AddressMode address_mode)
{
    std::vector<Image> images = declared;
    std::map<std::string, std::uint16_t, std::less<>> index;
    for (std::size_t i = 0; i < images.size(); ++i) {
        if (!index.emplace(images[i].name, static_cast<std::uint16_t>(i)).second) {
            throw bad_input(fmt::format("image '{}' is declared twice", images[i].name), name,
                            "give each image one --image");
        }
    }
    const auto declare = [&](Image image) {
        if (images.size() > std::numeric_limits<std::uint16_t>::max()) {
            throw bad_input("more than 65536 images", {}, "split the trace");
        }
        image.address_mode = address_mode;
        const auto [known, is_new] =
            index.emplace(image.name, static_cast<std::uint16_t>(images.size()));
        if (is_new) {
            images.push_back(std::move(image));
        } else if (known->second >= declared.size()) { // not by the caller, who has the last word
            const Image& before = images[known->second];
            if (before.extent != image.extent ||
                before.bytes_per_texel.value != image.bytes_per_texel.value) {
                throw bad_input(
                    fmt::format("image '{}' was declared with another size before", image.name), {},
                    "give it one declaration");
            }
        }
    };

    bool have_header = false;
    RowCollector rows(name);
    const std::int64_t lines =
        for_each_line(in, name, [&](std::string_view line, std::int64_t number) {
            if (line.empty()) {
                return;
            }
            const std::string where = fmt::format("{}:{}", name, number);
            if (line.front() == '#') {
                constexpr std::string_view directive = "#image ";
                if (line.starts_with(directive)) {
                    try {
                        declare(parse_image(std::string(line.substr(directive.size()))));
                    } catch (const Error& error) {
                        throw bad_input(error.what(), where);
                    }
                }
                return;
            }
            if (!have_header) {
                if (line != header) {
                    throw bad_input(fmt::format("the first line is not the header '{}'", header),
                                    where, "is this a plain trace CSV?");
                }
                have_header = true;
                return;
            }
            const auto fields = split_row(line, where);
            const auto image = index.find(fields[3]);
            if (image == index.end()) {
                throw bad_input(fmt::format("image '{}' is not declared", printable(fields[3])),
                                where,
                                fmt::format("add --image {0}:WIDTHxHEIGHTxBYTES, or the line "
                                            "'#image {0}:WIDTHxHEIGHTxBYTES' at the file's "
                                            "beginning",
                                            printable(fields[3])));
            }
            // The highest group number that is allowed: group_count() is one more and has to fit,
            // too.
            constexpr std::int64_t last_group = std::numeric_limits<std::int64_t>::max() - 1;
            constexpr std::int64_t lowest_coordinate = std::numeric_limits<std::int32_t>::min();
            rows.add({parse_number<std::int64_t>(fields[0], "group", 0, where, last_group),
                      parse_number<std::int32_t>(fields[1], "item", 0, where),
                      parse_number<std::uint32_t>(fields[2], "step", 0, where), image->second,
                      Texel{parse_number<std::int32_t>(fields[4], "x", lowest_coordinate, where),
                            parse_number<std::int32_t>(fields[5], "y", lowest_coordinate, where)}},
                     number);
        });
    if (lines == 0) {
        throw bad_input("the file is empty", name, "give a trace");
    }
    if (!have_header) {
        throw bad_input(fmt::format("there is no header '{}'", header), name,
                        "is this a plain trace CSV?");
    }
    return rows.take(name, std::move(images));
}

/// A native trace allows any character in a name. In CSV, commas and line ends would split rows.
void check_name(const std::string& name)
{
    if (!is_plain_name(name)) {
        throw bad_input(
            "a CSV trace has no place for the image '" + printable(name) + "'", {},
            "its names have no comma, space or control character; a native trace keeps this one");
    }
}

} // namespace

std::unique_ptr<TraceSource> read_csv(std::istream& in, const std::string& name,
                                      const std::vector<Image>& declared, AddressMode address_mode)
{
    std::unique_ptr<TraceSource> source;
    read_stream(in, name, [&](std::istream& text) {
        source = read_plain(text, name, declared, address_mode);
    });
    return source;
}

std::unique_ptr<TraceSource> read_csv(const std::string& path, const std::vector<Image>& declared,
                                      AddressMode address_mode)
{
    std::unique_ptr<TraceSource> source;
    read_stream(
        path, [&](std::istream& text) { source = read_plain(text, path, declared, address_mode); });
    return source;
}

std::int64_t write_csv(std::ostream& out, const TraceSource& source)
{
    for (const Image& image : source.images()) {
        check_name(image.name);
    }
    // The rows do not depend on the warp size: they name work-items, and within a group they are
    // ordered by warp, step and lane.
    constexpr int any_warp_size = 64;
    for (const Image& image : source.images()) {
        out << fmt::format("#image {}:{}x{}x{}\n", image.name, image.extent.width,
                           image.extent.height, image.bytes_per_texel.value);
    }
    out << header << '\n';
    std::int64_t rows = 0;
    fmt::memory_buffer text;
    AccessWalk walk(source, any_warp_size);
    while (walk.next()) {
        text.clear();
        for (const LaneRead& read : walk.access().lanes) {
            fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{}\n", walk.group(),
                           walk.item(read), walk.access().step, source.images()[read.image].name,
                           read.texel.x, read.texel.y);
        }
        out.write(text.data(), static_cast<std::streamsize>(text.size()));
        rows += static_cast<std::int64_t>(walk.access().lanes.size());
    }
    return rows;
}

} // namespace texelscope::traces
