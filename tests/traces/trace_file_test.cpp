#include "base/error.hpp"
#include "tests/traces/random_trace.hpp"
#include "traces/formats/trace_copy.hpp"
#include "traces/launch_source.hpp"
#include "traces/native/trace_steps.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <set>

using namespace texelscope::traces;
using namespace texelscope::test;
using Catch::Matchers::Contains;

namespace {

/// A file that goes away.
class TemporaryPath {
public:
    explicit TemporaryPath(const std::string& name)
        : path_((std::filesystem::temp_directory_path() /
                 ("texelscope-" + std::to_string(std::hash<std::string>{}(name)) + "-" +
                  std::to_string(reinterpret_cast<std::uintptr_t>(this)) + ".tst"))
                    .string())
    {}
    ~TemporaryPath() { std::filesystem::remove(path_); }
    TemporaryPath(const TemporaryPath&) = delete;
    TemporaryPath& operator=(const TemporaryPath&) = delete;
    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] std::string bytes() const
    {
        std::ifstream in(path_, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }

private:
    std::string path_;
};

std::string native_bytes(const std::vector<Recording>& launches, Random* shuffle = nullptr)
{
    const TemporaryPath file("bytes");
    write_recordings(file.path(), launches, shuffle);
    return file.bytes();
}

void check_same(const TraceFile& file, const std::vector<Recording>& launches)
{
    REQUIRE(file.launch_count() == static_cast<int>(launches.size()));
    for (int i = 0; i < file.launch_count(); ++i) {
        const Recording& launch = launches[static_cast<std::size_t>(i)];
        REQUIRE(file.launch(i) == launch.launch);
        REQUIRE(file.groups(i).size() == launch.groups.size());
        TraceTotals totals = empty_totals(launch.launch);
        totals.groups = static_cast<std::int64_t>(launch.groups.size());
        for (std::size_t g = 0; g < launch.groups.size(); ++g) {
            REQUIRE(file.groups(i).group(g) == launch.groups[g].first);
            REQUIRE(file.group(i, launch.groups[g].first) == launch.groups[g].second);
            for (const TracedItem& item : launch.groups[g].second) {
                totals.items = std::max(totals.items, std::int64_t{item.item} + 1);
                for (const TracedAccess& access : item.accesses) {
                    auto& counts = access.kind == AccessKind::image_read    ? totals.reads
                                   : access.kind == AccessKind::image_write ? totals.writes
                                   : access.kind == AccessKind::buffer_read ? totals.buffer_reads
                                                                            : totals.buffer_writes;
                    ++counts[access.object];
                }
            }
        }
        REQUIRE(file.totals(i) == totals);
    }
}

/// The k-th reads of the items of every warp, straight from the items.
void check_source(const TraceSource& source, const Recording& launch, int warp_size)
{
    // Image and layer, in their order: of images with layers, those that are read.
    std::set<std::pair<std::uint16_t, std::int32_t>> there;
    const auto layer_of = [&](const TracedAccess& access) {
        return std::clamp(access.z, 0, launch.launch.images[access.object].depth - 1);
    };
    for (std::size_t i = 0; i < launch.launch.images.size(); ++i) {
        if (launch.launch.images[i].depth == 1) {
            there.emplace(static_cast<std::uint16_t>(i), 0);
        }
    }
    for (const auto& [group, items] : launch.groups) {
        for (const TracedItem& item : items) {
            for (const TracedAccess& access : item.accesses) {
                if (access.kind == AccessKind::image_read) {
                    there.emplace(access.object, layer_of(access));
                }
            }
        }
    }
    REQUIRE(source.images().size() == there.size());
    for (const auto& [group, items] : launch.groups) {
        // warp, step
        std::map<std::int32_t, std::map<std::uint32_t, std::vector<LaneRead>>> expected;
        for (const TracedItem& item : items) {
            std::uint32_t step = 0;
            for (const TracedAccess& access : item.accesses) {
                if (access.kind != AccessKind::image_read) {
                    continue;
                }
                const bool beyond =
                    launch.launch.images[access.object].address_mode == AddressMode::border &&
                    layer_of(access) != access.z;
                const auto image = there.find({access.object, layer_of(access)});
                expected[item.item / warp_size][step].push_back(
                    {beyond ? Texel{-1, -1} : Texel{access.x, access.y},
                     static_cast<std::uint16_t>(std::distance(there.begin(), image)),
                     static_cast<std::uint16_t>(item.item % warp_size)});
                ++step;
            }
        }
        const auto warps = source.warps(group, warp_size);
        REQUIRE(warps.size() == expected.size());
        for (const std::int32_t warp : warps) {
            REQUIRE(expected.count(warp) == 1);
            const auto stream = source.open(group, warp, warp_size);
            WarpAccess access;
            for (const auto& [step, lanes] : expected[warp]) {
                REQUIRE(stream->next(access));
                REQUIRE(access.step == step);
                REQUIRE(access.lanes == lanes);
            }
            REQUIRE_FALSE(stream->next(access));
        }
    }
}

std::string reading_error(const std::string& bytes)
{
    try {
        const TraceFile file("t.tst", bytes);
        for (int i = 0; i < file.launch_count(); ++i) {
            for (const bool reads : {true, false}) {
                TraceSteps steps(file, i, reads);
                while (steps.next()) {
                }
            }
        }
    } catch (const Error& error) {
        CHECK(error.kind() == Error::Kind::bad_input);
        CHECK(std::string(error.what()).find('\n') == std::string::npos);
        return error.what();
    }
    return "";
}

} // namespace

