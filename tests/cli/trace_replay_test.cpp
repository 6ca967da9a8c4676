// Recorded launches on a device: in work-groups of other sizes, with their buffers, with layers.

#include "tests/cli/checked_program.hpp"
#include "tests/traces/random_trace.hpp"

#include <catch2/catch.hpp>

using namespace texelscope::test;
using namespace texelscope::traces;
using Catch::Matchers::Contains;

namespace {

constexpr int replayed_items = 64;

/// 8x8 work-items, each alone in its group. Every one does what `accesses` says.
template <class Accesses>
std::string replayed_trace(const TemporaryFolder& folder, TracedLaunch launch, Accesses accesses)
{
    Recording made;
    launch.kernel = "k";
    launch.global = {8, 8, 1};
    launch.local = {1, 1, 1};
    made.launch = std::move(launch);
    for (std::int32_t item = 0; item < replayed_items; ++item) {
        made.groups.push_back({item, {{0, accesses(item)}}});
    }
    const std::string path = folder.file("replayed.tst");
    write_recordings(path, {made});
    return path;
}

TracedAccess image_read_at(std::int32_t x, std::int32_t y, std::int32_t z = 0)
{
    TracedAccess access;
    access.x = x;
    access.y = y;
    access.z = z;
    return access;
}

TracedAccess buffer_read_at(std::int64_t offset, std::int32_t bytes)
{
    TracedAccess access;
    access.kind = AccessKind::buffer_read;
    access.offset = offset;
    access.bytes = bytes;
    return access;
}

TracedLaunch launch_with_image(std::int32_t width, std::int32_t height, ImageKind kind,
                               std::int32_t depth = 1)
{
    TracedLaunch launch;
    launch.images.resize(1);
    launch.images[0].name = "A";
    launch.images[0].width = width;
    launch.images[0].height = height;
    launch.images[0].depth = depth;
    launch.images[0].kind = kind;
    return launch;
}

/// Each work-item reads a texel, and 16 bytes of a buffer.
std::string trace_of_both(const TemporaryFolder& folder)
{
    TracedLaunch launch = launch_with_image(8, 8, ImageKind::two);
    launch.buffers.push_back({"b", 1024, 1});
    return replayed_trace(folder, launch, [](std::int32_t item) {
        return std::vector{image_read_at(item % 8, item / 8), buffer_read_at(item * 16, 16)};
    });
}

} // namespace

TEST_CASE("a launch recorded in groups of one work-item is said to be, and takes another size")
{
    const TemporaryFolder folder;
    const std::string trace = trace_of_both(folder);
    const ProgramResult as_recorded = run_program({"simulate", trace});
    CHECK_THAT(as_recorded.errors, Contains("work-groups of 1x1x1") && Contains("--local"));
    CHECK(json_of({"simulate", trace})["launch"]["warps"] == replayed_items);

    const ProgramResult regrouped = run_program({"simulate", trace, "--local", "8,4"});
    CHECK(regrouped.exit_code == 0);
    CHECK_THAT(regrouped.errors, !Contains("--local"));
    const auto json = json_of({"simulate", trace, "--local", "8,4"});
    CHECK(json["launch"]["groups"] == 2);
    CHECK(json["launch"]["warps"] == 2);
    CHECK(json["l1"]["texel_reads"] == replayed_items);
    CHECK(json["replay"]["local"] == std::vector<int>{8, 4, 1});
    CHECK(json["replay"]["recorded_local"] == std::vector<int>{1, 1, 1});
    CHECK(json_of({"simulate", trace, "--local", "5,3"})["launch"]["groups"] == 6);

    CHECK_THAT(run_program({"histogram", trace}).errors, Contains("work-groups of 1x1x1"));
    const auto strides = json_of({"histogram", trace, "--local", "8,8", "--item", "9"});
    CHECK(strides["cross_block"][0]["accesses"] == 1);
    const std::string csv = folder.file("t.csv");
    REQUIRE(run_program({"trace", "export", trace, "--local", "8,8", "-o", csv}).exit_code == 0);
    CHECK_THAT(read_file(csv), Contains("\n0,63,0,A,7,7\n"));
}

