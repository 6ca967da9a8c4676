// Capture where paths, signals and outputs are not as one would like them.

#include "base/half.hpp"
#include "tests/capture/captured.hpp"

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>
#include <sstream>

namespace texelscope::test {
using namespace traces;

namespace {

/// The program with its standard output in a file, in a process of its own; `arguments` behind its
/// name.
pid_t start(std::vector<std::string> arguments, const std::string& output)
{
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
            ::signal(signal, SIG_DFL); // a test in the background may ignore them
        }
        const int file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        const int nothing = ::open("/dev/null", O_RDWR);
        ::dup2(nothing, 0);
        ::dup2(file, 1);
        ::dup2(nothing, 2);
        ::setenv("ASAN_OPTIONS",
                 "verify_asan_link_order=0:detect_leaks=0:new_delete_type_mismatch=0", 1);
        arguments.insert(arguments.begin(), TEXELSCOPE_PROGRAM);
        std::vector<char*> words;
        for (std::string& argument : arguments) {
            words.push_back(argument.data());
        }
        words.push_back(nullptr);
        ::execv(words[0], words.data());
        ::_exit(99);
    }
    return child;
}

} // namespace

TEST_CASE("the plugin works where its path has spaces and colons")
{
    if (!oclgrind_is_there()) {
        return;
    }
    const TemporaryFolder folder;
    for (const std::string name :
         {"with space", "with:colon", "with both: of them", "with $ORIGIN"}) {
        CAPTURE(name);
        const std::string there = folder.file(name);
        std::filesystem::create_directory(there);
        std::filesystem::copy(TEXELSCOPE_PLUGIN, there + "/plugin.so");
        const std::string trace = folder.file("t of " + name);
        const ProgramResult result =
            run_capture(trace, {}, host_program("barrier"),
                        "TEXELSCOPE_CAPTURE_PLUGIN='" + there + "/plugin.so'");
        REQUIRE(result.exit_code == 0);
        CHECK(image_reads(TraceFile(trace), 0) == 96); // 3 groups of 16 items, 2 reads each
    }
}

TEST_CASE("a program that opens OpenCL's library by itself is captured whole, with images of each "
          "kind, and replayed")
{
    if (!oclgrind_is_there()) {
        return;
    }
    const TemporaryFolder folder;
    const ProgramResult result =
        run_capture(folder.file("t"), {}, {TEXELSCOPE_OPENING_PROGRAM, "libOpenCL.so.1"});
    INFO(result.errors);
    REQUIRE(result.exit_code == 0);
    const TraceFile file(folder.file("t"));
    REQUIRE(file.launch_count() == 8);
    struct Wanted {
        const char* kernel;
        ImageKind kind;
        std::int64_t texels;
        std::size_t images; ///< a layer or slice each
    };
    for (const Wanted& wanted :
         {Wanted{"line", ImageKind::one, 256, 1},
          Wanted{"line_buffer", ImageKind::one_buffer, 256, 1},
          Wanted{"lines", ImageKind::one_array, 128, 8}, Wanted{"plane", ImageKind::two, 256, 1},
          Wanted{"planes", ImageKind::two_array, 256, 2}, Wanted{"solid", ImageKind::three, 256, 2},
          Wanted{"half_texels", ImageKind::two, 256, 1}}) {
        CAPTURE(wanted.kernel);
        const int number = launch_of_kernel(file, wanted.kernel);
        CHECK(file.launch(number).images.at(0).kind == wanted.kind);
        CHECK(image_reads(file, number) == wanted.texels);
        // Replayed, every texel is read once, eight of them by a group.
        const auto source = file.source(number);
        CHECK(source->images().size() == wanted.images);
        std::set<std::tuple<int, int, int>> texels;
        std::int64_t reads = 0;
        for (std::int64_t group = 0; group < source->group_count(); ++group) {
            for (const int warp : source->warps(group, 32)) {
                const auto stream = source->open(group, warp, 32);
                for (WarpAccess access; stream->next(access);) {
                    CHECK(access.lanes.size() == 8);
                    for (const LaneRead& read : access.lanes) {
                        const Extent2D extent = source->images()[read.image].extent;
                        CHECK(extent.contains(read.texel));
                        texels.emplace(read.image, read.texel.x, read.texel.y);
                        ++reads;
                    }
                }
            }
        }
        CHECK(reads == wanted.texels);
        CHECK(static_cast<std::int64_t>(texels.size()) == wanted.texels);
    }
}

