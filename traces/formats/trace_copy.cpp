#include "traces/formats/trace_copy.hpp"

#include "traces/launch.hpp"
#include "traces/native/trace_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace texelscope::traces {
namespace {

// Work-items that one stream yields as if they were one warp. A larger group has several streams,
// which are merged.
constexpr int all_items = 32768;

std::string text_of(const TracedImage& image)
{
    return fmt::format("{}:{}x{}x{} of {} bytes ({}, {}, argument {}, {})", image.name, image.width,
                       image.height, image.depth, image.bytes_per_texel, to_string(image.kind),
                       image.format.empty() ? "no format" : image.format, image.argument,
                       image.address_mode == AddressMode::edge ? "edge" : "border");
}

std::string text_of(const TracedBuffer& buffer)
{
    return fmt::format("{} of {} bytes (argument {})", buffer.name, buffer.bytes, buffer.argument);
}

std::string text_of(const TracedAccess& access, const TracedLaunch& launch)
{
    const bool reads =
        access.kind == AccessKind::image_read || access.kind == AccessKind::buffer_read;
    const char* what = reads ? "read" : "write";
    if (!is_image(access.kind)) {
        return fmt::format("a {} of {} bytes of buffer {} at {}", what, access.bytes,
                           launch.buffers[access.object].name, access.offset);
    }
    const TracedImage& image = launch.images[access.object];
    return fmt::format("a {} of {} at ({}, {}{})", what, image.name, access.x, access.y,
                       image.depth > 1 ? fmt::format(", {}", access.z) : "");
}

/// The first difference between the descriptions of two launches, in words; empty where there is
/// none.
std::string difference(const TracedLaunch& a, const TracedLaunch& b)
{
    const auto told = [](const std::string& what, const std::string& one,
                         const std::string& other) {
        return fmt::format("{} is {} in the first and {} in the second", what, one, other);
    };
    if (a.kernel != b.kernel) {
        return told("the kernel", a.kernel, b.kernel);
    }
    using Sizes = std::array<std::int64_t, 3>;
    for (const auto& [what, sizes] : {std::pair("the global size", &TracedLaunch::global),
                                      std::pair("the local size", &TracedLaunch::local),
                                      std::pair("the global offset", &TracedLaunch::offset)}) {
        const Sizes& one = a.*sizes;
        const Sizes& other = b.*sizes;
        if (one != other) {
            return told(what, size_text(one), size_text(other));
        }
    }
    if (a.images.size() != b.images.size() || a.buffers.size() != b.buffers.size()) {
        return fmt::format("the first has {} images and {} buffers, the second {} and {}",
                           a.images.size(), a.buffers.size(), b.images.size(), b.buffers.size());
    }
    const auto objects = [&](const char* what, const auto& ones, const auto& others) {
        const auto [one, other] = std::mismatch(ones.begin(), ones.end(), others.begin());
        return one == ones.end() ? std::string()
                                 : told(fmt::format("{} {}", what, one - ones.begin()),
                                        text_of(*one), text_of(*other));
    };
    const std::string images = objects("image", a.images, b.images);
    return images.empty() ? objects("buffer", a.buffers, b.buffers) : images;
}

// A difference of accesses, with the group it is in, so that the earlier one can be reported.
struct Found {
    std::int64_t group = 0;
    std::string text;
};

/// The first difference among the image reads of a launch, or among its other accesses. Both traces
/// are walked side by side in order of group, step and item, so each row has at most one partner.
std::optional<Found> difference(const TraceFile& a, const TraceFile& b, int launch, bool reads)
{
    TraceSteps one(a, launch, reads);
    TraceSteps other(b, launch, reads);
    const TracedLaunch& in_a = a.launch(launch);
    const TracedLaunch& in_b = b.launch(launch);
    const char* what = reads ? "image read" : "access";
    const auto place = [&](const TraceSteps& steps, std::int32_t item) {
        return fmt::format("work-group {}, work-item {}, {} {}", steps.group(), item, what,
                           steps.step());
    };
    // Says that a row of one trace has no partner in the other.
    const auto lacking = [&](bool is_one, const StepRow& row) {
        const TraceSteps& there = is_one ? one : other;
        return Found{there.group(),
                     fmt::format("{} is {} in the {} trace and not there in the {}",
                                 place(there, row.item),
                                 text_of(access_of(row), is_one ? in_a : in_b),
                                 is_one ? "first" : "second", is_one ? "second" : "first")};
    };
    while (true) {
        const bool has_one = one.next();
        const bool has_other = other.next();
        if (!has_one && !has_other) {
            return std::nullopt;
        }
        const auto key = [](const TraceSteps& s) { return std::pair(s.group(), s.step()); };
        if (!has_one || !has_other || key(one) != key(other)) {
            const bool is_one = has_one && (!has_other || key(one) < key(other));
            return lacking(is_one, (is_one ? one : other).rows().front());
        }
        const auto [in_one, in_other] = std::mismatch(one.rows().begin(), one.rows().end(),
                                                      other.rows().begin(), other.rows().end());
        const bool at_end = in_one == one.rows().end();
        const bool other_at_end = in_other == other.rows().end();
        if (at_end && other_at_end) {
            continue;
        }
        if (!at_end && !other_at_end && in_one->item == in_other->item) {
            return Found{one.group(),
                         fmt::format("{} is {} in the first trace and {} in the second",
                                     place(one, in_one->item), text_of(access_of(*in_one), in_a),
                                     text_of(access_of(*in_other), in_b))};
        }
        const bool is_one = !at_end && (other_at_end || in_one->item < in_other->item);
        return lacking(is_one, is_one ? *in_one : *in_other);
    }
}

} // namespace

