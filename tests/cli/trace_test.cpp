// Traces from file to file: every format, several launches, damage, and the reader in Python.

#include "tests/cli/checked_program.hpp"
#include "tests/traces/random_trace.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <sstream>

using namespace texelscope::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

const Words operator_words{"--op", "matmul", "--shape", "40,24,16"};

/// The rows of a CSV, without its comments.
std::string rows_of(const std::string& path)
{
    std::istringstream in(read_file(path));
    std::string rows;
    for (std::string line; std::getline(in, line);) {
        rows += line.starts_with('#') ? "" : line + "\n";
    }
    return rows;
}

} // namespace

TEST_CASE("a generated native trace says its reads and simulates like its operator on two devices")
{
    const TemporaryFolder folder;
    const std::string trace = folder.file("t.tst");
    REQUIRE(run_program(Words{"trace", "generate", "-o", trace} + operator_words).exit_code == 0);
    const json info = json_of({"trace", "info", trace});
    CHECK(info["launches"].size() == 1);
    // 40 x 24 outputs in texels of 4; A and B texel by texel over 16 values of k: counted by the
    // CSV route.
    const json direct_info = json_of(Words{"trace", "info"} + operator_words);
    CHECK(info["launches"][0]["reads"] == direct_info["launches"][0]["reads"]);
    CHECK(info["launches"][0]["global"] == direct_info["launches"][0]["global"]);
    for (const std::string device : {"adreno-740", "adreno-640"}) {
        CAPTURE(device);
        const json direct = json_of(Words{"simulate", "--device", device} + operator_words);
        const std::string occupancy = "occupancy=" + std::to_string(direct["occupancy"].get<int>());
        for (const Words& form : {Words{"--trace", trace}, Words{trace}}) {
            const json traced =
                json_of(Words{"simulate", "--device", device, "--set", occupancy} + form);
            for (const char* key : {"launch", "l1", "l2", "memory"}) {
                CHECK(traced[key] == direct[key]);
            }
        }
    }
    const json histogram = json_of({"histogram", "--trace", trace, "--all"});
    CHECK(histogram["cross_block"] ==
          json_of(Words{"histogram", "--all"} + operator_words)["cross_block"]);
}

TEST_CASE("random reads survive every format")
{
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const TemporaryFolder folder;
        std::ostringstream csv;
        csv << "group,item,step,image,x,y\n";
        std::ostringstream serial; // the same reads by one work-item, in the order of warps of 4
        serial << "group,item,step,image,x,y\n";
        int count = 0;
        for (int group = 0; group < 4; ++group) {
            std::vector<std::string> rows(static_cast<std::size_t>(8));
            for (int warp = 0; warp < 2; ++warp) {
                for (int step = 0; step < 3; ++step) {
                    for (int lane = 0; lane < 4; ++lane) {
                        const std::string read = std::string(random.one_in(2) ? "A," : "B,") +
                                                 std::to_string(random.small(0, 11)) + "," +
                                                 std::to_string(random.small(0, 9));
                        const int item = 4 * warp + lane;
                        rows[static_cast<std::size_t>(item)] +=
                            std::to_string(group) + "," + std::to_string(item) + "," +
                            std::to_string(step) + "," + read + "\n";
                        serial << "0,0," << count++ << "," << read << "\n";
                    }
                }
            }
            for (const std::string& row : rows) {
                csv << row;
            }
        }
        const Words images{"--image", "A:12x10x16", "--image", "B:12x10x16"};
        const std::string original = folder.write("original.csv", csv.str());
        const std::string expected = folder.file("expected.csv");
        REQUIRE(
            run_program(Words{"trace", "import", original, "-o", expected} + images).exit_code ==
            0);
        const std::string expected_serial = folder.file("serial.csv");
        REQUIRE(run_program(Words{"trace", "import", folder.write("s.csv", serial.str()), "-o",
                                  expected_serial} +
                            images)
                    .exit_code == 0);
        const std::string native = folder.file("t.tst");
        REQUIRE(run_program(Words{"trace", "import", original, "-o", native} + images).exit_code ==
                0);
        const std::string layout =
            random.pick<std::string>({"row", "column", "4x4:row,row", "2x2:row,4x4:morton,row"});
        CAPTURE(layout);
        for (const std::string ending :
             {"tst", "csv", "csv.gz", "csv.zst", "din", "din.gz", "d4b", "oracleGeneral",
              "oracleGeneral.zst", "traceg", "traceg.gz"}) {
            for (const std::string way : {"list-all", "base-stride", "base-delta", "shortest"}) {
                if (way != "shortest" && ending != "traceg") {
                    continue;
                }
                CAPTURE(ending, way);
                const std::string there = folder.file("there." + ending);
                const std::string back = folder.file("back.csv");
                REQUIRE(run_program({"trace", "export", native, "-o", there, "--layout", layout,
                                     "--warp", "4", "--traceg-addresses", way})
                            .exit_code == 0);
                const bool declared = ending == "tst";
                REQUIRE(
                    run_program(Words{"trace", "import", there, "-o", back, "--layout", layout} +
                                (declared ? Words{} : images))
                        .exit_code == 0);
                const bool keeps_items =
                    ending.starts_with("csv") || ending == "tst" || ending.starts_with("traceg");
                CHECK(rows_of(back) == rows_of(keeps_items ? expected : expected_serial));
            }
        }
    }
}

