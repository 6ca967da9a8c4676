#include "base/error.hpp"
#include "tests/base/random.hpp"
#include "tests/base/temporary_folder.hpp"
#include "traces/native/file_stream.hpp"

#include <catch2/catch.hpp>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

using namespace texelscope::traces;
using namespace texelscope::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

std::string bytes_in(const std::string& path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// The bytes that write_stream() makes of a text under that ending.
std::string packed(const std::string& text, const std::string& ending)
{
    const TemporaryFolder folder;
    write_stream(folder.file("t" + ending), [&](std::ostream& out) { out << text; });
    return bytes_in(folder.file("t" + ending));
}

std::string unpacked(const std::string& bytes)
{
    std::istringstream in(bytes);
    std::string text;
    read_stream(in, "t",
                [&](std::istream& from) { text.assign(std::istreambuf_iterator<char>(from), {}); });
    return text;
}

/// The error, or nothing.
std::string stream_error(const std::string& bytes)
{
    try {
        (void)unpacked(bytes);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

std::string random_text(Random& random, int size)
{
    std::string text;
    for (int i = 0; i < size; ++i) {
        text += static_cast<char>(random.one_in(3) ? random.small(0, 255) : 'a' + i % 7);
    }
    return text;
}

} // namespace

TEST_CASE("streams come back as they were written, compressed or not")
{
    Random random(21);
    for (const int size : {0, 1, 7, 8, 9, 65535, 65536, 65537, 400000}) {
        const std::string text = "x" + random_text(random, size);
        for (const std::string ending : {"", ".gz", ".xz", ".zst"}) {
            CAPTURE(size, ending);
            CHECK((unpacked(packed(text, ending)) == text));
        }
    }
}

TEST_CASE("a full disk is noticed however little is written")
{
    const TemporaryFolder folder;
    for (const std::string ending : {"", ".gz", ".xz", ".zst"}) {
        for (const std::size_t size : {1U, 1000U, 70000U, 300000U}) {
            CAPTURE(ending, size);
            const std::string path = folder.file("full" + ending);
            fs::remove(path);
            fs::create_symlink("/dev/full", path);
            CHECK_THROWS_WITH(
                write_stream(path, [&](std::ostream& out) { out << std::string(size, 'x'); }),
                Contains("No space left on device"));
        }
    }
    CHECK_THROWS_WITH(write_stream([](std::string_view) { throw std::runtime_error("no room"); },
                                   [](std::ostream& out) { out << "x"; }),
                      "no room");
}

TEST_CASE("compressed data that are cut off anywhere are refused")
{
    Random random(22);
    const std::string text = random_text(random, 3000);
    for (const std::string ending : {".gz", ".xz", ".zst"}) {
        const std::string whole = packed(text, ending);
        for (std::size_t size = ending == ".xz" ? 6 : 4; size < whole.size();
             size += 1 + size / 40) {
            CAPTURE(ending, size, whole.size());
            CHECK_THAT(stream_error(whole.substr(0, size)), Contains("damaged or cut off"));
        }
        CHECK_THAT(stream_error(whole.substr(0, whole.size() - 1)), Contains("damaged or cut off"));
        CHECK_THAT(stream_error(whole + whole.substr(0, whole.size() - 1)),
                   Contains("damaged or cut off"));
        CHECK((unpacked(whole + whole) == text + text)); // as gzip and zstd themselves have it
    }
}

TEST_CASE("a flipped bit of zstd data never changes what is read")
{
    Random random(23);
    const std::string text = random_text(random, 500);
    const std::string whole = packed(text, ".zst");
    int refused = 0;
    const int flips = static_cast<int>(whole.size() - 4) * 8;
    // behind the magic, without which this is a text
    for (std::size_t at = 4; at < whole.size(); ++at) {
        for (int bit = 0; bit < 8; ++bit) {
            CAPTURE(at, bit);
            std::string flipped = whole;
            flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
            if (stream_error(flipped).empty()) {
                CHECK((unpacked(flipped) == text)); // a bit that means nothing
            } else {
                ++refused;
            }
        }
    }
    CHECK(refused > flips * 9 / 10);
}

TEST_CASE("only the whole of their first bytes makes data compressed ones")
{
    for (const std::string& bytes :
         {std::string("\x1f\x00\x00\x00\x10\x00\x00\x00", 8), std::string("\x1f\x8b\x09z", 4),
          std::string("\x1f"), std::string("\x28\xb5\x2f"), std::string(),
          std::string("\xfd"
                      "7zXZ")}) {
        CHECK((unpacked(bytes) == bytes));
    }
}

TEST_CASE("xz data that unpack to thousands of times their size are refused")
{
    const std::string bomb = packed(std::string(std::size_t{300} << 20, ' '), ".xz");
    REQUIRE(bomb.size() < (std::size_t{1} << 16));
    CHECK_THAT(stream_error(bomb), Contains("t: it unpacks to more than 4,096 times its size"));
    // Up to 64 MiB may come out of next to nothing.
    const std::string large(std::size_t{64} << 20, ' ');
    CHECK((unpacked(packed(large, ".xz")) == large));
}

TEST_CASE("a native trace is no stream, and that is said")
{
    const std::string native = "TXSTRACE and more";
    CHECK_THAT(stream_error(native), Contains("pipe"));
    CHECK_THAT(stream_error(packed(native, ".gz")),
               Contains("compressed once more") && Contains("gzip -d"));
    CHECK_THAT(stream_error(packed(native, ".xz")), Contains("compressed once more"));
    CHECK_THAT(stream_error(packed(native, ".zst")), Contains("compressed once more"));
}