TEST_CASE("a native trace holds what was written, in whatever order of items")
{
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        std::vector<Recording> launches;
        for (int i = random.small(1, 3); i > 0; --i) {
            launches.push_back(random_recording(random));
        }
        const std::string bytes = native_bytes(launches);
        REQUIRE(native_bytes(launches, &random) == bytes);
        const TraceFile file("t.tst", bytes);
        CHECK(file.program() == "made at random");
        CHECK(file.damages().empty());
        check_same(file, launches);
        for (int i = 0; i < file.launch_count(); ++i) {
            for (const int warp_size : {1, 4, 64}) {
                check_source(*file.source(i), launches[static_cast<std::size_t>(i)], warp_size);
            }
        }
    }
}

TEST_CASE("a launch written as a native trace reads the same")
{
    Launch launch;
    launch.kernel = "diagonal";
    launch.images = {{"A", {512, 512}, Bytes{16}, AddressMode::edge}};
    launch.groups = {3, 2, 1};
    launch.local = {8, 4, 1};
    const auto ids = work_item_variables(launch.groups, launch.local);
    const Variable k{slots::first_loop_slot, "k", {0, 39999}}; // steps beyond a chunk
    launch.body = {Loop{
        k, {AccessFunction{0, mod(IndexExpr(k), 512), IndexExpr(ids[1]) + IndexExpr(ids[4]) * 4}}}};
    const auto source = make_trace_source(launch);
    const TemporaryPath path("launch");
    TraceWriter writer(path.path(), "test");
    const std::int64_t reads = write_native(writer, *source, traced_launch(*source));
    writer.finish();
    CHECK(reads == 6 * 32 * 40000);
    const TraceFile file(path.path());
    CHECK(file.totals(0).reads == std::vector<std::int64_t>{reads});
    CHECK(file.launch(0).global == std::array<std::int64_t, 3>{24, 8, 1});
    const auto again = file.source(0);
    for (std::int64_t group = 0; group < 6; ++group) {
        REQUIRE(again->warps(group, 16) == source->warps(group, 16));
        const auto a = source->open(group, 1, 16);
        const auto b = again->open(group, 1, 16);
        WarpAccess one;
        WarpAccess other;
        while (a->next(one)) {
            REQUIRE(b->next(other));
            // too many for an assertion each
            if (one.step != other.step || one.lanes != other.lanes) {
                FAIL("group " << group << ", step " << one.step);
            }
        }
        REQUIRE_FALSE(b->next(other));
    }
    CHECK(path.bytes().size() < static_cast<std::size_t>(reads) / 100);
}

