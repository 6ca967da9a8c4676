// Replay of recorded launches: work-groups of other sizes, buffers, layers. The oracle walks over
// the work-items one by one, with the reads that each of them made.

#include "base/error.hpp"
#include "tests/base/temporary_folder.hpp"
#include "tests/traces/random_trace.hpp"
#include "traces/native/trace_file.hpp"
#include "traces/native/trace_writer.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>

using namespace texelscope::traces;
using namespace texelscope::test;
using Catch::Matchers::Contains;

namespace {

using ReplaySizes = std::array<std::int64_t, 3>;

struct ReplayPlace {
    std::int64_t group = 0;
    std::int64_t item = 0;
};

/// Where each work-item is, by its id: work-items are met in order, and each takes the next number
/// of its group.
std::map<ReplaySizes, ReplayPlace> replay_places(const ReplaySizes& global,
                                                 const ReplaySizes& local)
{
    std::map<ReplaySizes, std::int64_t> count; // by the group's z, y, x
    std::map<ReplaySizes, std::pair<ReplaySizes, std::int64_t>> found;
    for (std::int64_t z = 0; z < global[2]; ++z) {
        for (std::int64_t y = 0; y < global[1]; ++y) {
            for (std::int64_t x = 0; x < global[0]; ++x) {
                const ReplaySizes group{z / local[2], y / local[1], x / local[0]};
                found[{x, y, z}] = {group, count[group]++};
            }
        }
    }
    std::map<ReplaySizes, std::int64_t> number;
    for (const auto& [group, items] : count) {
        number.emplace(group, static_cast<std::int64_t>(number.size()));
    }
    std::map<ReplaySizes, ReplayPlace> places;
    for (const auto& [id, place] : found) {
        places[id] = {number[place.first], place.second};
    }
    return places;
}

TracedAccess replay_buffer_access(AccessKind kind, int object, std::int64_t offset, int bytes)
{
    TracedAccess access;
    access.kind = kind;
    access.object = static_cast<std::uint16_t>(object);
    access.offset = offset;
    access.bytes = bytes;
    return access;
}

constexpr std::int64_t replay_buffer_bytes = 5000;

/// Images of every kind; buffers that are read in elements of one size, in vectors and scalars, and
/// anyhow; groups that the global size does not fill; work-items that do nothing, or less.
Recording random_replay(Random& random)
{
    Recording made;
    TracedLaunch& launch = made.launch;
    launch.kernel = "k";
    launch.global = {random.small(1, 20), random.small(1, 6), random.small(1, 3)};
    launch.local = {random.small(1, 8), random.small(1, 4), random.small(1, 2)};
    constexpr std::array<ImageKind, 6> kinds{ImageKind::two,       ImageKind::one,
                                             ImageKind::one_array, ImageKind::two_array,
                                             ImageKind::three,     ImageKind::one_buffer};
    const int images = random.small(1, 4);
    for (int i = 0; i < images; ++i) {
        TracedImage image;
        image.name = "I" + std::to_string(i);
        image.kind = kinds[static_cast<std::size_t>(random.small(0, 5))];
        image.width = random.small(1, 30);
        image.height = random.small(1, 20);
        const bool layered = image.kind == ImageKind::one_array ||
                             image.kind == ImageKind::two_array || image.kind == ImageKind::three;
        image.depth = layered ? random.small(1, 5) : 1;
        image.address_mode = random.one_in(2) ? AddressMode::edge : AddressMode::border;
        launch.images.push_back(image);
    }
    for (const char* name : {"same", "vectors", "any"}) {
        launch.buffers.push_back({name, replay_buffer_bytes, -1});
    }
    const int element = 1 << random.small(0, 5);
    const auto access_of_item = [&](int step, const ReplaySizes& id) {
        if (random.one_in(2)) {
            TracedAccess access;
            access.kind = random.one_in(5) ? AccessKind::image_write : AccessKind::image_read;
            access.object = static_cast<std::uint16_t>(random.small(0, images - 1));
            access.x = static_cast<std::int32_t>(id[0]) + step - 2;
            access.y = static_cast<std::int32_t>(id[1]) + random.small(-1, 1);
            access.z = launch.images[access.object].depth > 1 ||
                               launch.images[access.object].kind == ImageKind::three
                           ? random.small(-1, 6)
                           : 0;
            return access;
        }
        const auto kind = random.one_in(4) ? AccessKind::buffer_write : AccessKind::buffer_read;
        const int buffer = random.small(0, 2);
        if (buffer == 0) {
            return replay_buffer_access(kind, 0, (id[0] + id[1] * 20 + step) * element, element);
        }
        if (buffer == 1) {
            const int bytes = random.one_in(2) ? 4 : 12;
            return replay_buffer_access(kind, 1, (id[0] * 3 + step) * 4, bytes);
        }
        return replay_buffer_access(kind, 2, random.between(-20, replay_buffer_bytes + 20),
                                    random.small(0, 40));
    };
    const int steps = random.small(0, 12);
    std::map<std::int64_t, std::vector<TracedItem>> groups;
    for (const auto& [id, place] : replay_places(launch.global, launch.local)) {
        TracedItem item{static_cast<std::int32_t>(place.item), {}};
        const int own = random.one_in(4) ? random.small(0, steps) : steps;
        for (int step = 0; step < own; ++step) {
            item.accesses.push_back(access_of_item(step, id));
        }
        if (!item.accesses.empty() && !random.one_in(20)) {
            groups[place.group].push_back(std::move(item));
        }
    }
    for (auto& [group, items] : groups) {
        std::ranges::sort(items, {}, &TracedItem::item);
        made.groups.emplace_back(group, std::move(items));
    }
    return made;
}

/// What an image read touches; "-": no memory.
std::string replay_touch(const TracedAccess& access, const TracedImage& image)
{
    const bool is_array = image.kind == ImageKind::one_array || image.kind == ImageKind::two_array;
    const auto beyond = [](std::int32_t at, std::int32_t size) { return at < 0 || at >= size; };
    if (image.address_mode == AddressMode::border &&
        (beyond(access.x, image.width) || beyond(access.y, image.height) ||
         (!is_array && beyond(access.z, image.depth)))) {
        return "-";
    }
    const std::string layer =
        image.depth > 1 ? fmt::format("[{}]", std::clamp(access.z, 0, image.depth - 1)) : "";
    return fmt::format("{}{} {},{}", image.name, layer, std::clamp(access.x, 0, image.width - 1),
                       std::clamp(access.y, 0, image.height - 1));
}

/// The largest power of two up to 16 that divides all offsets and sizes of reads of a buffer.
std::int64_t replay_texel(const Recording& recording, int buffer)
{
    for (std::int64_t bytes = 16; bytes > 1; bytes /= 2) {
        bool divides = true;
        for (const auto& [group, items] : recording.groups) {
            for (const TracedItem& item : items) {
                for (const TracedAccess& access : item.accesses) {
                    divides =
                        divides && (access.kind != AccessKind::buffer_read ||
                                    access.object != buffer || access.bytes == 0 ||
                                    (access.offset % bytes == 0 && access.bytes % bytes == 0));
                }
            }
        }
        if (divides) {
            return bytes;
        }
    }
    return 1;
}

/// What a work-item touches, step by step.
std::vector<std::string> replay_touches(const TracedItem& item, const Recording& recording,
                                        bool buffers, const std::vector<std::int64_t>& texels)
{
    std::vector<std::string> touches;
    for (const TracedAccess& access : item.accesses) {
        if (access.kind == AccessKind::image_read) {
            touches.push_back(replay_touch(access, recording.launch.images[access.object]));
        }
        if (access.kind == AccessKind::buffer_read && buffers) {
            const std::int64_t texel = texels[access.object];
            for (std::int64_t at = access.offset; at < access.offset + access.bytes; at += texel) {
                const auto& buffer = recording.launch.buffers[access.object];
                touches.push_back(at < 0 || at >= buffer.bytes
                                      ? "-"
                                      : fmt::format("{} {}+{}", buffer.name, at, texel));
            }
        }
    }
    return touches;
}

/// The same of a lane of a source.
std::string replay_touch(const LaneRead& read, std::span<const Image> images)
{
    const Image& image = images[read.image];
    if (image.address_mode == AddressMode::border && !image.extent.contains(read.texel)) {
        return "-";
    }
    const Texel texel = image.extent.clamp(read.texel);
    return image.buffer ? fmt::format("{} {}+{}", image.name, texel.x * image.bytes_per_texel.value,
                                      image.bytes_per_texel.value)
                        : fmt::format("{} {},{}", image.name, texel.x, texel.y);
}

/// group, warp, step, lane -> what is touched
using ReplayTouches =
    std::map<std::tuple<std::int64_t, std::int64_t, std::uint32_t, std::int64_t>, std::string>;

ReplayTouches replay_expected(const Recording& recording, const ReplayOptions& options,
                              int warp_size)
{
    std::vector<std::int64_t> texels;
    for (int buffer = 0; buffer < 3; ++buffer) {
        texels.push_back(replay_texel(recording, buffer));
    }
    std::map<std::pair<std::int64_t, std::int64_t>, const TracedItem*> did;
    for (const auto& [group, items] : recording.groups) {
        for (const TracedItem& item : items) {
            did[{group, item.item}] = &item;
        }
    }
    const auto after =
        replay_places(recording.launch.global, options.local.value_or(recording.launch.local));
    ReplayTouches touched;
    for (const auto& [id, before] :
         replay_places(recording.launch.global, recording.launch.local)) {
        const auto item = did.find({before.group, before.item});
        if (item == did.end()) {
            continue;
        }
        const ReplayPlace now = after.at(id);
        std::uint32_t step = 0;
        for (const std::string& touch :
             replay_touches(*item->second, recording, options.buffers, texels)) {
            touched[{now.group, now.item / warp_size, step++, now.item % warp_size}] = touch;
        }
    }
    return touched;
}

/// What a source says; every warp that it names reads something, in order.
ReplayTouches replay_found(const TraceSource& source, int warp_size, bool repeated)
{
    ReplayTouches touched;
    WarpAccess access;
    for (std::int64_t group = source.next_group(0); group < source.group_count();
         group = source.next_group(group + 1)) {
        for (const std::int32_t warp : source.warps(group, warp_size)) {
            const auto stream = source.open(group, warp, warp_size);
            std::int64_t last_step = -1;
            while (repeated ? stream->next_repeated(access) : stream->next(access)) {
                std::vector<LaneRead> lanes =
                    access.repeated ? access.repeated->lanes : access.lanes;
                for (LaneRead& read : lanes) {
                    read.texel.x += access.repeated ? access.shift.x : 0;
                    read.texel.y += access.repeated ? access.shift.y : 0;
                }
                REQUIRE(access.step > last_step);
                REQUIRE_FALSE(lanes.empty());
                REQUIRE(std::ranges::adjacent_find(lanes, std::ranges::greater_equal(),
                                                   &LaneRead::lane) == lanes.end());
                last_step = access.step;
                for (const LaneRead& read : lanes) {
                    REQUIRE(touched
                                .emplace(std::tuple(group, std::int64_t{warp}, access.step,
                                                    std::int64_t{read.lane}),
                                         replay_touch(read, source.images()))
                                .second);
                }
            }
            REQUIRE(last_step >= 0);
        }
    }
    return touched;
}

TraceFile replay_file(const TemporaryFolder& folder, const Recording& recording)
{
    const std::string path = folder.file("replay.tst");
    write_recordings(path, {recording});
    return TraceFile(path);
}

std::string replay_error(const TraceFile& file, const ReplayOptions& options)
{
    try {
        (void)file.source(0, options);
    } catch (const Error& error) {
        CHECK(error.kind() == Error::Kind::bad_input);
        CHECK(std::string(error.what()).find('\n') == std::string::npos);
        return error.what();
    }
    return "";
}

/// One group of four work-items; each reads a texel of an image.
Recording replayed_row()
{
    Recording made;
    made.launch.kernel = "row";
    made.launch.global = {4, 1, 1};
    made.launch.local = {4, 1, 1};
    made.launch.images.resize(1);
    made.launch.images[0].name = "A";
    made.launch.images[0].width = 64;
    made.groups.push_back({0, {}});
    for (std::int32_t item = 0; item < 4; ++item) {
        made.groups[0].second.push_back({item, {{AccessKind::image_read, 0, item, 0}}});
    }
    return made;
}

} // namespace

