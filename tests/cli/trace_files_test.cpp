// What the trace subcommands say and refuse: names, formats, pipes, full disks, and what a format
// has no place for.

#include "tests/cli/checked_program.hpp"
#include "tests/traces/random_trace.hpp"
#include "traces/native/trace_file.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <thread>

using namespace texelscope::test;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using nlohmann::json;
using texelscope::traces::TraceFile;

namespace {

const std::string small_csv =
    "#image A:4x4x16\ngroup,item,step,image,x,y\n0,0,0,A,1,0\n0,0,1,A,2,3\n";

/// What the command says where a pipe has these bytes for it.
ProgramResult run_on_pipe(const std::string& bytes, std::vector<std::string> words)
{
    const TemporaryFolder folder;
    const std::string pipe = folder.file("pipe");
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    std::thread writer([&] { std::ofstream(pipe, std::ios::binary) << bytes; });
    std::replace(words.begin(), words.end(), std::string("PIPE"), pipe);
    ProgramResult result = run_program(words);
    writer.join();
    return result;
}

/// Two launches that read images, write them and access buffers.
std::vector<Recording> busy_launches(Random& random)
{
    std::vector<Recording> launches;
    while (launches.size() < 2) {
        Recording made = random_recording(random);
        bool reads = false;
        bool writes = false;
        bool buffers = false;
        bool layers = false;
        for (const auto& [group, items] : made.groups) {
            for (const auto& item : items) {
                for (const auto& access : item.accesses) {
                    reads = reads || access.kind == texelscope::traces::AccessKind::image_read;
                    writes = writes || access.kind == texelscope::traces::AccessKind::image_write;
                    buffers = buffers || access.kind == texelscope::traces::AccessKind::buffer_read;
                    layers = layers || (access.kind == texelscope::traces::AccessKind::image_read &&
                                        made.launch.images[access.object].depth > 1);
                }
            }
        }
        if (reads && writes && buffers && layers) {
            launches.push_back(std::move(made));
        }
    }
    return launches;
}

} // namespace

TEST_CASE(
    "export from native to native keeps everything, and other formats say what they leave out")
{
    const TemporaryFolder folder;
    Random random(51);
    const std::string path = folder.file("t.tst");
    write_recordings(path, busy_launches(random));
    const std::string all = folder.file("all.tst");
    REQUIRE(run_program({"trace", "export", path, "-o", all}).exit_code == 0);
    CHECK(read_file(all) == read_file(path));
    const std::string second = folder.file("second.tst");
    REQUIRE(run_program({"trace", "export", path, "--launch", "1", "-o", second}).exit_code == 0);
    const TraceFile whole(path);
    const TraceFile one(second);
    REQUIRE(one.launch_count() == 1);
    CHECK(one.launch(0) == whole.launch(1));
    CHECK(one.totals(0) == whole.totals(1));
    for (std::size_t i = 0; i < whole.groups(1).size(); ++i) {
        CHECK(one.group(0, whole.groups(1).group(i)) == whole.group(1, whole.groups(1).group(i)));
    }
    const ProgramResult csv =
        run_program({"trace", "export", path, "--launch", "1", "-o", folder.file("t.csv")});
    CHECK(csv.exit_code == 0);
    const auto count = [](const std::vector<std::int64_t>& counts) {
        std::int64_t sum = 0;
        for (const std::int64_t n : counts) {
            sum += n;
        }
        return std::to_string(sum);
    };
    const auto& totals = whole.totals(1);
    CHECK_THAT(csv.errors, !Contains("layers"));
    CHECK_THAT(read_file(folder.file("t.csv")), Contains("#image I") && Contains("]:"));
    CHECK_THAT(csv.errors, Contains(count(totals.writes) + " image writes"));
    CHECK_THAT(csv.errors,
               Contains(std::to_string(totals.buffer_reads[0] + totals.buffer_writes[0]) +
                        " accesses to buffers"));
    CHECK_THAT(csv.errors, Contains("numbers of arguments"));
    CHECK_THAT(run_program({"trace", "export", path, "-o", folder.file("u.csv")}).errors,
               Contains("has 2 launches"));
}

TEST_CASE("CSV says that it holds no address mode and no sizes of work-groups")
{
    const TemporaryFolder folder;
    const std::string csv = folder.write("t.csv", small_csv);
    CHECK_THAT(run_program({"trace", "export", csv, "-o", folder.file("b.csv")}).errors,
               !Contains("does not hold"));
    CHECK_THAT(
        run_program({"trace", "export", csv, "--address", "edge", "-o", folder.file("e.csv")})
            .errors,
        Contains("outside of A") && Contains("--address edge"));
    CHECK_THAT(
        run_program({"trace", "generate", "--shape", "8,8,8", "-o", folder.file("g.csv")}).errors,
        Contains("sizes of work-groups"));
}