TEST_CASE(
    "every cut of a native trace is refused with the offset, and its intact chunks are salvaged")
{
    Random random(7);
    std::vector<Recording> launches;
    for (int i = 0; i < 3; ++i) {
        launches.push_back(random_recording(random));
    }
    const std::string bytes = native_bytes(launches);
    int most = 0;
    for (std::size_t size = 0; size < bytes.size(); size += 1 + size / 97) {
        CAPTURE(size);
        const std::string cut = bytes.substr(0, size);
        const std::string error = reading_error(cut);
        CHECK_THAT(error,
                   Contains("t.tst") && Contains("byte " + std::to_string(size < 8 ? 0 : size)));
        if (size >= 16) {
            const TraceFile salvaged("t.tst", cut, TraceFile::Damage::salvage);
            CHECK_FALSE(salvaged.damages().empty());
            most = std::max(most, salvaged.launch_count());
            // those before the last are whole
            for (int i = 0; i + 1 < salvaged.launch_count(); ++i) {
                CHECK(salvaged.groups(i) == TraceFile("t.tst", bytes).groups(i));
                CHECK(salvaged.totals(i) == TraceFile("t.tst", bytes).totals(i));
            }
        }
    }
    CHECK(most == 3);
}

TEST_CASE("every flipped bit of a native trace is found, and names an offset")
{
    Random random(8);
    std::vector<Recording> launches{random_recording(random), random_recording(random)};
    const std::string bytes = native_bytes(launches);
    REQUIRE(reading_error(bytes).empty());
    for (int i = 0; i < 400; ++i) {
        std::string flipped = bytes;
        const auto at = static_cast<std::size_t>(
            random.between(0, static_cast<std::int64_t>(bytes.size()) - 1));
        flipped[at] = static_cast<char>(flipped[at] ^ (1 << random.small(0, 7)));
        CAPTURE(at);
        CHECK_THAT(reading_error(flipped), Contains("byte"));
        if (at >= 16) {
            CHECK_NOTHROW(TraceFile("t.tst", flipped, TraceFile::Damage::salvage));
        }
    }
}

TEST_CASE("a damaged chunk in the middle costs itself alone")
{
    Random random(9);
    std::vector<Recording> launches;
    while (launches.size() < 3) {
        launches.push_back(random_recording(random));
        const TraceFile alone("t.tst", native_bytes({launches.back()}));
        if (alone.totals(0).reads[0] == 0) {
            launches.pop_back();
        }
    }
    std::string bytes = native_bytes(launches);
    const TraceFile whole("t.tst", bytes);
    // The reads of the second launch: the chunk header of type R with launch 1.
    const std::string header = std::string("TXCKR\0\0\0\1\0\0\0", 12);
    const std::size_t at = bytes.find(header);
    REQUIRE(at != std::string::npos);
    bytes[at + 60] = static_cast<char>(bytes[at + 60] ^ 0x10);
    CHECK_THAT(reading_error(bytes),
               Contains("byte " + std::to_string(at)) && Contains("checksum"));
    const TraceFile salvaged("t.tst", bytes, TraceFile::Damage::salvage);
    REQUIRE(salvaged.damages().size() == 1);
    CHECK_THAT(salvaged.damages()[0], Contains("byte " + std::to_string(at)));
    REQUIRE(salvaged.launch_count() == 3);
    for (const int i : {0, 2}) {
        CHECK(salvaged.totals(i) == whole.totals(i));
        for (const auto& [group, items] : launches[static_cast<std::size_t>(i)].groups) {
            CHECK(salvaged.group(i, group) == items);
        }
    }
    CHECK(salvaged.totals(1).reads != whole.totals(1).reads);
}

TEST_CASE("another version of the format is refused by its number")
{
    std::string bytes = native_bytes({});
    CHECK(reading_error(bytes).empty());
    bytes[8] = 9;
    CHECK_THAT(reading_error(bytes), Contains("byte 0") && Contains("checksum"));
    // With the checksum of such a header: CRC-32 of "TXSTRACE" and a 9 in four bytes.
    bytes.replace(12, 4, std::string("\x4b\xdc\xe0\x6a", 4));
    CHECK_THAT(reading_error(bytes), Contains("version 9") && Contains("byte 8"));
    CHECK_THAT(reading_error("group,item,step,image,x,y\n"),
               Contains("no native trace") && Contains("byte 0"));
}