/// The bits of the largest half number that is not above: `value` is 0 or more, and below 65504.
std::int32_t rounded_down(float value)
{
    const std::int32_t bits = base::half_bits(value);
    return base::from_half_bits(static_cast<std::uint16_t>(bits)) > value ? bits - 1 : bits;
}

constexpr std::int32_t negative_half = 0x8000;

/// Sum of the products of the four bytes; `of_a`, `of_b`: whether they have a sign.
std::int64_t packed_product(std::uint32_t a, std::uint32_t b, bool of_a, bool of_b)
{
    std::int64_t sum = 0;
    for (int i = 0; i < 4; ++i) {
        std::int64_t x = a >> (8 * i) & 0xffU;
        std::int64_t y = b >> (8 * i) & 0xffU;
        x -= of_a && x > 127 ? 256 : 0;
        y -= of_b && y > 127 ? 256 : 0;
        sum += x * y;
    }
    return sum;
}

TEST_CASE("whole and half numbers of a captured kernel are what C++ computes")
{
    if (!oclgrind_is_there()) {
        return;
    }
    const TemporaryFolder folder;
    const ProgramResult result =
        run_capture(folder.file("t"), {}, {TEXELSCOPE_OPENING_PROGRAM, "libOpenCL.so.1"});
    REQUIRE(result.exit_code == 0);
    std::istringstream in(result.output);
    int items = 0;
    std::int32_t x = 0;
    std::int32_t y = 0;
    for (std::int32_t item = 0; in >> item >> x >> y; ++items) {
        CAPTURE(item, x, y);
        std::array<std::int32_t, 20> found{};
        for (std::int32_t& number : found) {
            REQUIRE(in >> number);
        }
        const auto u = static_cast<std::uint32_t>(x);
        const auto v = static_cast<std::uint32_t>(y);
        const auto rotated = static_cast<std::int32_t>(std::rotl(u, 7));
        const std::int64_t sum =
            std::clamp<std::int64_t>(std::int64_t{x} + y, std::numeric_limits<std::int32_t>::min(),
                                     std::numeric_limits<std::int32_t>::max());
        const float h = base::rounded_to_half(static_cast<float>(u & 0xfffU) * 0.25F);
        const auto k = static_cast<float>(v & 63U);
        const bool odd = item % 2 == 1;
        const float scaled_h = base::rounded_to_half(h * (odd ? 1.25F : 0.5F));
        const float scaled_k =
            base::rounded_to_half(k * (odd ? base::rounded_to_half(0.1F) : -2.0F));
        const std::array<float, 4> all{base::rounded_to_half(static_cast<float>(u & 0xffffU)),
                                       static_cast<float>(v & 255U), -3,
                                       base::rounded_to_half(0.1F)};
        std::array<float, 4> kept{};
        std::array<float, 4> loaded{};
        bool greater = false;
        for (std::size_t n = 0; n < 4; ++n) {
            kept[n] = std::min(std::clamp(all[n], -2.0F, 1000.0F), h);
            loaded[n] = all[n] < k ? kept[n] : all[n];
            greater = greater || all[n] > kept[n];
        }
        const float fraction = static_cast<float>(u & 0xfffffU) * 0.01F;
        const double product = static_cast<double>(h) * k + all[3];
        const auto bits = [](float value) { return std::int32_t{base::half_bits(value)}; };
        const std::array<std::int32_t, 20> wanted{
            x < 0 ? static_cast<std::int32_t>(0U - u) : x,
            rotated,
            static_cast<std::int32_t>(u > v ? u - v : 0),
            std::popcount(u),
            std::countl_zero(u),
            static_cast<std::int32_t>(sum),
            bits(h * k),
            bits(h + k),
            bits(scaled_k) << (odd ? 2 : 1),
            bits(k > 31.5F ? scaled_h * 3 : kept[0]),
            bits(kept[2]) + bits(std::max(all[1], k)),
            negative_half | rounded_down(fraction),
            negative_half | rounded_down(fraction),
            rounded_down(fraction),
            bits(all[0]) + static_cast<std::int32_t>(v & 255U) / 2,
            bits(std::sqrt(k)) + bits(static_cast<float>(product)),
            (std::isinf(all[0]) ? 1 : 0) + (greater ? 1 : 0),
            std::bit_cast<std::int32_t>(loaded[0] + loaded[1] * 0.5F + loaded[2] + loaded[3]),
            static_cast<std::int32_t>(std::clamp<std::int64_t>(packed_product(u, v, true, true) + x,
                                                               INT32_MIN, INT32_MAX) ^
                                      packed_product(u, v, false, true)),
            static_cast<std::int32_t>(
                std::min<std::int64_t>(packed_product(u, v, false, false) + v, UINT32_MAX) ^
                packed_product(u, v, true, false))};
        CHECK(found == wanted);
    }
    CHECK(items == 64);
}

