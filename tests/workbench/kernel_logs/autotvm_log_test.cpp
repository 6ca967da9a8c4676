// Logs of AutoTVM: lines as values, what is wrong with which line, packed files, folders.

#include "base/error.hpp"
#include "base/zstd_stream.hpp"
#include "tests/base/temporary_folder.hpp"
#include "tests/workbench/kernel_logs/log_lines.hpp"
#include "workbench/kernel_logs/autotvm_log.hpp"
#include "workbench/kernel_logs/log_folder.hpp"

#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace texelscope::base;
using namespace texelscope::workbench::kernel_logs;
using namespace texelscope::test;
using Catch::Matchers::Contains;

namespace {

void write_bytes(const std::string& path, const std::string& bytes)
{
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
}

template <class Filter>
std::string packed_with(const std::string& text, const Filter& filter)
{
    std::ostringstream packed;
    {
        boost::iostreams::filtering_ostream out;
        out.push(filter);
        out.push(packed);
        out << text;
    }
    return packed.str();
}

std::string zstd_of(const std::string& text)
{
    std::string packed;
    ZstdWriter writer([&](std::string_view bytes) { packed += bytes; });
    writer.write(text);
    writer.finish();
    return packed;
}

bool same(const LogRow& a, const LogRow& b)
{
    return a.target == b.target && a.task == b.task && a.tensors == b.tensors &&
           a.lists == b.lists && a.out_dtype == b.out_dtype && a.arguments == b.arguments &&
           a.knobs == b.knobs && a.seconds == b.seconds && a.error == b.error &&
           a.timestamp == b.timestamp && a.tvm_version == b.tvm_version;
}

} // namespace

TEST_CASE("kernel logs: a line of AutoTVM is read as it stands there", "[kernel_logs]")
{
    const AutotvmLog log = parse_autotvm_log(LogLine{.seconds = "[0.001, 0.003]"}.text() + "\n");
    REQUIRE(log.malformed.empty());
    REQUIRE(log.rows.size() == 1);
    const LogRow& row = log.rows.front();
    CHECK(row.line == 1);
    CHECK(row.task == "conv2d_nchwc.image2d");
    REQUIRE(row.tensors.size() == 2);
    CHECK(row.tensors[0] == TensorArgument{{1, 24, 20, 18}, "float32"});
    CHECK(row.tensors[1] == TensorArgument{{40, 24, 3, 3}, "float32"});
    CHECK(row.lists == std::vector<std::vector<std::int64_t>>{{1, 1}, {1, 1, 1, 1}, {1, 1}});
    CHECK(row.out_dtype == "float32");
    REQUIRE(row.knob("tile_x") != nullptr);
    CHECK(row.knob("tile_x")->numbers == std::vector<std::int64_t>{-1, 3, 2});
    CHECK(row.knob("tile_z") == nullptr);
    CHECK(row.mean_ns() == Approx(2e6));
    CHECK(row.timestamp == 1693000000);
    CHECK(row.tvm_version == "0.14.dev0");
}

TEST_CASE("kernel logs: nothing of a log is lost", "[kernel_logs]")
{
    // Two good ones, one of each error, and lines that are none.
    std::string text = LogLine{}.text() + "\r\n\n";
    for (int error = 0; error < 8; ++error) {
        text += LogLine{.seconds = error == 0 ? "[0.5]" : "[1e9]", .error = error}.text() + "\n";
    }
    text += "{\"input\": 3}\nnot JSON\n" + LogLine{.error = 8}.text() + "\n" +
            LogLine{.seconds = "[]"}.text() + "\n" + LogLine{}.text().substr(0, 90);
    const AutotvmLog log = parse_autotvm_log(text);
    CHECK(log.rows.size() == 9);
    CHECK(log.errors == std::array<std::int64_t, 8>{2, 1, 1, 1, 1, 1, 1, 1});
    REQUIRE(log.malformed.size() == 5);
    for (std::size_t i = 0; i < 5; ++i) {
        CHECK(log.malformed[i].line == 11 + static_cast<std::int64_t>(i));
    }
    CHECK_THAT(log.malformed[2].reason, Contains("error 8"));
    CHECK_THAT(log.malformed[3].reason, Contains("no time"));
    CHECK(log.rows.back().line == 10);
}

TEST_CASE("kernel logs: a row that is written is read as the same row", "[kernel_logs]")
{
    for (const LogLine& line :
         {LogLine{}, LogLine{.task = "depthwise_conv2d_nchwc.image2d", .type = "float16"},
          LogLine{.seconds = "[1e9]", .error = 4, .timestamp = 0}}) {
        const LogRow row = parse_autotvm_log(line.text()).rows.at(0);
        const LogRow again = parse_autotvm_log(autotvm_line(row)).rows.at(0);
        CHECK(same(row, again));
    }
}

TEST_CASE("kernel logs: packed files are read like plain ones, whatever they are called",
          "[kernel_logs]")
{
    const TemporaryFolder folder;
    const std::string text = LogLine{}.text() + "\n" + LogLine{.error = 7}.text() + "\n";
    const std::string gzip = packed_with(text, boost::iostreams::gzip_compressor());
    const std::string xz = packed_with(text, boost::iostreams::lzma_compressor());
    const std::string root = folder.path() + "/";
    write_bytes(root + "logs/a.log", text);
    write_bytes(root + "logs_gen1/deep/b.gz", gzip);
    write_bytes(root + "logs_8gen2/c", xz);
    write_bytes(root + "elsewhere/d.json", zstd_of(text));
    write_bytes(root + "README", "no log\n");
    write_bytes(root + "trace", "TXSTRACE and more");
    write_bytes(root + "empty", "");
    const LogFolder read = read_logs(folder.path());
    REQUIRE(read.logs.size() == 4);
    CHECK(read.others.size() == 3);
    for (const NamedLog& log : read.logs) {
        CHECK(log.log.rows.size() == 2);
    }
    CHECK(read.logs[0].device.empty());
    CHECK(read.logs[1].device == "adreno-660");
    CHECK(read.logs[2].device == "adreno-740");
    CHECK(read.logs[3].device == "adreno-730");
    CHECK(read_logs(folder.path(), "mali-g76").logs[0].device == "mali-g76");
    CHECK(read_logs(root + "logs_8gen2/c").logs.size() == 1);
    CHECK(log_device("histories/logs_8gen2_net.log.xz") == "adreno-740");
    CHECK(log_device("histories/logs_3x3.log") == "");

    for (const std::string& packed : {gzip, xz, zstd_of(text)}) {
        write_bytes(root + "half.log", packed.substr(0, packed.size() - 9));
        REQUIRE_THROWS_WITH(read_logs(root + "half.log"),
                            Contains("half.log") && Contains("cut off"));
    }
    REQUIRE_THROWS_WITH(read_logs(root + "nowhere"), Contains("nowhere"));
}
