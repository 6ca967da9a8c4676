#include "base/error.hpp"
#include "tests/base/random.hpp"
#include "tests/traces/gzip.hpp"
#include "traces/formats/csv_trace.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <tuple>

using namespace texelscope::traces;
using namespace texelscope::test;
using Catch::Matchers::Contains;

namespace {

const std::vector<Image> two_images{{"A", {16, 16}}, {"B", {8, 32}, Bytes{8}}};
const std::string header = "group,item,step,image,x,y\n";

std::unique_ptr<TraceSource> read(const std::string& text,
                                  const std::vector<Image>& declared = two_images)
{
    std::istringstream in(text);
    return read_csv(in, "t.csv", declared);
}

std::string error_of(const std::string& text, const std::vector<Image>& declared = two_images)
{
    try {
        (void)read(text, declared);
    } catch (const Error& e) {
        CHECK(e.kind() == Error::Kind::bad_input);
        CHECK(std::string(e.what()).find('\n') == std::string::npos);
        return e.what();
    }
    return "(no error)";
}

/// Every row of a source, by (group, item, step).
std::map<std::tuple<std::int64_t, std::int32_t, std::uint32_t>, std::pair<std::uint16_t, Texel>>
rows_of(const TraceSource& source, int warp_size)
{
    std::map<std::tuple<std::int64_t, std::int32_t, std::uint32_t>, std::pair<std::uint16_t, Texel>>
        rows;
    for (std::int64_t group = 0; group < source.group_count(); ++group) {
        std::int32_t last_warp = -1;
        for (const std::int32_t warp : source.warps(group, warp_size)) {
            REQUIRE(warp > last_warp);
            last_warp = warp;
            const auto stream = source.open(group, warp, warp_size);
            WarpAccess access;
            std::int64_t last_step = -1;
            while (stream->next(access)) {
                REQUIRE(std::int64_t{access.step} > last_step);
                last_step = access.step;
                REQUIRE_FALSE(access.lanes.empty());
                int last_lane = -1;
                for (const LaneRead& lane : access.lanes) {
                    REQUIRE(int{lane.lane} > last_lane);
                    REQUIRE(int{lane.lane} < warp_size);
                    last_lane = lane.lane;
                    const bool is_new =
                        rows.insert({{group, warp * warp_size + lane.lane, access.step},
                                     {lane.image, lane.texel}})
                            .second;
                    REQUIRE(is_new);
                }
            }
            REQUIRE(last_step >= 0); // a warp that reads nothing does not exist
        }
    }
    return rows;
}

std::vector<TraceRow> random_csv_rows(Random& random)
{
    std::vector<TraceRow> rows;
    for (std::int64_t group = random.between(0, 2); group < 6; group += random.between(1, 3)) {
        const int items = random.small(1, 40);
        for (std::int32_t item = 0; item < items; item += random.small(1, 3)) {
            for (std::uint32_t step = 0; step < 6; ++step) {
                if (!random.one_in(3)) {
                    rows.push_back({group,
                                    item,
                                    step,
                                    static_cast<std::uint16_t>(random.between(0, 1)),
                                    {random.small(-3, 20), random.small(-3, 40)}});
                }
            }
        }
    }
    random.shuffle(rows);
    return rows;
}

std::string as_csv(const std::vector<TraceRow>& rows)
{
    std::string text = header;
    for (const TraceRow& r : rows) {
        text += std::to_string(r.group) + "," + std::to_string(r.item) + "," +
                std::to_string(r.step) + "," + (r.image == 0 ? "A" : "B") + "," +
                std::to_string(r.texel.x) + "," + std::to_string(r.texel.y) + "\n";
    }
    return text;
}

/// A file that is gone at the end of the test.
class TemporaryFile {
public:
    TemporaryFile(const std::string& name, const std::string& bytes)
        : path_(std::filesystem::temp_directory_path() /
                ("texelscope-test-" + std::to_string(std::random_device{}()) + name))
    {
        std::ofstream(path_, std::ios::binary) << bytes;
    }
    ~TemporaryFile() { std::filesystem::remove(path_); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    std::string path() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

} // namespace

TEST_CASE("rows in any order give the warps that their items belong to")
{
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Random random(seed);
        const std::vector<TraceRow> rows = random_csv_rows(random);
        const int warp_size = random.pick(std::vector<int>{1, 2, 5, 8, 16, 64});
        INFO("seed " << seed);
        std::map<std::tuple<std::int64_t, std::int32_t, std::uint32_t>,
                 std::pair<std::uint16_t, Texel>>
            expected;
        std::int64_t last_group = -1;
        for (const TraceRow& r : rows) {
            expected[{r.group, r.item, r.step}] = {r.image, r.texel};
            last_group = std::max(last_group, r.group);
        }
        const auto source = make_trace_source("rows", two_images, rows);
        REQUIRE(source->name() == "rows");
        REQUIRE(std::vector<Image>(source->images().begin(), source->images().end()) == two_images);
        REQUIRE(source->group_count() >= last_group + 1);
        REQUIRE(rows_of(*source, warp_size) == expected);
        REQUIRE(rows_of(*read(as_csv(rows)), warp_size) == expected);
        const TemporaryFile packed("rows.csv", in_gzip(as_csv(rows)));
        REQUIRE(rows_of(*read_csv(packed.path(), two_images), warp_size) == expected);

        // Writing and reading again gives the same, also without declared images.
        std::ostringstream out;
        REQUIRE(write_csv(out, *source) == static_cast<std::int64_t>(rows.size()));
        const auto again = read(out.str(), {});
        REQUIRE(rows_of(*again, warp_size) == expected);
        REQUIRE(again->images().size() == 2);
        REQUIRE(again->images()[1] == two_images[1]);
    }
}

TEST_CASE("a name that would be read as something else is not written")
{
    for (const char* name :
         {"A,0,0\n0,0,0,B", "A\n#image B:4x4x16", "a b", "", "\x1b[2J", "a\tb"}) {
        CAPTURE(name);
        const auto source = make_trace_source("t", {{name, {4, 4}}}, {{0, 0, 0, 0, {1, 2}}});
        std::ostringstream out;
        CHECK_THROWS_WITH(write_csv(out, *source),
                          Contains("has no place for the image") && !Contains("\n"));
        CHECK(out.str().empty());
    }
    const auto source = make_trace_source("t", {{"a:b\"c", {4, 4}}}, {{0, 0, 0, 0, {1, 2}}});
    std::ostringstream out;
    write_csv(out, *source);
    CHECK(read(out.str(), {})->images()[0].name == "a:b\"c");
}

TEST_CASE("next_group finds each group that reads, also in sparse numbers")
{
    const auto source = make_trace_source(
        "sparse", two_images,
        {{3, 0, 0, 0, {1, 1}}, {4'000'000'000'000, 0, 0, 0, {1, 1}}, {7, 1, 2, 0, {1, 1}}});
    CHECK(source->next_group(0) == 3);
    CHECK(source->next_group(3) == 3);
    CHECK(source->next_group(4) == 7);
    CHECK(source->next_group(8) == 4'000'000'000'000);
    CHECK(source->group_count() == 4'000'000'000'001);
    CHECK(source->next_group(4'000'000'000'001) == source->group_count());
    CHECK(source->warps(5, 4).empty());
}

TEST_CASE("a trace is written by group and warp, and within a warp by step and lane")
{
    const auto source = make_trace_source(
        "t", two_images,
        {{1, 0, 0, 0, {1, 2}}, {0, 1, 0, 1, {3, 4}}, {0, 0, 5, 0, {-1, 99}}, {0, 0, 0, 0, {5, 6}}});
    std::ostringstream out;
    write_csv(out, *source);
    std::istringstream lines(out.str());
    std::vector<std::string> rows;
    std::vector<std::string> images;
    for (std::string line; std::getline(lines, line);) {
        (line.starts_with("#image ") ? images : rows).push_back(line);
        if (line.starts_with("#") && !line.starts_with("#image ")) {
            rows.pop_back();
        }
    }
    CHECK(images == std::vector<std::string>{"#image A:16x16x16", "#image B:8x32x8"});
    CHECK(rows == std::vector<std::string>{"group,item,step,image,x,y", "0,0,0,A,5,6",
                                           "0,1,0,B,3,4", "0,0,5,A,-1,99", "1,0,0,A,1,2"});
}

TEST_CASE("two rows with the same group, item and step are refused")
{
    CHECK_THROWS_AS(
        make_trace_source("t", two_images, {{0, 1, 2, 0, {0, 0}}, {0, 1, 2, 1, {5, 5}}}), Error);
    CHECK_NOTHROW(make_trace_source("t", two_images, {{0, 1, 2, 0, {0, 0}}, {0, 1, 3, 0, {0, 0}}}));
    const std::string text = header + "0,1,2,A,0,0\n0,1,3,A,0,0\n0,1,2,B,1,1\n";
    CHECK_THAT(error_of(text), Contains("t.csv:4:"));
}

TEST_CASE("files are read plain or gzip-compressed, whatever their name")
{
    const std::string text = header + "0,0,0,A,1,2\n";
    for (const auto& [name, bytes] :
         std::map<std::string, std::string>{{"a.csv", text},
                                            {"a.csv.gz", in_gzip(text)},
                                            {"misnamed.csv", in_gzip(text)},
                                            {"plain.gz", text}}) {
        const TemporaryFile file(name, bytes);
        INFO(name);
        const auto rows = rows_of(*read_csv(file.path(), two_images), 4);
        CHECK(rows.size() == 1);
        CHECK(rows.at({0, 0, 0}) == std::pair<std::uint16_t, Texel>{0, {1, 2}});
    }
    const std::string absent =
        (std::filesystem::temp_directory_path() / "texelscope-no-such-file.csv").string();
    CHECK_THROWS_AS(read_csv(absent, two_images), Error);
    CHECK_THROWS_WITH(read_csv(absent, two_images), Contains("texelscope-no-such-file.csv"));
    const TemporaryFile bad("bad.csv", header + "0,0,0,A,1\n");
    CHECK_THROWS_WITH(read_csv(bad.path(), two_images), Contains(bad.path() + ":2:"));
}

TEST_CASE("a truncated or damaged gzip stream is an error, not a shorter trace")
{
    std::string text = header;
    for (int i = 0; i < 2000; ++i) {
        text += "0," + std::to_string(i) + ",0,A," + std::to_string(i * 7 % 16) + ",1\n";
    }
    const std::string packed = in_gzip(text);
    std::string damaged = packed;
    damaged[packed.size() / 2] = static_cast<char>(damaged[packed.size() / 2] ^ 0x55);
    for (const std::string& bad :
         {packed.substr(0, packed.size() / 2), packed.substr(0, packed.size() - 4),
          packed.substr(0, packed.size() - 8), packed.substr(0, 5), packed.substr(0, 2), damaged}) {
        const TemporaryFile file("cut.csv.gz", bad);
        INFO(bad.size() << " bytes of " << packed.size());
        CHECK_THROWS_AS(read_csv(file.path(), two_images), Error);
    }
}

TEST_CASE("line ends, comments and blank lines do not matter")
{
    const auto expected = rows_of(*read(header + "0,0,0,A,1,2\n1,3,4,B,5,6\n"), 4);
    REQUIRE(expected.size() == 2);
    const std::string crlf = "group,item,step,image,x,y\r\n0,0,0,A,1,2\r\n1,3,4,B,5,6\r\n";
    const std::string no_newline = header + "0,0,0,A,1,2\n1,3,4,B,5,6";
    const std::string crlf_no_newline = "group,item,step,image,x,y\r\n0,0,0,A,1,2\r\n1,3,4,B,5,6\r";
    const std::string comments =
        "# a trace\n# another line, with, commas\n" + header +
        "# between\n0,0,0,A,1,2\n#\n#imaginary: not a declaration\n1,3,4,B,5,6\n# end";
    const std::string blank = header + "0,0,0,A,1,2\n\n1,3,4,B,5,6\n\n";
    CHECK(rows_of(*read(crlf), 4) == expected);
    CHECK(rows_of(*read(no_newline), 4) == expected);
    CHECK(rows_of(*read(crlf_no_newline), 4) == expected);
    CHECK(rows_of(*read(comments), 4) == expected);
    CHECK(rows_of(*read(blank), 4) == expected);
    const TemporaryFile packed("crlf.csv.gz", in_gzip(crlf));
    CHECK(rows_of(*read_csv(packed.path(), two_images), 4) == expected);
}

TEST_CASE("a stream is unpacked just as a file is")
{
    const std::string text = header + "0,0,0,A,1,2\n1,3,4,B,5,6\n";
    CHECK(rows_of(*read(in_gzip(text)), 4) == rows_of(*read(text), 4));
}

TEST_CASE("images come from the file or from the caller, who wins")
{
    const std::string text =
        "#image A:4x4x8\n#image C:2x3x4\n" + header + "0,0,0,C,1,2\n0,0,1,A,3,3\n";
    const auto alone = read(text, {});
    REQUIRE(alone->images().size() == 2);
    CHECK(alone->images()[0] == Image{"A", {4, 4}, Bytes{8}});
    CHECK(alone->images()[1] == Image{"C", {2, 3}, Bytes{4}});
    const auto rows = rows_of(*alone, 4);
    CHECK(rows.at({0, 0, 0}) == std::pair<std::uint16_t, Texel>{1, {1, 2}});
    CHECK(rows.at({0, 0, 1}) == std::pair<std::uint16_t, Texel>{0, {3, 3}});

    const auto overridden = read(text, {{"A", {100, 50}, Bytes{16}, AddressMode::edge}});
    int found = 0;
    for (const Image& image : overridden->images()) {
        if (image.name == "A") {
            CHECK(image == Image{"A", {100, 50}, Bytes{16}, AddressMode::edge});
            ++found;
        }
    }
    CHECK(found == 1);
    CHECK(overridden->images().size() == 2);
}

TEST_CASE("each malformed line is refused with its file and number")
{
    const std::string good = "0,0,0,A,1,2\n";
    const std::string bad =
        GENERATE(as<std::string>(), "9223372036854775807,0,0,A,1,2", "1,0,0,A,1", "1,0,0,A,1,2,3",
                 "1,0,0,A,1,", ",0,0,A,1,2", "1,,0,A,1,2", "1,0,,A,1,2", "1,0,0,,1,2",
                 "x,0,0,A,1,2", "1,x,0,A,1,2", "1,0,x,A,1,2", "1,0,0,A,x,2", "1,0,0,A,1,y",
                 "-1,0,0,A,1,2", "1,-1,0,A,1,2", "1,0,-1,A,1,2", "1.5,0,0,A,1,2", "1,0,0,A,1.5,2",
                 "1,0,0,A,1,2z", "99999999999999999999,0,0,A,1,2", "1,99999999999,0,A,1,2",
                 "1,0,99999999999,A,1,2", "1,0,0,A,99999999999,2", "1,0,0,A,1,-99999999999",
                 "1,0,0,NOBODY,1,2", "1;0;0;A;1;2", "hello", "1,0,0,A,1,2 # c", "0,0,0,A,5,5");
    INFO(bad);
    CHECK_THAT(error_of(header + good + bad + "\n"), Contains("t.csv:3:"));
    CHECK_THAT(error_of("# comment\n\n" + header + good + bad), Contains("t.csv:5:"));
}

TEST_CASE("a missing or foreign header and a bad declaration are refused")
{
    CHECK_THAT(error_of(""), Contains("t.csv"));
    CHECK_THAT(error_of("# only a comment\n"), Contains("t.csv"));
    CHECK_THAT(error_of("0,0,0,A,1,2\n"), Contains("t.csv:1:"));
    CHECK_THAT(error_of("walk,step,x,y\n0,0,1,2\n"), Contains("t.csv:1:"));
    CHECK_THAT(error_of("group,item,step,image,x\n"), Contains("t.csv:1:"));
    CHECK_THAT(error_of("#image A:4x4\n" + header), Contains("t.csv:1:"));
    CHECK_THAT(error_of(header + "0,0,0,A,1,2\n", {}), Contains("t.csv") && Contains("A"));
}

TEST_CASE("a trace of a header alone is an empty launch")
{
    const auto source = read(header);
    CHECK(rows_of(*source, 8).empty());
}

TEST_CASE("an image is declared once, or alike")
{
    const std::string header = "group,item,step,image,x,y\n0,0,0,A,3,0\n";
    const std::string one = "#image A:4x4x16\n";
    CHECK(error_of(one + one + header, {}) == "(no error)");
    for (const std::string other : {"#image A:5x4x16\n", "#image A:4x5x16\n", "#image A:4x4x8\n"}) {
        CHECK_THAT(error_of(one + other + header, {}),
                   Contains("t.csv:2") && Contains("'A'") && Contains("another size"));
        // who reads it has the last word
        CHECK(error_of(other + header, {parse_image("A:4x4x16")}) == "(no error)");
    }
}

TEST_CASE("a byte order mark is no part of the header, and an empty file is called so")
{
    CHECK(error_of("\xef\xbb\xbfgroup,item,step,image,x,y\n", {}) == "(no error)");
    CHECK_THAT(error_of("", {}), Contains("empty"));
}
