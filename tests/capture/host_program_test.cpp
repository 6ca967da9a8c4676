// The texels that were recorded are those that the program's reads got their values from.

#include "tests/capture/captured.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace texelscope::test {
using namespace traces;

namespace {

/// One read instruction of a kernel: the image, and along how many dimensions it is between texels.
struct Read {
    std::string image;
    int between = 0;
};

/// What a texel of that place holds; outside there is the border colour, 0.
double held(const TracedImage& image, const TracedAccess& at)
{
    const bool inside = at.x >= 0 && at.y >= 0 && at.z >= 0 && at.x < image.width &&
                        at.y < image.height && at.z < image.depth;
    return inside ? 1 + at.x + 32 * at.y + 1024 * at.z : 0;
}

/// The value that filtering makes of the recorded texels (OpenCL 1.2, section 8.2), x fastest.
double filtered(const TracedImage& image, const std::vector<TracedAccess>& texels,
                std::size_t first, const Read& read, const Seen& seen)
{
    double sum = 0;
    for (std::size_t corner = 0; corner < std::size_t{1} << read.between; ++corner) {
        double weight = 1;
        for (int d = 0; d < read.between; ++d) {
            weight *= (corner >> d & 1) != 0 ? seen.between[d] : 1 - seen.between[d];
        }
        sum += weight * held(image, texels.at(first + corner));
    }
    return sum;
}

/// Every item of the launch read what `reads` says, and got it from the texels recorded.
/// `skips(group, item, read)`: the item leaves that read out.
template <class Skips>
void check_reads(const TraceFile& file, const AllSeen& all, const std::string& kernel,
                 const std::vector<Read>& reads, Skips skips)
{
    const int number = launch_of_kernel(file, kernel);
    const TracedLaunch& launch = file.launch(number);
    const std::int64_t groups =
        launch.global[0] / launch.local[0] * (launch.global[1] / launch.local[1]);
    for (std::int64_t group = 0; group < groups; ++group) {
        for (int item = 0; item < launch.local[0] * launch.local[1]; ++item) {
            const auto texels = accesses(file, number, group, item);
            std::size_t next = 0;
            for (int read = 0; read < static_cast<int>(reads.size()); ++read) {
                if (skips(group, item, read)) {
                    continue;
                }
                INFO(kernel << ": group " << group << ", item " << item << ", read " << read);
                const Read& expected = reads[static_cast<std::size_t>(read)];
                const std::size_t count = std::size_t{1} << expected.between;
                REQUIRE(next + count <= texels.size());
                const TracedImage& image = launch.images.at(texels[next].object);
                CHECK(image.name == expected.image);
                const Seen& seen = all.at({kernel, group, item, read});
                CHECK(filtered(image, texels, next, expected, seen) ==
                      Approx(seen.value).margin(1e-3));
                next += count;
            }
            CHECK(next == texels.size());
        }
    }
}

} // namespace

TEST_CASE(
    "the texels recorded are those that reads got: every image type, addressing mode and filter")
{
    if (!oclgrind_is_there()) {
        return;
    }
    const TemporaryFolder folder;
    const std::string trace = folder.file("t");
    const ProgramResult result = run_capture(trace, {}, host_program("images"));
    INFO(result.errors);
    REQUIRE(result.exit_code == 0);
    const AllSeen all = parse_seen(result.output);
    const TraceFile file(trace);
    REQUIRE(file.launch_count() == 4);
    const auto none = [](std::int64_t, int, int) { return false; };

    // Groups of 4x3 items, three of them along x: the fourth read is left out where x equals y.
    check_reads(file, all, "edges", {{"a"}, {"b"}, {"a"}, {"b"}},
                [](std::int64_t group, int item, int read) {
                    return read == 3 && group % 3 * 4 + item % 4 == group / 3 * 3 + item / 4;
                });
    check_reads(file, all, "wraps", {{"a"}, {"a"}, {"a"}}, none);
    check_reads(file, all, "blends", {{"a", 2}, {"line", 1}, {"solid", 3}, {"solid"}}, none);
    check_reads(file, all, "layers", {{"stack"}, {"stack"}, {"rows"}}, none);
    CHECK(image_reads(file, 0) == 282); // 4 of 12x6 items, less 6 on the diagonal
    CHECK(image_reads(file, 2) == 12 * 6 * (4 + 2 + 8 + 1));

    const TracedLaunch& edges = file.launch(0);
    CHECK(edges.global == std::array<std::int64_t, 3>{12, 6, 1});
    CHECK(edges.local == std::array<std::int64_t, 3>{4, 3, 1});
    REQUIRE(edges.images.size() == 3);
    CHECK(edges.images[0] == TracedImage{"a", 10, 6, 1, "RGBA/float", 16, 0, AddressMode::border});
    CHECK(edges.images[1] == TracedImage{"b", 7, 5, 1, "RGBA/float", 16, 1, AddressMode::border});
    CHECK(edges.images[2].name == "w");
    // Group 4 is the second of the second row; its item 5 is (1, 1): x = 5, y = 4. The kernel
    // writes to (y, x).
    const auto writes = accesses(file, 0, 4, 5, AccessKind::image_write);
    REQUIRE(writes.size() == 1);
    CHECK(writes[0].object == 2);
    CHECK(writes[0].x == 4);
    CHECK(writes[0].y == 5);
    // Reads outside keep their place among the others: x - 2, y + 1 of item (0, 0).
    const auto first = accesses(file, 0, 0, 0);
    REQUIRE(!first.empty());
    CHECK(first[0].x == -2);
    CHECK(first[0].y == 1);
    // A layer is the third coordinate, and how many there are is the image's depth.
    CHECK(file.launch(3).images[0].depth == 4);
    CHECK(file.launch(3).images[1].depth == 3);
}

