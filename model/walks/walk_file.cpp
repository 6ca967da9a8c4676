#include "model/walks/walk_file.hpp"

#include "base/error.hpp"
#include "base/printable_text.hpp"
#include "traces/native/file_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <istream>
#include <limits>
#include <ostream>
#include <string_view>

namespace texelscope::model {
namespace {

constexpr std::string_view walk_header = "walk,step,x,y";
constexpr std::string_view stride_header = "walk,dx,dy";
constexpr std::string_view latency_header = "walk,ns_per_read";

/// Calls `row` with each line behind the header, the number of that line, and which of the headers
/// it was.
void read_rows(std::istream& in, const std::string& path,
               const std::vector<std::string_view>& headers,
               const std::function<void(std::string_view line, std::int64_t number,
                                        std::string_view header)>& row)
{
    const std::string expected = headers.size() == 1
                                     ? fmt::format("'{}'", headers[0])
                                     : fmt::format("'{}' or '{}'", headers[0], headers[1]);
    std::string_view header;
    for_each_line(in, path, [&](std::string_view line, std::int64_t number) {
        if (line.empty() || line.front() == '#') {
            return;
        }
        if (header.empty()) {
            const auto found = std::find(headers.begin(), headers.end(), line);
            if (found == headers.end()) {
                throw bad_input(fmt::format("the first line is not the header {}", expected),
                                fmt::format("{}:{}", path, number));
            }
            header = *found;
            return;
        }
        row(line, number, header);
    });
    if (header.empty()) {
        throw bad_input(fmt::format("there is no header {}", expected), path);
    }
}

/// Takes one number off the front of a row, and the comma behind it unless it is the last.
template <class Number>
bool take(std::string_view& row, Number& number, bool last)
{
    const char* const end = row.data() + row.size();
    const auto [at, error] = std::from_chars(row.data(), end, number);
    if (error != std::errc{} || (last ? at != end : at == end || *at != ',')) {
        return false;
    }
    row.remove_prefix(static_cast<std::size_t>(at - row.data()) + (last ? 0 : 1));
    return true;
}

} // namespace

std::vector<TexelWalk> parse_walks(std::istream& in, const std::string& path)
{
    std::map<std::int64_t, std::vector<Texel>> walks;
    std::int64_t last_number = -1;
    std::vector<Texel>* last = nullptr;
    read_rows(
        in, path, {walk_header, stride_header},
        [&](std::string_view line, std::int64_t at, std::string_view header) {
            const bool strides = header == stride_header;
            std::string_view row = line;
            std::int64_t number = 0;
            std::int64_t step = 0;
            Texel texel;
            if (!take(row, number, false) || (!strides && !take(row, step, false)) ||
                !take(row, texel.x, false) || !take(row, texel.y, true) || number < 0) {
                throw bad_input(fmt::format("not {} whole numbers: '{}'",
                                            strides ? "three" : "four", printable(line)),
                                fmt::format("{}:{}", path, at), fmt::format("rows are {}", header));
            }
            if (last == nullptr || number != last_number) {
                last = &walks[number];
                last_number = number;
            }
            const auto due = static_cast<std::int64_t>(last->size());
            if (!strides && step != due) {
                throw bad_input(
                    fmt::format("step {} of walk {} where step {} is due", step, number, due),
                    fmt::format("{}:{}", path, at), "steps go from 0 upward, without gaps");
            }
            std::int64_t x = texel.x;
            std::int64_t y = texel.y;
            if (strides && due > 0) {
                x += last->back().x;
                y += last->back().y;
            }
            constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
            if (x < 0 || y < 0 || x > most || y > most) {
                throw bad_input(fmt::format("walk {} leaves the image, to ({}, {})", number, x, y),
                                fmt::format("{}:{}", path, at), "coordinates are from 0 on");
            }
            last->push_back({static_cast<std::int32_t>(x), static_cast<std::int32_t>(y)});
        });
    std::vector<TexelWalk> list;
    for (auto& [number, texels] : walks) {
        list.push_back({number, std::move(texels)});
    }
    return list;
}

std::vector<TexelWalk> read_walks(const std::string& path)
{
    std::vector<TexelWalk> walks;
    read_stream(path, [&](std::istream& in) { walks = parse_walks(in, path); });
    return walks;
}

std::map<std::int64_t, double> parse_walk_latencies(std::istream& in, const std::string& path)
{
    std::map<std::int64_t, double> latencies;
    read_rows(
        in, path, {latency_header}, [&](std::string_view line, std::int64_t at, std::string_view) {
            std::string_view row = line;
            std::int64_t number = 0;
            double ns = 0;
            if (!take(row, number, false) || !take(row, ns, true) || number < 0 || !(ns > 0) ||
                !std::isfinite(ns)) {
                throw bad_input(
                    fmt::format("not a walk and its positive latency: '{}'", printable(line)),
                    fmt::format("{}:{}", path, at), fmt::format("rows are {}", latency_header));
            }
            if (!latencies.emplace(number, ns).second) {
                throw bad_input(fmt::format("walk {} has a latency already", number),
                                fmt::format("{}:{}", path, at));
            }
        });
    return latencies;
}

std::map<std::int64_t, double> read_walk_latencies(const std::string& path)
{
    std::map<std::int64_t, double> latencies;
    read_stream(path, [&](std::istream& in) { latencies = parse_walk_latencies(in, path); });
    return latencies;
}

MeasuredWalks join_walks(std::vector<TexelWalk> walks,
                         const std::map<std::int64_t, double>& latencies, const Image& image)
{
    MeasuredWalks measured{image.extent, image.bytes_per_texel, std::move(walks), {}};
    for (const TexelWalk& walk : measured.walks) {
        const auto latency = latencies.find(walk.number);
        if (latency == latencies.end()) {
            throw bad_input("it has no latency", fmt::format("walk {}", walk.number),
                            "give a row of the latencies to every walk");
        }
        measured.ns_per_read.push_back(latency->second);
    }
    if (latencies.size() != measured.size()) {
        throw bad_input(fmt::format("{} latencies for {} walks", latencies.size(), measured.size()),
                        "walks", "give each walk one latency");
    }
    validate(measured);
    return measured;
}

void write_walks(const std::string& path, const std::vector<TexelWalk>& walks)
{
    write_stream(path, [&](std::ostream& out) {
        out << walk_header << '\n';
        for (const TexelWalk& walk : walks) {
            fmt::memory_buffer text;
            std::size_t step = 0;
            for (const Texel t : walk.texels) {
                fmt::format_to(std::back_inserter(text), "{},{},{},{}\n", walk.number, step++, t.x,
                               t.y);
            }
            out.write(text.data(), static_cast<std::streamsize>(text.size()));
        }
    });
}

std::string read_walk_origin(const std::string& path)
{
    constexpr std::string_view mark = "# ";
    std::string line;
    read_stream(path, [&](std::istream& in) { std::getline(in, line); });
    return line.starts_with(mark) ? line.substr(mark.size()) : std::string();
}

void write_walk_latencies(const std::string& path, const MeasuredWalks& measured,
                          const std::string& origin)
{
    write_stream(path, [&](std::ostream& out) {
        if (!origin.empty()) {
            out << "# " << origin << '\n';
        }
        out << latency_header << '\n';
        for (std::size_t i = 0; i < measured.size(); ++i) {
            out << fmt::format("{},{}\n", measured.walks[i].number, measured.ns_per_read[i]);
        }
    });
}

} // namespace texelscope::model