TEST_CASE("the writer refuses what is no trace")
{
    const TemporaryPath path("refused");
    {
        TraceWriter writer(path.path(), "test");
        CHECK_THROWS_AS(writer.add_group(0, {}), Error);
        TracedLaunch launch;
        launch.images.resize(1);
        launch.images[0].name = "A";
        launch.images[0].width = launch.images[0].height = 4;
        writer.begin_launch(launch);
        const std::vector<TracedItem> items{{0, {{AccessKind::image_read, 0, 1, 1}}}};
        const std::vector<TracedItem> unknown{{0, {{AccessKind::image_read, 1, 1, 1}}}};
        const std::vector<TracedItem> twice{{3, {{AccessKind::image_read, 0, 1, 1}}},
                                            {3, {{AccessKind::image_read, 0, 1, 1}}}};
        CHECK_THROWS_WITH(writer.add_group(-1, items), Contains("negative"));
        writer.add_group(2, items);
        CHECK_THROWS_WITH(writer.add_group(3, unknown), Contains("image 1"));
        CHECK_THROWS_WITH(writer.add_group(3, twice), Contains("work-item 3 is there twice"));
        CHECK_THROWS_WITH(writer.add_group(std::numeric_limits<std::int64_t>::max(), items),
                          Contains("too large"));
        CHECK_THROWS_WITH(writer.add_group(2, items), Contains("twice"));
        CHECK_THROWS_WITH(writer.add_group(1, items), Contains("out of order"));
    }
    CHECK_FALSE(std::filesystem::exists(path.path())); // and nothing was left behind
    CHECK_THROWS_AS(TraceWriter("/no/such/folder/t.tst", "test"), Error);
}

TEST_CASE("the first difference of two traces is said in words")
{
    TracedLaunch launch;
    launch.kernel = "k";
    launch.images.resize(1);
    launch.images[0].name = "A";
    launch.images[0].width = launch.images[0].height = 4;
    launch.buffers = {{"out", 64}};
    const auto trace = [&](const TracedLaunch& described, std::int32_t x, int reads, bool write) {
        Recording made{described, {}};
        TracedItem item{5, {}};
        for (int i = 0; i < reads; ++i) {
            item.accesses.push_back({AccessKind::image_read, 0, i == 2 ? x : i, 1});
        }
        item.accesses.push_back({AccessKind::buffer_write, 0, 0, 0, 0, write ? 4 : 8, 16});
        made.groups.emplace_back(3, std::vector<TracedItem>{item});
        return TraceFile("t.tst", native_bytes({made}));
    };
    const TraceFile a = trace(launch, 2, 4, true);
    CHECK(first_difference(a, a).empty());
    CHECK(first_difference(a, trace(launch, 7, 4, true)) ==
          "launch 0 (k): work-group 3, work-item 5, image read 2 is "
          "a read of A at (2, 1) in the first trace and a read of A "
          "at (7, 1) in the second");
    CHECK(first_difference(trace(launch, 2, 3, true), a) ==
          "launch 0 (k): work-group 3, work-item 5, image read 3 is "
          "a read of A at (3, 1) in the second trace and not there "
          "in the first");
    CHECK(first_difference(a, trace(launch, 2, 4, false)) ==
          "launch 0 (k): work-group 3, work-item 5, access 4 is a write of 4 bytes of buffer out "
          "at 16 in the first "
          "trace "
          "and a write of 8 bytes of buffer out at 16 in the second");
    TracedLaunch other = launch;
    other.local = {2, 1, 1};
    CHECK(first_difference(a, trace(other, 2, 4, true)) ==
          "launch 0 (k): the local size is 1x1x1 in the first and 2x1x1 in the second");
    CHECK(first_difference(a, TraceFile("t.tst", native_bytes({}))) ==
          "the first trace has 1 launches, the second 0");
}
