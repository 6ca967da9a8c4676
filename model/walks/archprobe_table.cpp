// The table of pointer chases that ArchProbe leaves as ImageCacheHierarchyPChase.csv: in go its
// rows, out come walks as `identify` takes them. Of each chase a row has range and stride in bytes,
// the number of reads, and the median time of a launch, after two launches that warm the outer
// caches. Texel i of an image of one row holds (i + stride) % range, and a work-item follows these
// from texel 0. Numbers have six significant digits.

#include "model/walks/archprobe_table.hpp"

#include "base/error.hpp"
#include "base/number_text.hpp"
#include "base/printable_text.hpp"
#include "traces/native/file_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <istream>
#include <limits>
#include <string_view>

namespace texelscope::model {
namespace {

constexpr std::string_view table_header = "range (byte),stride (byte),niter,t (us)";
constexpr std::int64_t texel_bytes = 16; // its images are RGBA of 32 bits each

/// The numbers of a row; false where there are not four of them.
bool numbers_of(std::string_view row, std::array<double, 4>& numbers)
{
    for (double& number : numbers) {
        const char* const end = row.data() + row.size();
        const auto [at, error] = std::from_chars(row.data(), end, number);
        const bool last = &number == &numbers.back();
        if (error != std::errc{} || (last ? at != end : at == end || *at != ',')) {
            return false;
        }
        row.remove_prefix(static_cast<std::size_t>(at - row.data()) + (last ? 0 : 1));
    }
    return true;
}

/// The multiple of a texel's bytes that was written with six digits, in texels; nothing where none
/// is near enough.
std::optional<std::int64_t> texels_of(double bytes)
{
    constexpr double six_digits = 5e-6;
    constexpr double most = texel_bytes * double{std::numeric_limits<std::int32_t>::max()};
    if (!(bytes >= texel_bytes && bytes <= most)) {
        return std::nullopt;
    }
    const double texels = std::round(bytes / texel_bytes);
    return std::abs(texels * texel_bytes - bytes) <= (bytes < 1e6 ? 0 : six_digits * bytes)
               ? std::optional(static_cast<std::int64_t>(texels))
               : std::nullopt;
}

/// Appends at most `most` of the chases, from the least to the largest by `size`, each larger than
/// the one before by the same ratio, as far as there are such.
void take(std::vector<PointerChase>& taken, std::vector<PointerChase> chases,
          std::int64_t PointerChase::*size, std::size_t most)
{
    if (chases.empty()) {
        return;
    }
    std::ranges::stable_sort(chases, {}, size);
    const auto least = static_cast<double>(chases.front().*size);
    const double ratio = std::pow(static_cast<double>(chases.back().*size) / least,
                                  1.0 / static_cast<double>(most - 1));
    double next = least;
    std::size_t count = 0;
    for (const PointerChase& chase : chases) {
        const auto own = static_cast<double>(chase.*size);
        if (own >= next && count < most) {
            taken.push_back(chase);
            ++count;
            // Not by what was taken, or the last ones would not be reached.
            while (next <= own) {
                next = std::max(next * ratio, next + 1e-6);
            }
        }
    }
}

TexelWalk walk_of(const PointerChase& chase, std::int64_t number)
{
    TexelWalk walk{number, {}};
    walk.texels.reserve(static_cast<std::size_t>(chase.reads));
    std::int64_t at = 0;
    for (std::int64_t i = 0; i < chase.reads; ++i) {
        walk.texels.push_back({static_cast<std::int32_t>(at), 0});
        at = (at + chase.stride) % chase.texels;
    }
    return walk;
}

} // namespace

std::vector<PointerChase> parse_archprobe_table(std::istream& in, const std::string& path)
{
    std::vector<PointerChase> chases;
    traces::for_each_line(in, path, [&](std::string_view line, std::int64_t number) {
        const std::string where = fmt::format("{}:{}", path, number);
        if (number == 1) {
            if (line != table_header) {
                throw bad_input(fmt::format("the first line is not the header '{}'", table_header),
                                where,
                                "without latencies only ArchProbe's ImageCacheHierarchyPChase.csv "
                                "is read; give walks their --latencies");
            }
            return;
        }
        if (line.empty()) {
            return;
        }
        std::array<double, 4> row{};
        constexpr double most_reads = 1 << 30;
        if (!numbers_of(line, row) || !(row[2] >= 1 && row[2] <= most_reads) || !(row[3] > 0) ||
            !std::isfinite(row[3])) {
            throw bad_input(fmt::format("not a range, a stride, a number of reads and a time: '{}'",
                                        printable(line)),
                            where, fmt::format("rows are {}", table_header));
        }
        const auto texels = texels_of(row[0]);
        const auto stride = texels_of(row[1]);
        if (!texels || !stride) {
            throw bad_input(fmt::format("range or stride is no multiple of {} bytes: '{}'",
                                        texel_bytes, printable(line)),
                            where, "ArchProbe's texels have 16 bytes");
        }
        const auto reads = static_cast<std::int64_t>(row[2]);
        constexpr double ns_per_us = 1000;
        chases.push_back(
            {*texels, *stride, reads, row[3] * ns_per_us / static_cast<double>(reads)});
    });
    return chases;
}

ArchProbeWalks archprobe_walks(const std::vector<PointerChase>& chases,
                               const std::optional<Image>& image, const std::string& path)
{
    if (image && (image->extent.height != 1 || image->bytes_per_texel.value != texel_bytes)) {
        throw bad_input("ArchProbe's image has one row of texels of 16 bytes", "--image",
                        "give WIDTHx1x16: chases over more texels are left out; or leave it out");
    }
    std::int64_t reads = 0;
    std::int64_t width = 1;
    for (const PointerChase& chase : chases) {
        reads = std::max(reads, chase.reads);
        width = std::max(width, chase.texels);
    }
    width = image ? image->extent.width : width;
    std::vector<PointerChase> usable;
    std::ranges::copy_if(chases, std::back_inserter(usable), [&](const PointerChase& chase) {
        return chase.reads == reads && chase.texels <= width;
    });
    if (usable.size() < 2) {
        throw bad_input(fmt::format("{} chases of {} reads are over at most {} texels",
                                    usable.size(), base::count_text(reads),
                                    base::count_text(width)),
                        path, "give a table with more of them, or a larger --image");
    }
    const std::int64_t least_stride = std::ranges::min(usable, {}, &PointerChase::stride).stride;
    const auto others =
        std::stable_partition(usable.begin(), usable.end(), [&](const PointerChase& chase) {
            return chase.stride == least_stride;
        });
    std::vector<PointerChase> taken;
    constexpr std::size_t most_ranges = 64;
    constexpr std::size_t most_strides = 32;
    take(taken, {usable.begin(), others}, &PointerChase::texels, most_ranges);
    take(taken, {others, usable.end()}, &PointerChase::stride, most_strides);
    constexpr std::int64_t most_reads = std::int64_t{1} << 26;
    if (reads > most_reads / std::ssize(taken)) {
        throw bad_input(fmt::format("{} chases of {} reads are too many", taken.size(),
                                    base::count_text(reads)),
                        path, "ArchProbe makes twice as many reads as an image is wide");
    }
    ArchProbeWalks walks;
    walks.chosen = fmt::format("{} of {} chases in {}, over at most {} texels", taken.size(),
                               base::count_text(std::ssize(chases)), path, base::count_text(width));
    walks.measured.extent = {static_cast<std::int32_t>(width), 1};
    walks.measured.bytes_per_texel = Bytes{texel_bytes};
    for (const PointerChase& chase : taken) {
        walks.measured.walks.push_back(walk_of(chase, std::ssize(walks.measured.walks)));
        walks.measured.ns_per_read.push_back(chase.ns_per_read);
    }
    validate(walks.measured);
    return walks;
}

ArchProbeWalks read_archprobe_walks(const std::string& path, const std::optional<Image>& image)
{
    std::vector<PointerChase> chases;
    traces::read_stream(path, [&](std::istream& in) { chases = parse_archprobe_table(in, path); });
    return archprobe_walks(chases, image, path);
}

} // namespace texelscope::model