TEST_CASE("an export to a full disk fails, however short")
{
    const TemporaryFolder folder;
    const std::string csv = folder.write("t.csv", small_csv);
    for (const std::string ending :
         {"csv", "csv.gz", "csv.xz", "csv.zst", "din", "d4b", "oracleGeneral", "traceg", "tst"}) {
        CAPTURE(ending);
        const std::string full = folder.file("full." + ending);
        std::filesystem::create_symlink("/dev/full", full);
        const ProgramResult result = run_program({"trace", "export", csv, "-o", full});
        CHECK(result.exit_code == 2);
        CHECK_THAT(result.errors, Contains("No space left on device"));
    }
    CHECK(run_to_full_device({"trace", "export", csv}) == 2);
}

TEST_CASE("the format that is named goes to standard output, too")
{
    const TemporaryFolder folder;
    const std::string csv = folder.write("t.csv", small_csv);
    CHECK(run_program({"trace", "export", csv, "--format", "din"}).output == "0 10\n0 e0\n");
    CHECK(
        run_program({"trace", "export", csv, "--format", "din-binary", "-o", "-"}).output.size() ==
        16);
    CHECK_THAT(run_program({"trace", "export", csv}).output, StartsWith("#image A:4x4x16\n"));
    const ProgramResult native = run_program({"trace", "export", csv, "--format", "native"});
    CHECK(native.exit_code == 2);
    CHECK(native.output.empty());
}

TEST_CASE("a CSV comes through a pipe; a native trace does not, and that is said")
{
    for (const char* sub : {"info", "head", "export", "import"}) {
        CAPTURE(sub);
        const TemporaryFolder folder;
        const std::string csv = folder.write("t.csv", small_csv);
        const ProgramResult piped = run_on_pipe(small_csv, {"trace", sub, "PIPE"});
        CHECK(piped.exit_code == 0);
        const ProgramResult from_file = run_program({"trace", sub, csv});
        CHECK(piped.output.size() > 20);
        // the first line of info has the name
        CHECK(piped.output.substr(piped.output.find('\n')) ==
              from_file.output.substr(from_file.output.find('\n')));
    }
    const TemporaryFolder folder;
    Random random(52);
    write_recordings(folder.file("t.tst"), {random_recording(random)});
    const std::string native = read_file(folder.file("t.tst"));
    REQUIRE(native.size() < 60000); // or the writer would wait for a reader
    const ProgramResult refused = run_on_pipe(native, {"trace", "info", "PIPE"});
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.errors, Contains("pipe"));
}

TEST_CASE("names that promise another file than is written are refused")
{
    const TemporaryFolder folder;
    const std::string csv = folder.write("t.csv", small_csv);
    for (const std::string name : {"t.tst.gz", "t.tst.xz", "t.tst.zst"}) {
        const ProgramResult refused =
            run_program({"trace", "export", csv, "-o", folder.file(name)});
        CHECK(refused.exit_code == 2);
        CHECK_THAT(refused.errors, Contains("compressed within"));
        CHECK_THAT(run_program({"trace", "capture", "-o", folder.file(name), "--", "true"}).errors,
                   Contains("compressed within"));
    }
    CHECK(run_program({"trace", "export", csv, "--format", "native", "-o", folder.file("t.gz")})
              .exit_code == 2);
    for (const std::string name : {"t.csv", "t.csv.gz", "t.din"}) {
        const ProgramResult refused =
            run_program({"trace", "capture", "-o", folder.file(name), "--", "true"});
        CHECK(refused.exit_code == 2);
        CHECK_THAT(refused.errors, Contains("native"));
    }
    CHECK_THAT(run_program({"trace", "capture", "-o", "-", "--", "true"}).errors,
               Contains("standard output"));
    CHECK(folder.files() == 1);
}

TEST_CASE("info looks at accesses when it is told to")
{
    const TemporaryFolder folder;
    Random random(53);
    const std::string path = folder.file("t.tst");
    write_recordings(path, busy_launches(random));
    CHECK_THAT(run_program({"trace", "info", path}).output, Contains("--verify"));
    CHECK_THAT(run_program({"trace", "info", "--verify", path}).output, !Contains("--verify"));
    CHECK(json_of({"trace", "info", path})["verified"] == false);
    CHECK(json_of({"trace", "info", "--verify", path})["verified"] == true);
    std::string bytes = read_file(path);
    const std::size_t at = bytes.find(std::string("TXCKR\0\0\0", 8));
    REQUIRE(at != std::string::npos);
    bytes[at + 50] = static_cast<char>(bytes[at + 50] ^ 1);
    const std::string damaged = folder.write("d.tst", bytes);
    CHECK(run_program({"trace", "info", damaged}).exit_code == 0);
    const ProgramResult refused = run_program({"trace", "info", "--verify", damaged});
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.errors, Contains("byte " + std::to_string(at)));
}

