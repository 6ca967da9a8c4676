#include "cli/trace_text.hpp"

#include "cli/terminal.hpp"
#include "traces/access_walk.hpp"
#include "traces/native/trace_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace texelscope::cli {
namespace {

constexpr int one_warp = 64; // only to walk over the work-items
constexpr std::array<const char*, 4> kind_names{"read", "write", "buffer read", "buffer write"};

std::string name_of(const StepRow& row, const TracedLaunch& launch)
{
    return is_image(row.kind) ? launch.images[row.object].name : launch.buffers[row.object].name;
}

} // namespace

LaunchReport launch_report(const TracedLaunch& launch, const TraceTotals& totals, int number)
{
    LaunchReport report;
    report.json = {{"kernel", launch.kernel},
                   {"global", launch.global},
                   {"local", launch.local},
                   {"offset", launch.offset},
                   {"groups", totals.groups}};
    ordered_json images = ordered_json::array();
    std::vector<std::vector<std::string>> rows;
    for (std::size_t i = 0; i < launch.images.size(); ++i) {
        const TracedImage& image = launch.images[i];
        images.push_back({{"id", image.name},
                          {"width", image.width},
                          {"height", image.height},
                          {"depth", image.depth},
                          {"bytes", image.bytes_per_texel},
                          {"format", image.format},
                          {"argument", image.argument},
                          {"address", image.address_mode == AddressMode::edge ? "edge" : "border"},
                          {"reads", totals.reads[i]},
                          {"writes", totals.writes[i]}});
        rows.push_back({image.name,
                        image.depth > 1 ? fmt::format("{}x{}x{}", image.width, image.height, image.depth)
                                        : fmt::format("{}x{}", image.width, image.height),
                        image.format.empty() ? "-" : image.format, std::to_string(image.bytes_per_texel),
                        count_text(totals.reads[i]), count_text(totals.writes[i])});
    }
    ordered_json buffers = ordered_json::array();
    for (std::size_t i = 0; i < launch.buffers.size(); ++i) {
        const TracedBuffer& buffer = launch.buffers[i];
        buffers.push_back({{"id", buffer.name},
                           {"bytes", buffer.bytes},
                           {"argument", buffer.argument},
                           {"reads", totals.buffer_reads[i]},
                           {"writes", totals.buffer_writes[i]}});
        rows.push_back({buffer.name, fmt::format("{} bytes", count_text(buffer.bytes)), "buffer", "-",
                        count_text(totals.buffer_reads[i]), count_text(totals.buffer_writes[i])});
    }
    report.json["images"] = images;
    report.json["buffers"] = buffers;
    report.json["reads"] = sum_of(totals.reads);
    report.text =
        fmt::format("launch {}: {}, {}x{}x{} work-items in groups of {}x{}x{}: {} reads by {} work-groups\n", number,
                    launch.kernel, launch.global[0], launch.global[1], launch.global[2], launch.local[0],
                    launch.local[1], launch.local[2], count_text(sum_of(totals.reads)), count_text(totals.groups)) +
        format_table({"image", "texels", "format", "bytes per texel", "reads", "writes"}, rows);
    return report;
}

TraceTotals counted_totals(const TraceSource& source)
{
    TraceTotals totals;
    totals.reads.resize(source.images().size());
    totals.writes.resize(source.images().size());
    std::int64_t last_group = -1;
    for (AccessWalk walk(source, one_warp); walk.next(); last_group = walk.group()) {
        totals.groups += walk.group() == last_group ? 0 : 1;
        for (const LaneRead& read : walk.access().lanes) {
            ++totals.reads[read.image];
            totals.items = std::max(totals.items, std::int64_t{walk.item(read)} + 1);
        }
    }
    return totals;
}

std::vector<HeadRow> head(const TraceFile& file, int launch, std::int64_t count)
{
    std::vector<HeadRow> rows;
    const auto full = [&] { return static_cast<std::int64_t>(rows.size()) >= count; };
    if (!TraceSteps(file, launch, false).next()) { // image reads alone: their steps are the program order
        for (TraceSteps reads(file, launch, true); !full() && reads.next();) {
            for (const StepRow& row : reads.rows()) {
                if (!full()) {
                    rows.push_back({reads.group(), reads.step(), row});
                }
            }
        }
        return rows;
    }
    const GroupTable& groups = file.groups(launch);
    for (std::size_t i = 0; i < groups.size() && !full(); ++i) {
        const std::vector<TracedItem> items = file.group(launch, groups.group(i));
        std::vector<std::uint32_t> reads(items.size());
        bool more = true;
        for (std::uint32_t place = 0; more && !full(); ++place) {
            more = false;
            for (std::size_t k = 0; k < items.size() && !full(); ++k) {
                if (place < items[k].accesses.size()) {
                    const StepRow row = row_of(items[k].item, items[k].accesses[place]);
                    rows.push_back({groups.group(i), row.kind == AccessKind::image_read ? reads[k]++ : place, row});
                    more = true;
                }
            }
        }
    }
    return rows;
}

std::vector<HeadRow> head(const TraceSource& source, std::int64_t count)
{
    std::vector<HeadRow> rows;
    AccessWalk walk(source, one_warp);
    while (static_cast<std::int64_t>(rows.size()) < count && walk.next()) {
        for (const LaneRead& read : walk.access().lanes) {
            if (static_cast<std::int64_t>(rows.size()) < count) {
                rows.push_back(
                    {walk.group(),
                     walk.access().step,
                     {walk.item(read), AccessKind::image_read, read.image, read.texel.x, read.texel.y, 0, 0}});
            }
        }
    }
    return rows;
}

std::string to_text(const std::vector<HeadRow>& rows, const TracedLaunch& launch)
{
    std::vector<std::vector<std::string>> cells;
    for (const HeadRow& one : rows) {
        const StepRow& row = one.row;
        std::string place = fmt::format("{} bytes at {}", row.bytes, row.x);
        if (is_image(row.kind)) {
            place = launch.images[row.object].depth > 1 ? fmt::format("({}, {}, {})", row.x, row.y, row.z)
                                                        : fmt::format("({}, {})", row.x, row.y);
        }
        cells.push_back({std::to_string(one.group), std::to_string(row.item), std::to_string(one.step),
                         kind_names[static_cast<std::size_t>(row.kind)], name_of(row, launch), place});
    }
    return format_table({"group", "item", "step", "access", "of", "at"}, cells);
}

ordered_json to_json(const std::vector<HeadRow>& rows, const TracedLaunch& launch)
{
    ordered_json list = ordered_json::array();
    for (const HeadRow& one : rows) {
        const StepRow& row = one.row;
        ordered_json entry{{"group", one.group},
                           {"item", row.item},
                           {"step", one.step},
                           {"access", kind_names[static_cast<std::size_t>(row.kind)]},
                           {"id", name_of(row, launch)}};
        if (is_image(row.kind)) {
            entry["x"] = row.x;
            entry["y"] = row.y;
            entry["z"] = row.z;
        } else {
            entry["offset"] = row.x;
            entry["bytes"] = row.bytes;
        }
        list.push_back(std::move(entry));
    }
    return list;
}

} // namespace texelscope::cli