std::int64_t reading_items(const TraceSource& source)
{
    std::int64_t items = 0;
    for (std::int64_t group = source.next_group(0); group < source.group_count();
         group = source.next_group(group + 1)) {
        const auto warps = source.warps(group, 1); // a warp an item
        items = std::max(items, warps.empty() ? 0 : std::int64_t{warps.back()} + 1);
    }
    return items;
}

TracedLaunch traced_launch(const TraceSource& source)
{
    TracedLaunch traced;
    traced.kernel = source.name();
    std::int32_t argument = 0;
    for (const Image& image : source.images()) {
        traced.images.push_back({image.name,
                                 image.extent.width,
                                 image.extent.height,
                                 1,
                                 {},
                                 static_cast<std::int32_t>(image.bytes_per_texel.value),
                                 source.launch() != nullptr ? argument++ : -1,
                                 image.address_mode});
    }
    if (const Launch* launch = source.launch()) {
        for (std::size_t i = 0; i < 3; ++i) {
            traced.local[i] = launch->local[i];
            traced.global[i] = std::int64_t{launch->groups[i]} * launch->local[i];
        }
        return traced;
    }
    const std::int64_t items = std::max<std::int64_t>(1, reading_items(source));
    traced.local = {items, 1, 1};
    // Where no number of work-items is large enough for all groups, the global size is that of a
    // single one. A trace file only needs it to be positive.
    // Group numbers can be so large that no size holds them all.
    const std::int64_t groups = std::max<std::int64_t>(source.group_count(), 1);
    traced.global = {
        groups > std::numeric_limits<std::int64_t>::max() / items ? items : groups * items, 1, 1};
    return traced;
}

// A step of the file has all work-items of a group, while a stream yields only up to all_items of
// them. So the streams of a group are merged by their step numbers.
std::int64_t write_native(TraceWriter& writer, const TraceSource& source,
                          const TracedLaunch& launch)
{
    struct Part {
        std::unique_ptr<WarpStream> stream;
        std::int64_t first_item = 0;
        WarpAccess access;
        bool pending = false;
    };
    std::int64_t reads = 0;
    writer.begin_launch(launch);
    std::vector<StepRow> rows;
    for (std::int64_t group = source.next_group(0); group < source.group_count();
         group = source.next_group(group + 1)) {
        std::vector<Part> parts;
        for (const std::int32_t warp : source.warps(group, all_items)) {
            parts.push_back(
                {source.open(group, warp, all_items), std::int64_t{warp} * all_items, {}, false});
            parts.back().pending = parts.back().stream->next(parts.back().access);
        }
        while (true) {
            std::optional<std::uint32_t> step;
            for (const Part& part : parts) {
                if (part.pending && (!step || part.access.step < *step)) {
                    step = part.access.step;
                }
            }
            if (!step) {
                break;
            }
            rows.clear();
            for (Part& part : parts) {
                if (part.pending && part.access.step == *step) {
                    for (const LaneRead& read : part.access.lanes) {
                        rows.push_back({static_cast<std::int32_t>(part.first_item + read.lane),
                                        AccessKind::image_read, read.image, read.texel.x,
                                        read.texel.y, 0, 0});
                    }
                    part.pending = part.stream->next(part.access);
                }
            }
            writer.add_step(group, *step, rows);
            reads += static_cast<std::int64_t>(rows.size());
        }
    }
    writer.end_launch();
    return reads;
}

// Image reads and other accesses are kept in chunks of their own, each ordered by group; the writer
// wants the groups of both in ascending order.
void copy_launch(TraceWriter& writer, const TraceFile& file, int launch)
{
    writer.begin_launch(file.launch(launch));
    TraceSteps reads(file, launch, true);
    TraceSteps others(file, launch, false);
    bool has_read = reads.next();
    bool has_other = others.next();
    while (has_read || has_other) {
        const bool read = has_read && (!has_other || reads.group() <= others.group());
        TraceSteps& next = read ? reads : others;
        writer.add_step(next.group(), next.step(), next.rows(), read);
        (read ? has_read : has_other) = next.next();
    }
    writer.end_launch();
}

std::string first_difference(const TraceFile& a, const TraceFile& b, Compared compared)
{
    for (int launch = 0; launch < std::min(a.launch_count(), b.launch_count()); ++launch) {
        const std::string described = compared == Compared::all
                                          ? difference(a.launch(launch), b.launch(launch))
                                          : std::string();
        const std::string where = fmt::format("launch {} ({}): ", launch, a.launch(launch).kernel);
        if (!described.empty()) {
            return where + described;
        }
        const auto reads = difference(a, b, launch, true);
        const auto others = difference(a, b, launch, false);
        if (reads || others) {
            return where + (reads && (!others || reads->group <= others->group) ? reads->text
                                                                                : others->text);
        }
    }
    if (a.launch_count() != b.launch_count()) {
        return fmt::format("the first trace has {} launches, the second {}", a.launch_count(),
                           b.launch_count());
    }
    return {};
}

} // namespace texelscope::traces