TEST_CASE("a replayed launch has the reads of its work-items, in whatever groups")
{
    const TemporaryFolder folder;
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Recording recording = random_replay(random);
        const TraceFile file = replay_file(folder, recording);
        for (const bool buffers : {false, true}) {
            for (const bool regrouped : {false, true}) {
                ReplayOptions options;
                options.buffers = buffers;
                if (regrouped) {
                    options.local = {random.small(1, 24), random.small(1, 7), random.small(1, 3)};
                }
                const int warp_size = random.one_in(2) ? 4 : random.small(1, 70);
                CAPTURE(buffers, regrouped, warp_size);
                const auto source = file.source(0, options);
                const ReplayTouches expected = replay_expected(recording, options, warp_size);
                REQUIRE(replay_found(*source, warp_size, false) == expected);
                REQUIRE(replay_found(*source, warp_size, true) == expected);
            }
        }
    }
}

TEST_CASE("the lines that replayed buffer reads touch are those of their bytes")
{
    const TemporaryFolder folder;
    for (std::uint64_t seed = 200; seed <= 240; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Recording recording = random_replay(random);
        const auto source = replay_file(folder, recording).source(0, {{}, true});
        for (const std::int64_t line : {16, 32, 64}) {
            std::set<std::tuple<std::string, std::int64_t>> expected;
            for (const auto& [group, items] : recording.groups) {
                for (const TracedItem& item : items) {
                    for (const TracedAccess& access : item.accesses) {
                        for (std::int64_t byte = 0;
                             access.kind == AccessKind::buffer_read && byte < access.bytes;
                             ++byte) {
                            const std::int64_t at = access.offset + byte;
                            if (at >= 0 && at < replay_buffer_bytes) {
                                expected.emplace(recording.launch.buffers[access.object].name,
                                                 at / line);
                            }
                        }
                    }
                }
            }
            std::set<std::tuple<std::string, std::int64_t>> found;
            WarpAccess access;
            for (std::int64_t group = source->next_group(0); group < source->group_count();
                 group = source->next_group(group + 1)) {
                for (const std::int32_t warp : source->warps(group, 64)) {
                    const auto stream = source->open(group, warp, 64);
                    while (stream->next(access)) {
                        for (const LaneRead& read : access.lanes) {
                            const Image& image = source->images()[read.image];
                            if (image.buffer && image.extent.contains(read.texel)) {
                                found.emplace(image.name,
                                              read.texel.x * image.bytes_per_texel.value / line);
                            }
                        }
                    }
                }
            }
            REQUIRE(found == expected);
        }
    }
}

