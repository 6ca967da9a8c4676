// What is found of a native trace that is not whole.

#include "base/error.hpp"
#include "tests/traces/random_trace.hpp"
#include "traces/native/trace_file.hpp"

#include <catch2/catch.hpp>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

using namespace texelscope::traces;
using namespace texelscope::test;
using Catch::Matchers::Contains;

namespace {

std::string bytes_of(const std::vector<Recording>& launches)
{
    const std::string path = (std::filesystem::temp_directory_path() /
                              ("texelscope-damage-" + std::to_string(::getpid()) + ".tst"))
                                 .string();
    write_recordings(path, launches);
    std::ifstream in(path, std::ios::binary);
    std::string bytes(std::istreambuf_iterator<char>(in), {});
    std::filesystem::remove(path);
    return bytes;
}

/// Launches that all read images.
std::vector<Recording> reading_launches(Random& random, int count)
{
    std::vector<Recording> launches;
    while (static_cast<int>(launches.size()) < count) {
        launches.push_back(random_recording(random));
        if (TraceFile("t.tst", bytes_of({launches.back()})).totals(0).reads[0] == 0) {
            launches.pop_back();
        }
    }
    return launches;
}

/// Where the chunks of image reads of a launch begin.
std::size_t reads_of(const std::string& bytes, int launch)
{
    const std::size_t at = bytes.find(std::string("TXCKR\0\0\0", 8) + static_cast<char>(launch) +
                                      std::string("\0\0\0", 3));
    REQUIRE(at != std::string::npos);
    return at;
}

} // namespace

TEST_CASE("bytes that are missing in a chunk cost no other chunk")
{
    Random random(41);
    const std::vector<Recording> launches = reading_launches(random, 3);
    const std::string bytes = bytes_of(launches);
    const TraceFile whole("t.tst", bytes);
    for (const std::size_t missing : {1U, 2U, 5U}) {
        CAPTURE(missing);
        std::string damaged = bytes;
        damaged.erase(reads_of(bytes, 1) + 52, missing);
        const TraceFile salvaged("t.tst", damaged, TraceFile::Damage::salvage);
        REQUIRE(salvaged.launch_count() == 3);
        REQUIRE(salvaged.damages().size() == 1);
        CHECK_THAT(salvaged.damages()[0], Contains("byte " + std::to_string(reads_of(bytes, 1))));
        for (const int i : {0, 2}) {
            CHECK(salvaged.totals(i) == whole.totals(i));
        }
        // Of the launch itself all but the reads is there.
        CHECK(salvaged.totals(1).writes == whole.totals(1).writes);
        CHECK(salvaged.totals(1).buffer_reads == whole.totals(1).buffer_reads);
        CHECK(salvaged.totals(1).buffer_writes == whole.totals(1).buffer_writes);
    }
}

TEST_CASE("verifying a trace finds damage that opening it does not look for")
{
    Random random(42);
    const std::vector<Recording> launches = reading_launches(random, 2);
    const std::string bytes = bytes_of(launches);
    CHECK_NOTHROW(TraceFile("t.tst", bytes).verify());
    for (const int launch : {0, 1}) {
        std::string damaged = bytes;
        const std::size_t at = reads_of(bytes, launch);
        damaged[at + 50] = static_cast<char>(damaged[at + 50] ^ 4);
        const TraceFile opened("t.tst", damaged);
        CHECK_THROWS_WITH(opened.verify(),
                          Contains("byte " + std::to_string(at)) && Contains("checksum"));
    }
}