TEST_CASE("lanes that move over the edges of an image count the same from CSV and native")
{
    const TemporaryFolder folder;
    for (const std::string mode : {"border", "edge"}) {
        std::ostringstream csv;
        csv << "#image A:20x16x16\n#image B:9x30x4\ngroup,item,step,image,x,y\n";
        for (int group = 0; group < 5; ++group) {
            for (int item = 0; item < 12; ++item) {
                for (int step = 0; step < 60; ++step) {
                    const bool b = step % 3 == 2;
                    csv << group << ',' << item << ',' << step << ',' << (b ? 'B' : 'A') << ','
                        << step % 25 - 3 + item % 4 << ','
                        << (step == 40 && item == 3 ? 2147483647 : group * 3 - 4 + item / 4)
                        << '\n';
                }
            }
        }
        const std::string plain = folder.write("t.csv", csv.str());
        const std::string native = folder.file("t.tst");
        REQUIRE(
            run_program({"trace", "import", plain, "--address", mode, "-o", native}).exit_code ==
            0);
        for (const Words& settings :
             {Words{"--set", "l1.capacity=1024"},
              Words{"--set", "layout=4x4:morton,row", "--set", "warp.size=4", "--set", "cores=2"},
              Words{"--timed"},
              Words{"--set", "warp.size=32", "--set", "schedule.groups=refill"}}) {
            CAPTURE(mode, settings);
            const json one = json_of(Words{"simulate", plain, "--address", mode} + settings);
            const json other = json_of(Words{"simulate", native} + settings);
            for (const char* key : {"launch", "l1", "l2", "memory", "cycles"}) {
                CHECK(one[key] == other[key]);
            }
        }
    }
}

TEST_CASE("oracleGeneral has the number of the next read of the address, counted from 1")
{
    const TemporaryFolder folder;
    const std::string csv =
        folder.write("t.csv", "#image A:4x4x16\ngroup,item,step,image,x,y\n0,0,0,A,1,0\n"
                              "0,0,1,A,2,0\n0,0,2,A,1,0\n0,0,3,A,1,0\n0,0,4,A,-1,0\n");
    const std::string file = folder.file("t.oracleGeneral");
    const ProgramResult done = run_program({"trace", "export", csv, "-o", file});
    REQUIRE(done.exit_code == 0);
    CHECK_THAT(done.errors, Contains("1 reads lie outside"));
    const std::string bytes = read_file(file);
    REQUIRE(bytes.size() == 4 * 24);
    const auto byte = [&](int record, int at) {
        return bytes[static_cast<std::size_t>(record * 24 + at)];
    };
    CHECK((byte(0, 16) == 3 && byte(2, 16) == 4));
    CHECK((byte(1, 16) == '\xff' && byte(1, 23) == '\xff' && byte(3, 16) == '\xff'));
    CHECK((byte(0, 4) == 16 && byte(1, 4) == 32 && byte(0, 12) == 16 && byte(1, 0) == 1));
}