TEST_CASE("only layers and buffers that are read are there, and rows of texels are linear")
{
    const TemporaryFolder folder;
    Recording made = replayed_row();
    made.launch.images[0].depth = 100;
    made.launch.images[0].kind = ImageKind::two_array;
    made.launch.images.push_back(
        {"B", 8, 1, 3, "", 4, -1, AddressMode::border, ImageKind::one_array});
    made.launch.buffers = {{"in", 64, 1}, {"out", std::int64_t{1} << 60, 2}};
    auto& items = made.groups[0].second;
    items[0].accesses = {{AccessKind::image_read, 0, 0, 0, 7},
                         {AccessKind::image_read, 1, 1, 0, 2}};
    items[1].accesses = {{AccessKind::image_read, 0, 0, 0, 300}};
    items[2].accesses = {replay_buffer_access(AccessKind::buffer_read, 0, 8, 8),
                         replay_buffer_access(AccessKind::buffer_write, 1, 0, 4)};
    items.pop_back();
    const TraceFile file = replay_file(folder, made);
    const auto source = file.source(0, {{}, true});
    std::vector<std::string> names;
    for (const Image& image : source->images()) {
        names.push_back(image.name);
    }
    CHECK(names == std::vector<std::string>{"A[7]", "A[99]", "B[2]", "in"});
    CHECK(source->images()[0].row_multiple == 0);
    CHECK(source->images()[2].row_multiple == 1);
    CHECK(source->images()[3].buffer);
    CHECK(source->images()[3].bytes_per_texel == Bytes{8});
    CHECK(source->images()[3].extent == Extent2D{8, 1});
    CHECK(file.source(0)->images().size() == 3);
}