TEST_CASE("what is no use is refused, and the message says what is")
{
    const TemporaryFolder folder;
    const std::string csv = folder.write("t.csv", small_csv);
    const std::string native = folder.file("t.tst");
    REQUIRE(run_program({"trace", "import", csv, "-o", native}).exit_code == 0);
    for (const char* sub : {"info", "head", "import", "export"}) {
        CHECK_THAT(run_program({"trace", sub, native, "--image", "A:4x4x16"}).errors,
                   Contains("not for native traces"));
    }
    for (const std::string name :
         {"t.din", "t.d4b", "t.traceg", "t.oracleGeneral", "t.oracleGeneral.bin"}) {
        const std::string file = folder.write(name, "0 10\n");
        for (const char* sub : {"info", "head", "export"}) {
            CAPTURE(name, sub);
            const ProgramResult refused = run_program({"trace", sub, file});
            CHECK(refused.exit_code == 2);
            CHECK_THAT(refused.errors, Contains("trace import") && Contains("--image"));
        }
    }
    CHECK_THAT(
        run_program({"trace", "import", folder.write("t.d4b", "12345"), "--image", "A:4x4x16"})
            .errors,
        Contains("--from") && !Contains("--format"));
    for (const std::string name : {"e.csv", "e.tst", "e.din"}) {
        CHECK_THAT(run_program({"trace", "info", folder.write(name, "")}).errors,
                   Contains("empty"));
    }
    CHECK_THAT(run_program({"trace", "info", folder.write("tiny.tst", "TXS")}).errors,
               Contains("TXSTRACE"));
}

TEST_CASE("head shows a group in program order")
{
    const TemporaryFolder folder;
    Random random(54);
    const std::vector<Recording> launches = busy_launches(random);
    const std::string path = folder.file("t.tst");
    write_recordings(path, launches);
    const char* const names[] = {"read", "write", "buffer read", "buffer write"};
    for (int launch = 0; launch < 2; ++launch) {
        const Recording& made = launches[static_cast<std::size_t>(launch)];
        // By group, then by place, then by item.
        std::vector<std::array<std::int64_t, 4>> order;
        for (const auto& [group, items] : made.groups) {
            for (const auto& item : items) {
                for (std::size_t place = 0; place < item.accesses.size(); ++place) {
                    order.push_back({group, static_cast<std::int64_t>(place), item.item,
                                     static_cast<std::int64_t>(item.accesses[place].kind)});
                }
            }
        }
        std::sort(order.begin(), order.end());
        for (const std::size_t count : {std::size_t{1}, std::size_t{50}, order.size()}) {
            const json rows = json_of({"trace", "head", path, "--launch", std::to_string(launch),
                                       "-n", std::to_string(count)})["acces"
                                                                     "ses"];
            REQUIRE(rows.size() == std::min(count, order.size()));
            for (std::size_t i = 0; i < rows.size(); ++i) {
                REQUIRE(rows[i]["group"] == order[i][0]);
                REQUIRE(rows[i]["item"] == order[i][2]);
                REQUIRE(rows[i]["access"] == names[order[i][3]]);
            }
        }
    }
}

TEST_CASE("diff can leave names and sizes aside")
{
    const TemporaryFolder folder;
    Random random(55);
    std::vector<Recording> launches = busy_launches(random);
    const std::string path = folder.file("a.tst");
    write_recordings(path, launches);
    launches[0].launch.kernel = "renamed";
    launches[1].launch.images[0].name = "other";
    const std::string renamed = folder.file("b.tst");
    write_recordings(renamed, launches);
    CHECK_THAT(run_program({"trace", "diff", path, renamed}).output, Contains("renamed"));
    CHECK(run_program({"trace", "diff", "--accesses-only", path, renamed}).exit_code == 0);
    auto& access = launches[1].groups.back().second.back().accesses.back();
    access.kind = texelscope::traces::AccessKind::image_read;
    access.object = 0;
    ++access.x;
    const std::string changed = folder.file("c.tst");
    write_recordings(changed, launches);
    const ProgramResult differ = run_program({"trace", "diff", "--accesses-only", path, changed});
    CHECK(differ.exit_code == 1);
    CHECK_THAT(differ.output, StartsWith("launch 1 ") && Contains("work-item"));
}