TEST_CASE("a signal for the capture alone ends the program, too, and what was complete is kept")
{
    if (!oclgrind_is_there()) {
        return;
    }
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
        CAPTURE(signal);
        const TemporaryFolder folder;
        std::vector<std::string> arguments{"trace", "capture", "-o", folder.file("t.tst"), "--"};
        for (const std::string& word : host_program("stays")) {
            arguments.push_back(word);
        }
        const pid_t capture = start(arguments, folder.file("out"));
        std::size_t ready = std::string::npos;
        std::string output;
        int status = 0;
        while (ready == std::string::npos) {
            ::usleep(10'000);
            output = read_file(folder.file("out"));
            ready = output.find("ready ");
            ready = output.ends_with('\n') ? ready : std::string::npos;
            REQUIRE(::waitpid(capture, &status, WNOHANG) == 0);
        }
        const pid_t program = std::stoi(output.substr(ready + 6));
        REQUIRE(::kill(program, 0) == 0);
        REQUIRE(::kill(capture, signal) == 0);
        REQUIRE(::waitpid(capture, &status, 0) == capture);
        REQUIRE(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 130);
        CHECK((::kill(program, 0) == -1 && errno == ESRCH));
        CHECK(TraceFile(folder.file("t.tst")).launch_count() == 1);
        CHECK(folder.files() == 2); // out and t.tst
    }
}

TEST_CASE("an output that cannot be written is refused before the program runs")
{
    const TemporaryFolder folder;
    const std::string marker = folder.file("marker");
    std::filesystem::create_directory(folder.file("taken"));
    for (const std::string& output :
         {folder.file("taken"), folder.file("no/folder/t.tst"), folder.file("t.csv")}) {
        CAPTURE(output);
        CHECK(run_capture(output, {}, {"touch", marker}).exit_code == 2);
        CHECK_FALSE(std::filesystem::exists(marker));
    }
    CHECK(folder.files() == 1);
}

TEST_CASE("an access to a buffer has its whole size, however large")
{
    if (!oclgrind_is_there()) {
        return;
    }
    const TemporaryFolder folder;
    const std::string trace = folder.file("t.tst");
    REQUIRE(run_capture(trace, {"--buffers"}, host_program("copies")).exit_code == 0);
    const TraceFile file(trace);
    for (const AccessKind kind : {AccessKind::buffer_read, AccessKind::buffer_write}) {
        std::int64_t bytes = 0;
        for (const TracedAccess& access : accesses(file, 0, 0, 0, kind)) {
            bytes += access.bytes;
        }
        CHECK(bytes == 80000);
    }
}

TEST_CASE("the command is recorded as a shell would take it again")
{
    if (!oclgrind_is_there()) {
        return;
    }
    const TemporaryFolder folder;
    const std::string trace = folder.file("t.tst");
    std::vector<std::string> command = host_program("barrier");
    command.insert(command.end(), {"two words", "", "it's", "plain-1"});
    REQUIRE(run_capture(trace, {}, command).exit_code == 0);
    CHECK(TraceFile(trace).program().ends_with(" barrier 'two words' '' 'it'\\''s' plain-1"));
}

} // namespace texelscope::test