TEST_CASE("steps that a trace leaves out stay out in other groups")
{
    const TemporaryFolder folder;
    const std::string path = folder.file("gaps.tst");
    {
        const Recording row = replayed_row();
        TraceWriter writer(path, "gaps");
        writer.begin_launch(row.launch);
        const std::vector<StepRow> late{{2, AccessKind::image_read, 0, 5, 0, 0, 0}};
        const std::vector<StepRow> first{{0, AccessKind::image_read, 0, 1, 0, 0, 0},
                                         {3, AccessKind::image_read, 0, 2, 0, 0, 0}};
        writer.add_step(0, 2, first);
        writer.add_step(0, 9, late);
        writer.end_launch();
        writer.finish();
    }
    const auto source = TraceFile(path).source(0, {ReplaySizes{2, 1, 1}, false});
    const ReplayTouches expected{
        {{0, 0, 2, 0}, "A 1,0"}, {{1, 0, 2, 1}, "A 2,0"}, {{1, 0, 9, 0}, "A 5,0"}};
    CHECK(replay_found(*source, 4, false) == expected);
}

TEST_CASE("what cannot be replayed is refused in a line")
{
    const TemporaryFolder folder;
    const TraceFile row = replay_file(folder, replayed_row());
    for (const ReplaySizes& local : {ReplaySizes{0, 1, 1}, ReplaySizes{4, -1, 1}}) {
        CHECK_THAT(replay_error(row, {local, false}),
                   Contains("a work-group cannot have") && Contains("local size"));
    }
    // as many as there are
    CHECK(replay_error(row, {ReplaySizes{1 << 22, 1, 1}, false}).empty());

    Recording large = replayed_row();
    large.launch.global = {1 << 22, 1, 1};
    CHECK_THAT(replay_error(replay_file(folder, large), {ReplaySizes{1 << 22, 1, 1}, false}),
               Contains("4194304x1x1"));

    Recording beyond = replayed_row();
    beyond.groups[0].second[3].item = 40;
    CHECK_THAT(replay_error(replay_file(folder, beyond), {ReplaySizes{2, 1, 1}, false}),
               Contains("work-item 40 of work-group 0"));
    CHECK(replay_error(replay_file(folder, beyond), {ReplaySizes{4, 1, 1}, false}).empty());
    beyond = replayed_row();
    beyond.groups[0].first = 7;
    CHECK_THAT(replay_error(replay_file(folder, beyond), {ReplaySizes{2, 1, 1}, false}),
               Contains("work-group 7 is beyond the 1 groups"));

    Recording huge = replayed_row();
    huge.launch.buffers = {{"big", std::int64_t{1} << 40, 1}};
    huge.groups[0].second[0].accesses = {replay_buffer_access(AccessKind::buffer_read, 0, 0, 16)};
    CHECK_THAT(replay_error(replay_file(folder, huge), {{}, true}),
               Contains("buffer big of 1099511627776 bytes"));
    CHECK(replay_error(replay_file(folder, huge), {}).empty());
}