TEST_CASE("launches are chosen, headed, compared and salvaged")
{
    const TemporaryFolder folder;
    Random random(11);
    std::vector<Recording> launches{random_recording(random), random_recording(random)};
    const std::string path = folder.file("t.tst");
    write_recordings(path, launches);
    CHECK(json_of({"trace", "info", path})["launches"].size() == 2);
    CHECK(json_of({"trace", "info", path, "--launch", "1"})["launches"].size() == 1);
    const ProgramResult several = run_program({"simulate", "--trace", path});
    CHECK(several.exit_code == 2);
    CHECK_THAT(several.errors, Contains("has 2 launches"));
    CHECK_THAT(run_program({"simulate", "--trace", path, "--launch", "2"}).errors,
               Contains("no launch 2"));
    CHECK(json_of({"trace", "head", path, "--launch", "0", "-n", "3"})["accesses"].size() == 3);
    CHECK(run_program({"trace", "diff", path, path}).exit_code == 0);
    const std::string copy = folder.file("copy.tst");
    REQUIRE(run_program({"trace", "import", path, "-o", copy}).exit_code == 0);
    CHECK(read_file(copy) == read_file(path));
    const std::string first = folder.file("first.tst");
    REQUIRE(run_program({"trace", "import", path, "--launch", "0", "-o", first}).exit_code == 0);
    const ProgramResult differ = run_program({"trace", "diff", path, first});
    CHECK(differ.exit_code == 1);
    CHECK(differ.output == "the first trace has 2 launches, the second 1\n");

    const std::string cut =
        folder.write("cut.tst", read_file(path).substr(0, read_file(path).size() - 30));
    const ProgramResult refused = run_program({"trace", "info", cut});
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.errors, Contains("byte " + std::to_string(read_file(cut).size())));
    const std::string salvaged = folder.file("salvaged.tst");
    REQUIRE(run_program({"trace", "import", cut, "--salvage", "-o", salvaged}).exit_code == 0);
    CHECK(run_program({"trace", "diff", path, salvaged}).exit_code == 0);
}

TEST_CASE("addresses need images, and say what lies outside of them")
{
    const TemporaryFolder folder;
    const std::string din = folder.write("t.din", "0 0\n1 10\n0 10\n0 fffff\n");
    CHECK_THAT(run_program({"trace", "import", din}).errors, Contains("--image"));
    const ProgramResult some = run_program({"trace", "import", din, "--image", "A:4x4x16"});
    CHECK(some.output == "#image A:4x4x16\ngroup,item,step,image,x,y\n0,0,0,A,0,0\n0,0,1,A,1,0\n");
    CHECK_THAT(some.errors, Contains("1 accesses that are no loads") &&
                                Contains("1 reads of addresses in no image"));
    const std::string none = folder.write("n.din", "0 fffff\n");
    CHECK_THAT(run_program({"trace", "import", none, "--image", "A:4x4x16"}).errors,
               Contains("none of 1 addresses"));
    const std::string gap = folder.write(
        "gap.csv", "#image A:4x4x16\ngroup,item,step,image,x,y\n0,0,0,A,0,0\n0,0,2,A,1,0\n");
    CHECK_THAT(run_program({"trace", "export", gap, "-o", folder.file("gap.traceg")}).errors,
               Contains("does not hold the numbers of steps"));
    const std::string even = folder.write(
        "even.csv", "#image A:4x4x16\ngroup,item,step,image,x,y\n0,0,0,A,0,0\n0,0,1,A,1,0\n");
    CHECK_THAT(run_program({"trace", "export", even, "-o", folder.file("even.traceg")}).errors,
               !Contains("the numbers of steps"));
    const std::string odd =
        folder.write("odd.csv", "#image A:4x4x12\ngroup,item,step,image,x,y\n0,0,0,A,1,0\n");
    CHECK_THAT(run_program({"trace", "export", odd, "-o", folder.file("t.traceg")}).errors,
               Contains("12 bytes"));
}

TEST_CASE("images lie at the base addresses that a trace has, packed or not")
{
    const TemporaryFolder folder;
    const std::string kernel =
        "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n\n#BEGIN_TB\n"
        "thread block = 0,0,0\nwarp = 0\ninsts = 3\n"
        "0098 00000003 1 R4 LDG.E.CG 1 R4 4 1 0x7fd165500000 4\n"
        "00a8 00000001 1 R4 LDG.E.64 1 R4 8 1 0x7fd165500200 8\n"
        "00d8 00000001 0 STG.E 2 R6 R0 4 1 0x7fd165600000 4\n#END_TB\n";
    const std::string traceg = folder.write("k.traceg", kernel);
    const Words import{"trace", "import"};
    const Words image{"--image", "A:64x64x4@0x7fd165500000"};
    const std::string rows =
        "#image A:64x64x4\ngroup,item,step,image,x,y\n0,0,0,A,0,0\n0,1,0,A,1,0\n"
        "0,0,1,A,0,2\n0,0,2,A,1,2\n";
    CHECK(run_program(import + Words{traceg} + image).output == rows);
    const ProgramResult nowhere = run_program(import + Words{traceg, "--image", "A:64x64x4"});
    CHECK(nowhere.exit_code == 2);
    CHECK_THAT(nowhere.errors,
               Contains("none of 3 addresses, 0x7fd165500000 to 0x7fd165500200, lies in an image"));
    const std::string din = folder.write("k.din", "0 7fd165500000\n0 7fd165500204\n");
    CHECK(run_program(import + Words{din} + image).output ==
          "#image A:64x64x4\ngroup,item,step,image,x,y\n0,0,0,A,0,0\n0,0,1,A,1,2\n");
    // As Accel-Sim packs them: xz.
    const std::string native = folder.file("k.tst");
    REQUIRE(run_program(import + Words{traceg, "-o", native} + image).exit_code == 0);
    for (const std::string ending : {"traceg.xz", "din.xz", "csv.xz"}) {
        CAPTURE(ending);
        const std::string packed = folder.file("p." + ending);
        REQUIRE(run_program({"trace", "export", native, "-o", packed}).exit_code == 0);
        CHECK(read_file(packed).starts_with("\xfd"
                                            "7zXZ"));
        const Words images = ending == "csv.xz" ? Words{} : Words{"--image", "A:64x64x4"};
        const std::string again = run_program(import + Words{packed} + images).output;
        CHECK(std::count(again.begin(), again.end(), '\n') == 6);
        CHECK_THAT(again, Contains(",A,0,2\n") && Contains(",A,1,2\n"));
    }
}