TEST_CASE("reads before and after a barrier are in the order of each work-item")
{
    if (!oclgrind_is_there()) {
        return;
    }
    const TemporaryFolder folder;
    const ProgramResult result = run_capture(folder.file("t"), {}, host_program("barrier"));
    REQUIRE(result.exit_code == 0);
    const TraceFile file(folder.file("t"));
    REQUIRE(file.launch_count() == 1);
    for (std::int64_t group = 0; group < 3; ++group) {
        for (int item = 0; item < 16; ++item) {
            const auto reads = accesses(file, 0, group, item);
            REQUIRE(reads.size() == 2);
            CHECK(reads[0].x == item);
            CHECK(reads[0].y == 0);
            CHECK(reads[1].x == (item + 1) % 16);
            CHECK(reads[1].y == 1);
        }
    }
}

TEST_CASE("two host threads, two queues: every launch whole, the same file each time")
{
    if (!oclgrind_is_there()) {
        return;
    }
    const TemporaryFolder folder;
    const ProgramResult result = run_capture(folder.file("first"), {}, host_program("threads"));
    INFO(result.errors);
    REQUIRE(result.exit_code == 0);
    const TraceFile file(folder.file("first"));
    REQUIRE(file.launch_count() == 11);
    std::vector<std::string> kernels;
    for (int i = 0; i < file.launch_count(); ++i) {
        const std::string& kernel = file.launch(i).kernel;
        CHECK(image_reads(file, i) == (kernel == "edges" ? 282 : kernel == "waits" ? 96 : 360));
        if (kernel != "wraps") {
            kernels.push_back(kernel);
        }
    }
    CHECK(kernels ==
          std::vector<std::string>{"edges", "waits", "edges", "waits", "edges", "waits"});
    const std::string bytes = read_file(folder.file("first"));
    for (const char* threads : {"1", "2", "7"}) {
        const ProgramResult again = run_capture(folder.file("again"), {}, host_program("threads"),
                                                "OCLGRIND_NUM_THREADS=" + std::string(threads));
        REQUIRE(again.exit_code == 0);
        CHECK(read_file(folder.file("again")) == bytes);
    }
}

TEST_CASE("buffer accesses are recorded when they are asked for")
{
    if (!oclgrind_is_there()) {
        return;
    }
    const TemporaryFolder folder;
    REQUIRE(run_capture(folder.file("t"), {"--buffers"}, host_program("buffers")).exit_code == 0);
    const TraceFile file(folder.file("t"));
    REQUIRE(file.launch_count() == 1);
    REQUIRE(file.launch(0).buffers.size() == 4);
    CHECK(file.launch(0).buffers[0] == TracedBuffer{"in", 256, 0});
    CHECK(file.launch(0).buffers[1] == TracedBuffer{"scale", 16, 1});
    for (int i = 0; i < 16; ++i) {
        const auto reads = accesses(file, 0, i / 8, i % 8, AccessKind::buffer_read);
        std::int64_t one = 0;  // in[i]
        std::int64_t four = 0; // vload4(i, in), in one piece or several
        for (const TracedAccess& read : reads) {
            if (read.object == 0 && read.offset == 4 * i && read.bytes == 4) {
                ++one;
            }
            if (read.object == 0 && read.offset >= 16 * i &&
                read.offset + read.bytes <= 16 * (i + 1)) {
                four += read.bytes;
            }
        }
        CHECK(one >= 1);
        CHECK(four == (i == 0 ? 20 : 16)); // in[0] lies in the first four
        const auto writes = accesses(file, 0, i / 8, i % 8, AccessKind::buffer_write);
        REQUIRE(writes.size() == 2);
        CHECK(writes[0] == TracedAccess{AccessKind::buffer_write, 2, 0, 0, 0, 16, 16 * i});
        CHECK(writes[1] == TracedAccess{AccessKind::buffer_write, 3, 0, 0, 0, 4, 0}); // atomic_inc
    }
    // Without --buffers a kernel that reads no image has nothing to tell.
    REQUIRE(run_capture(folder.file("u"), {}, host_program("buffers")).exit_code == 0);
    CHECK(TraceFile(folder.file("u")).group(0, 0).empty());
}

TEST_CASE(
    "global offset, a last group that is smaller, one image twice, and a format that is refused")
{
    if (!oclgrind_is_there()) {
        return;
    }
    const TemporaryFolder folder;
    const ProgramResult result = run_capture(folder.file("t"), {}, host_program("odd"));
    REQUIRE(result.exit_code == 0);
    CHECK(result.errors.find(
              "not recorded: odd: an image with channel type 0x10d4 is not supported") !=
          std::string::npos);
    const TraceFile file(folder.file("t"));
    REQUIRE(file.launch_count() == 1);
    CHECK(file.launch(0).global == std::array<std::int64_t, 3>{10, 1, 1});
    CHECK(file.launch(0).offset == std::array<std::int64_t, 3>{3, 0, 0});
    REQUIRE(file.launch(0).images.size() == 1);
    CHECK(file.launch(0).images[0].name == "a");
    CHECK(image_reads(file, 0) == 20);
    for (int i = 0; i < 10; ++i) {
        const auto reads = accesses(file, 0, i / 4, i % 4);
        REQUIRE(reads.size() == 2);
        CHECK(reads[0] == TracedAccess{AccessKind::image_read, 0, i + 3, 0, 0, 0, 0});
        CHECK(reads[1] == TracedAccess{AccessKind::image_read, 0, i + 3, 1, 0, 0, 0});
    }
}

} // namespace texelscope::test