TEST_CASE("reads of a trace's buffers are simulated in time, alone, or where they are asked for")
{
    const TemporaryFolder folder;
    const std::string both = trace_of_both(folder);
    const ProgramResult untimed = run_program({"simulate", both, "--local", "8,8"});
    CHECK_THAT(untimed.errors, Contains("64 reads of buffers are left out"));
    CHECK(json_of({"simulate", both, "--local", "8,8"})["l1"]["texel_reads"] == 64);
    for (const Words& with : {Words{"--timed"}, Words{"--buffer-reads", "all"}}) {
        CHECK_THAT(run_program(Words{"simulate", both} + with).errors, !Contains("left out"));
        const auto json = json_of(Words{"simulate", both, "--local", "8,8"} + with);
        CHECK(json["launch"]["steps"] ==
              2 * json_of({"simulate", both, "--local", "8,8"})["launch"]["steps"].get<int>());
        CHECK(json["memory"]["bytes"] == 2048); // an image of 8x8 texels, and as large a buffer
        CHECK(json["replay"]["buffers"][0]["id"] == "b");
        CHECK(json["replay"]["buffers"][0]["texel_bytes"] == 16);
    }
    CHECK_THAT(run_program({"simulate", both, "--timed", "--buffer-reads", "none"}).errors,
               Contains("64 reads of buffers are left out"));
    // Heat maps are of texels.
    CHECK_THAT(run_program({"simulate", both, "--timed", "--heatmap", folder.file("h.png")}).errors,
               Contains("64 reads of buffers are left out: heat maps"));

    TracedLaunch launch;
    launch.buffers.push_back({"b", 1024, 0});
    const std::string alone = replayed_trace(folder, launch, [](std::int32_t item) {
        return std::vector{buffer_read_at(item * 16, 8), buffer_read_at(item * 16 + 12, 4)};
    });
    const ProgramResult simulated = run_program({"simulate", alone, "--local", "8,8"});
    CHECK(simulated.exit_code == 0);
    CHECK_THAT(simulated.errors, !Contains("left out") && !Contains("nothing was simulated"));
    const auto json = json_of({"simulate", alone, "--local", "8,8"});
    CHECK(json["memory"]["bytes"] == 1024);
    CHECK(json["replay"]["buffers"][0]["texel_bytes"] == 4);
    CHECK_THAT(run_program({"simulate", alone, "--buffer-reads", "none"}).errors,
               Contains("nothing was simulated") && Contains("128 reads of buffers are left out"));
}

TEST_CASE("a launch that reads nothing is said to")
{
    const TemporaryFolder folder;
    const std::string trace =
        replayed_trace(folder, launch_with_image(8, 8, ImageKind::two), [](std::int32_t item) {
            TracedAccess write = image_read_at(item % 8, item / 8);
            write.kind = AccessKind::image_write;
            return std::vector{write};
        });
    const ProgramResult result = run_program({"simulate", trace});
    CHECK(result.exit_code == 0);
    CHECK_THAT(result.errors, Contains("reads no image") && Contains("trace capture --buffers"));
}

TEST_CASE("a 1D buffer image takes as much memory traffic as it has bytes")
{
    const TemporaryFolder folder;
    const std::string trace = replayed_trace(
        folder, launch_with_image(4096, 1, ImageKind::one_buffer), [](std::int32_t item) {
            std::vector<TracedAccess> reads;
            for (std::int32_t i = 0; i < 64; ++i) {
                reads.push_back(image_read_at(item + i * 64, 0));
            }
            return reads;
        });
    CHECK(json_of({"simulate", trace, "--local", "8,8"})["memory"]["bytes"] == 65536);
}

TEST_CASE("layers are images of their own")
{
    const TemporaryFolder folder;
    const std::string trace = replayed_trace(
        folder, launch_with_image(8, 8, ImageKind::two_array, 9), [](std::int32_t item) {
            return std::vector{image_read_at(item % 8, item / 8, 3),
                               image_read_at(item % 8, item / 8, 20)};
        });
    const ProgramResult result = run_program({"simulate", trace, "--local", "8,8"});
    CHECK_THAT(result.errors, !Contains("left out"));
    CHECK(json_of({"simulate", trace, "--local", "8,8"})["memory"]["bytes"] == 2048);
    const std::string csv = folder.file("t.csv");
    REQUIRE(run_program({"trace", "export", trace, "-o", csv}).exit_code == 0);
    CHECK_THAT(read_file(csv), Contains("#image A[3]:8x8x16") && Contains("#image A[8]:8x8x16"));
}

TEST_CASE("registers of a recorded launch are given by hand, and limit its warps")
{
    const TemporaryFolder folder;
    const std::string trace = trace_of_both(folder);
    const auto occupancy = [&](const std::string& registers) {
        return json_of({"simulate", trace, "--local", "8,8", "--set",
                        "registers.per_item=" + registers})["occupancy"]
            .get<int>();
    };
    CHECK(occupancy("128") < occupancy("16"));
}

TEST_CASE("options of replay are refused where nothing would look at them")
{
    const TemporaryFolder folder;
    const std::string trace = trace_of_both(folder);
    for (const std::string size : {"8x8", "0", "8,-1", "8,", "1,1,1,1", "many"}) {
        refused({"simulate", trace, "--local", size}, "is no size of a work-group");
    }
    const std::string csv =
        folder.write("t.csv", "#image A:8x8x16\ngroup,item,step,image,x,y\n0,0,0,A,0,0\n");
    refused({"simulate", csv, "--local", "8"}, "for native traces");
    refused({"simulate", csv, "--buffer-reads", "all"}, "for native traces");
    refused({"simulate", "--shape", "8,8,8", "--local", "8"}, "for trace files");
    refused({"simulate", trace, "--buffer-reads", "all", "--heatmap", folder.file("h.png")},
            "know no buffers");
    refused({"trace", "export", trace, "--local", "8", "-o", folder.file("copy.tst")}, "--local");
}