TEST_CASE("base addresses that cannot be are refused in one line")
{
    const TemporaryFolder folder;
    const std::string din = folder.write("t.din", "0 1000\n");
    const std::string csv = folder.write("t.csv", "group,item,step,image,x,y\n0,0,0,A,1,0\n");
    const auto refused = [](const Words& words, const std::string& why) {
        const ProgramResult result = run_program(words);
        CHECK(result.exit_code == 2);
        CHECK(result.output.empty());
        CHECK_THAT(result.errors, Contains(why));
        CHECK(std::count(result.errors.begin(), result.errors.end(), '\n') == 1);
    };
    const Words import{"trace", "import", din};
    refused(import + Words{"--image", "A:4x4x16@1000"}, "hexadecimal");
    refused(import + Words{"--image", "A:4x4x16@0x1000", "--image", "B:4x4x16"},
            "1 of 2 images have a base address");
    refused(import + Words{"--image", "A:4x4x16@0x1000", "--image", "B:4x4x16@0x1080"},
            "'A' lies from 0x1000 to 0x10ff");
    refused({"trace", "import", csv, "--image", "A:4x4x16@0x1000"}, "trace of byte addresses");
    refused({"trace", "info", csv, "--image", "A:4x4x16@0x1000"}, "trace of byte addresses");
    refused({"simulate", csv, "--image", "A:4x4x16@0x1000"}, "trace of byte addresses");
}

TEST_CASE("the reader in Python reads what was written")
{
    const TemporaryFolder folder;
    const std::string output = folder.file("output");
    const std::string quiet = " > " + output + " 2> " + folder.file("errors");
    if (std::system(("'" TEXELSCOPE_PYTHON "' -c 'import zstandard'" + quiet).c_str()) != 0) {
        WARN("not run: there is no Python with zstandard (python3-zstandard)");
        return;
    }
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const std::vector<Recording> launches{random_recording(random), random_recording(random)};
        const std::string path = folder.file("t.tst");
        write_recordings(path, launches);
        // Every access as the reader prints it, in any order.
        std::vector<std::string> expected;
        for (std::size_t l = 0; l < launches.size(); ++l) {
            expected.push_back("# " + std::to_string(l) + " " + launches[l].launch.kernel);
            for (const auto& [group, items] : launches[l].groups) {
                for (const auto& item : items) {
                    int reads = 0;
                    int place = 0;
                    for (const auto& access : item.accesses) {
                        const bool read = access.kind == texelscope::traces::AccessKind::image_read;
                        const bool image =
                            read || access.kind == texelscope::traces::AccessKind::image_write;
                        std::ostringstream line;
                        line << l << ' ' << group << ' ' << (read ? reads : place) << ' '
                             << item.item << ' ' << static_cast<int>(access.kind) << ' '
                             << access.object << ' ' << (image ? access.x : access.offset) << ' '
                             << (image ? access.y : 0) << ' ' << (image ? access.z : 0) << ' '
                             << access.bytes;
                        expected.push_back(line.str());
                        reads += read ? 1 : 0;
                        ++place;
                    }
                }
            }
        }
        REQUIRE(std::system(
                    ("'" TEXELSCOPE_PYTHON "' '" TEXELSCOPE_TRACE_READER "' '" + path + "'" + quiet)
                        .c_str()) == 0);
        std::vector<std::string> lines;
        std::istringstream in(read_file(output));
        for (std::string line; std::getline(in, line);) {
            lines.push_back(line);
        }
        std::sort(lines.begin(), lines.end());
        std::sort(expected.begin(), expected.end());
        CHECK(lines == expected);
    }
}
