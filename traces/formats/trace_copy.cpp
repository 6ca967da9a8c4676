#include "traces/formats/trace_copy.hpp"

#include "traces/launch.hpp"
#include "traces/native/trace_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace texelscope::traces {
namespace {

constexpr int all_items = 32768; // of a group in one stream; larger groups have several

std::string text_of(const std::array<std::int64_t, 3>& sizes)
{
    return fmt::format("{}x{}x{}", sizes[0], sizes[1], sizes[2]);
}

std::string text_of(const TracedAccess& access, const TracedLaunch& launch)
{
    switch (access.kind) {
    case AccessKind::image_read:
    case AccessKind::image_write: {
        const TracedImage& image = launch.images[access.object];
        return fmt::format("a {} of {} at ({}, {}{})", access.kind == AccessKind::image_read ? "read" : "write",
                           image.name, access.x, access.y, image.depth > 1 ? fmt::format(", {}", access.z) : "");
    }
    case AccessKind::buffer_read:
    case AccessKind::buffer_write:
        break;
    }
    return fmt::format("a {} of {} bytes of buffer {} at {}", access.kind == AccessKind::buffer_read ? "read" : "write",
                       access.bytes, launch.buffers[access.object].name, access.offset);
}

/// The first difference of two launches' descriptions.
std::string difference(const TracedLaunch& a, const TracedLaunch& b)
{
    if (a.kernel != b.kernel) {
        return fmt::format("the kernel is {} in the first and {} in the second", a.kernel, b.kernel);
    }
    const auto sizes = [](const char* what, const auto& one, const auto& other) {
        return one == other
                   ? std::string()
                   : fmt::format("the {} is {} in the first and {} in the second", what, text_of(one), text_of(other));
    };
    for (std::string text : {sizes("global size", a.global, b.global), sizes("local size", a.local, b.local),
                             sizes("global offset", a.offset, b.offset)}) {
        if (!text.empty()) {
            return text;
        }
    }
    if (a.images.size() != b.images.size() || a.buffers.size() != b.buffers.size()) {
        return fmt::format("the first has {} images and {} buffers, the second {} and {}", a.images.size(),
                           a.buffers.size(), b.images.size(), b.buffers.size());
    }
    for (std::size_t i = 0; i < a.images.size(); ++i) {
        if (!(a.images[i] == b.images[i])) {
            const auto text = [](const TracedImage& image) {
                return fmt::format("{}:{}x{}x{} of {} bytes ({}, argument {}, {})", image.name, image.width,
                                   image.height, image.depth, image.bytes_per_texel,
                                   image.format.empty() ? "no format" : image.format, image.argument,
                                   image.address_mode == AddressMode::edge ? "edge" : "border");
            };
            return fmt::format("image {} is {} in the first and {} in the second", i, text(a.images[i]),
                               text(b.images[i]));
        }
    }
    for (std::size_t i = 0; i < a.buffers.size(); ++i) {
        if (!(a.buffers[i] == b.buffers[i])) {
            const auto text = [](const TracedBuffer& buffer) {
                return fmt::format("{} of {} bytes (argument {})", buffer.name, buffer.bytes, buffer.argument);
            };
            return fmt::format("buffer {} is {} in the first and {} in the second", i, text(a.buffers[i]),
                               text(b.buffers[i]));
        }
    }
    return {};
}

struct Found {
    std::int64_t group = 0;
    std::string text;
};

/// The first difference among the image reads, or among all else.
std::optional<Found> difference(const TraceFile& a, const TraceFile& b, int launch, bool reads)
{
    TraceSteps one(a, launch, reads);
    TraceSteps other(b, launch, reads);
    const TracedLaunch& in_a = a.launch(launch);
    const TracedLaunch& in_b = b.launch(launch);
    const char* what = reads ? "image read" : "access";
    const auto place = [&](const TraceSteps& steps, std::int32_t item) {
        return fmt::format("work-group {}, work-item {}, {} {}", steps.group(), item, what, steps.step());
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
            const TraceSteps& there = is_one ? one : other;
            const StepRow& row = there.rows().front();
            return Found{there.group(),
                         fmt::format("{} is {} in the {} trace and not there in the {}", place(there, row.item),
                                     text_of(access_of(row), is_one ? in_a : in_b), is_one ? "first" : "second",
                                     is_one ? "second" : "first")};
        }
        const auto [in_one, in_other] =
            std::mismatch(one.rows().begin(), one.rows().end(), other.rows().begin(), other.rows().end());
        if (in_one == one.rows().end() && in_other == other.rows().end()) {
            continue;
        }
        if (in_one != one.rows().end() && in_other != other.rows().end() && in_one->item == in_other->item) {
            return Found{one.group(),
                         fmt::format("{} is {} in the first trace and {} in the second", place(one, in_one->item),
                                     text_of(access_of(*in_one), in_a), text_of(access_of(*in_other), in_b))};
        }
        const bool is_one =
            in_one != one.rows().end() && (in_other == other.rows().end() || in_one->item < in_other->item);
        const StepRow& row = is_one ? *in_one : *in_other;
        return Found{one.group(), fmt::format("{} is {} in the {} trace and not there in the {}", place(one, row.item),
                                              text_of(access_of(row), is_one ? in_a : in_b),
                                              is_one ? "first" : "second", is_one ? "second" : "first")};
    }
}

} // namespace

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
    std::int64_t items = 1;
    for (std::int64_t group = source.next_group(0); group < source.group_count();
         group = source.next_group(group + 1)) {
        const auto warps = source.warps(group, 1); // a warp an item
        items = std::max<std::int64_t>(items, warps.empty() ? 0 : std::int64_t{warps.back()} + 1);
    }
    traced.local = {items, 1, 1};
    // Group numbers can be so large that no size holds them all.
    const std::int64_t groups = std::max<std::int64_t>(source.group_count(), 1);
    traced.global = {groups > std::numeric_limits<std::int64_t>::max() / items ? items : groups * items, 1, 1};
    return traced;
}

std::int64_t write_native(TraceWriter& writer, const TraceSource& source, const TracedLaunch& launch)
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
            parts.push_back({source.open(group, warp, all_items), std::int64_t{warp} * all_items, {}, false});
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
                        rows.push_back({static_cast<std::int32_t>(part.first_item + read.lane), AccessKind::image_read,
                                        read.image, read.texel.x, read.texel.y, 0, 0});
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
        const std::string described =
            compared == Compared::all ? difference(a.launch(launch), b.launch(launch)) : std::string();
        const std::string where = fmt::format("launch {} ({}): ", launch, a.launch(launch).kernel);
        if (!described.empty()) {
            return where + described;
        }
        const auto reads = difference(a, b, launch, true);
        const auto others = difference(a, b, launch, false);
        if (reads || others) {
            return where + (reads && (!others || reads->group <= others->group) ? reads->text : others->text);
        }
    }
    if (a.launch_count() != b.launch_count()) {
        return fmt::format("the first trace has {} launches, the second {}", a.launch_count(), b.launch_count());
    }
    return {};
}

} // namespace texelscope::traces
