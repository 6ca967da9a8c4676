// Files of auto-tuners: what we write, checked as plain JSON, and read again.

#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "tests/base/temporary_folder.hpp"
#include "tests/workbench/store/random_result.hpp"
#include "workbench/store/kernel_tuner_cache.hpp"
#include "workbench/store/result_files.hpp"
#include "workbench/store/result_store.hpp"
#include "workbench/store/results_csv.hpp"
#include "workbench/store/run_results.hpp"
#include "workbench/store/t4_results.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>

using namespace texelscope::workbench::store;
using namespace texelscope::test;
using Catch::Matchers::Contains;
using Json = nlohmann::ordered_json;

namespace {

std::string file_bytes_of(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Of `matmul 64,64,64`, one of every status.
std::vector<StoredResult> one_of_each()
{
    std::vector<StoredResult> rows;
    for (const RunStatus status :
         {RunStatus::ok, RunStatus::unsupported, RunStatus::build_failed, RunStatus::failed,
          RunStatus::timed_out, RunStatus::wrong_output}) {
        StoredResult row;
        row.op = "matmul";
        row.shape = "64,64,64";
        row.config = fmt::format("A=row,column;T=4x4;W=8x8;G=8x{}x1", 8 * (rows.size() + 1));
        row.key = {settings_digest(row.config), "device", "GPU", "1.2", "0.1.0",
                   settings_digest("")};
        row.status = status;
        row.check.passed = status == RunStatus::ok;
        row.reason = row.check.passed ? "" : "because";
        if (row.check.passed || status == RunStatus::wrong_output) {
            row.samples_ns = {2'000'000, 1'000'000, 3'500'000};
        }
        row.times = {5e6, 7e6, 3e6, 0, 1e6, 16e6};
        row.timestamp = "2026-11-22T07:41:24Z";
        row.seed = 1;
        rows.push_back(row);
    }
    return rows;
}

} // namespace

TEST_CASE("A cache of Kernel Tuner has that program's form")
{
    const std::string text = kernel_tuner_cache(one_of_each());
    CHECK(text.ends_with("}\n}"));
    const Json cache = Json::parse(text);
    CHECK(cache["device_name"] == "GPU");
    CHECK(cache["kernel_name"] == "matmul");
    CHECK(cache["problem_size"] == Json::parse("[64, 64, 64]"));
    const Json keys =
        Json::parse(R"(["pattern_1", "pattern_2", "tile_x", "tile_y", "tile_z", "warp_x", "warp_y",
                                      "block_size_x", "block_size_y", "block_size_z"])");
    CHECK(cache["tune_params_keys"] == keys);
    CHECK(cache["tune_params"]["pattern_2"] == Json::parse(R"(["column"])"));
    CHECK(cache["tune_params"]["block_size_y"] == Json::parse("[8, 16, 24, 32, 40, 48]"));
    CHECK(cache["tune_params"].size() == keys.size());
    CHECK(cache["objective"] == Json::parse(R"(["time"])"));
    REQUIRE(cache["cache"].size() == 6);
    const Json& first = cache["cache"]["row,column,4,4,0,8,8,8,8,1"];
    CHECK(first["time"] == 2.0);
    CHECK(first["times"] == Json::parse("[2.0, 1.0, 3.5]"));
    CHECK(first["compile_time"] == 5.0);
    CHECK(first["benchmark_time"] == 7.0);
    CHECK(first["verification_time"] == 3.0);
    CHECK(first["strategy_time"] == 0.0);
    CHECK(first["framework_time"] == 1.0);
    CHECK(first["timestamp"] == "2026-11-22T07:41:24Z");
    CHECK_FALSE(first.contains("__error__"));
    std::vector<std::string> errors;
    for (const auto& [key, entry] : cache["cache"].items()) {
        std::string joined;
        for (const auto& name : keys) { // an entry begins with its parameters, in order
            const Json& value = entry[name.get<std::string>()];
            joined += (joined.empty() ? "" : ",") +
                      (value.is_string() ? value.get<std::string>() : value.dump());
        }
        CHECK(joined == key);
        CHECK(entry.contains("time") != entry.contains("__error__"));
        errors.push_back(entry.value("__error__", "none"));
        CHECK(text.find("\n\"" + key + "\": {") != std::string::npos); // a line of its own
    }
    CHECK(errors == std::vector<std::string>{"none", "InvalidConfig", "CompilationFailedConfig",
                                             "RuntimeFailedConfig", "RuntimeFailedConfig",
                                             "RuntimeFailedConfig"});
    CHECK(std::count(text.begin(), text.end(), '\n') == 1 + 7 + 1 + 6);
}

TEST_CASE("T4 results have the members and values of that format")
{
    const Json file = Json::parse(t4_results(one_of_each()));
    CHECK(file["schema_version"] == "1.0.0");
    CHECK(file["metadata"]["timeunit"] == "milliseconds");
    REQUIRE(file["results"].size() == 6);
    std::vector<std::string> kinds;
    for (const Json& one : file["results"]) {
        kinds.push_back(one["invalidity"]);
        CHECK(one["correctness"] == (one["invalidity"] == "correct" ? 1 : 0));
        CHECK(one["objectives"] == Json::parse(R"(["time"])"));
        CHECK(one["timestamp"] == "2026-11-22T07:41:24Z");
        for (const Json& measurement : one["measurements"]) {
            CHECK(measurement.size() == 3);
            CHECK(measurement["name"].is_string());
            CHECK(measurement["unit"].is_string());
            CHECK((measurement["value"].is_number() || measurement["value"].is_string()));
        }
    }
    CHECK(kinds == std::vector<std::string>{"correct", "constraints", "compile", "runtime",
                                            "timeout", "correctness"});
    const Json& first = file["results"][0];
    CHECK(first["times"] ==
          Json::parse(R"({"compilation_time": 5.0, "benchmark": 7.0, "framework": 1.0,
                                            "search_algorithm": 0.0, "validation": 3.0, "runtimes": [2.0, 1.0, 3.5]})"));
    CHECK(first["measurements"][0] ==
          Json::parse(R"({"name": "time", "value": 2.0, "unit": "ms"})"));
    CHECK(first["configuration"]["block_size_x"] == 8);
    CHECK(first["configuration"]["pattern_2"] == "column");
}

TEST_CASE("Random results come back bit by bit through both formats, and through two stores")
{
    const auto seed = static_cast<std::uint64_t>(GENERATE(range(1, 41)));
    CAPTURE(seed);
    Random random(seed);
    const std::vector<StoredResult> rows = random_group(random, 12, seed % 2 == 0);
    REQUIRE_FALSE(rows.empty());
    const TemporaryFolder folder;
    ResultStore store(folder.file("a"));
    store.put(rows);
    const std::vector<StoredResult> selected = store.select();
    for (const std::string& text : {kernel_tuner_cache(selected), t4_results(selected)}) {
        CAPTURE(text);
        const std::vector<StoredResult> read = parse_result_file(text, "file");
        CHECK(texts_of(read) == texts_of(selected));
        ResultStore other(folder.file("b"));
        other.merge(read);
        CHECK(texts_of(other.select()) == texts_of(selected));
    }
    CHECK(texts_of(parse_kernel_tuner_cache(kernel_tuner_cache(selected), "")) ==
          texts_of(parse_t4_results(t4_results(selected), "")));
}

TEST_CASE("Whole ns come back from ms alone")
{
    const auto seed = static_cast<std::uint64_t>(GENERATE(range(1, 5)));
    CAPTURE(seed);
    Random random(seed);
    std::vector<StoredResult> rows = one_of_each();
    rows.resize(1);
    rows[0].samples_ns = {256192}; // 256192 / 1e6 * 1e6 is 256191.99999999997
    for (int i = 0; i < 2000; ++i) {
        rows[0].samples_ns.push_back(
            static_cast<double>(random.between(1, std::int64_t{1} << random.small(1, 50))));
    }
    const std::string text = kernel_tuner_cache(rows);
    CHECK(text.find("_ns\":[") == std::string::npos);
    CHECK(parse_kernel_tuner_cache(text, "")[0].samples_ns == rows[0].samples_ns);
}

TEST_CASE("A cache that Kernel Tuner wrote itself is read, open or closed")
{
    // As its version 1.5 writes them: a header with indent 0, entries with the errors by name,
    // times in ms.
    const std::string open = R"({
"device_name": "NVIDIA RTX A4000",
"kernel_name": "matmul",
"problem_size": [
64,
64,
64
],
"tune_params_keys": ["block_size_x", "block_size_y", "block_size_z", "pattern_1", "pattern_2", "tile_x", "tile_y", "tile_z", "warp_x", "warp_y"],
"tune_params": {},
"objective": [
"time"
],
"cache": {
"8,8,1,row,row,4,4,0,8,8": {"block_size_x": 8, "block_size_y": 8, "block_size_z": 1, "pattern_1": "row", "pattern_2": "row", "tile_x": 4, "tile_y": 4, "tile_z": 0, "warp_x": 8, "warp_y": 8, "time": 0.25, "times": [0.25, 0.5, 0.125], "compile_time": 440.9, "verification_time": 0, "benchmark_time": 1.1, "strategy_time": 0, "framework_time": 0.7, "timestamp": "2026-11-22 07:41:24.123456+00:00"},
"8,16,1,row,row,4,4,0,8,8": {"block_size_x": 8, "block_size_y": 16, "block_size_z": 1, "pattern_1": "row", "pattern_2": "row", "tile_x": 4, "tile_y": 4, "tile_z": 0, "warp_x": 8, "warp_y": 8, "__error__": "InvalidConfig", "compile_time": 0, "timestamp": "2026-11-22 07:41:25+00:00"},
"16,16,1,row,row,4,4,0,8,8": {"block_size_x": 16, "block_size_y": 16, "block_size_z": 1, "pattern_1": "row", "pattern_2": "row", "tile_x": 4, "tile_y": 4, "tile_z": 0, "warp_x": 8, "warp_y": 8, "time": "CompilationFailedConfig"},
"32,8,1,row,row,4,4,0,8,8": {"block_size_x": 32, "block_size_y": 8, "block_size_z": 1, "pattern_1": "row", "pattern_2": "row", "tile_x": 4, "tile_y": 4, "tile_z": 0, "warp_x": 8, "warp_y": 8, "time": 1.5},)";
    const std::string closed = open.substr(0, open.size() - 1) + "}\n}";
    const std::vector<StoredResult> rows = parse_kernel_tuner_cache(closed, "closed");
    REQUIRE(rows.size() == 4);
    CHECK(rows[0].config == "A=row,row;T=4x4;W=8x8;G=8x8x1");
    CHECK(rows[0].op == "matmul");
    CHECK(rows[0].shape == "64,64,64");
    CHECK(rows[0].key.device == "NVIDIA RTX A4000");
    CHECK(rows[0].key.judge == "device");
    CHECK(rows[0].key.kernel == kernel_digest(loop_nest(parse_operator("matmul", "64,64,64"),
                                                        parse_schedule(rows[0].config)),
                                              TexelBackend::native));
    CHECK(rows[0].samples_ns == std::vector<double>{250'000, 500'000, 125'000});
    CHECK(rows[0].times.compile == Approx(440.9e6));
    CHECK(rows[0].timestamp == "2026-11-22T07:41:24.123456Z");
    CHECK(rows[0].status == RunStatus::ok);
    CHECK(rows[1].status == RunStatus::unsupported);
    CHECK(rows[2].status == RunStatus::build_failed);
    CHECK(rows[2].samples_ns.empty());
    CHECK(rows[3].samples_ns == std::vector<double>{1'500'000});
    CHECK(texts_of(parse_result_file(open, "open")) == texts_of(rows));
    CHECK(texts_of(parse_kernel_tuner_cache(closed.substr(0, closed.size() - 3), "no comma")) ==
          texts_of(rows));
}

namespace {

/// A cache as Kernel Tuner writes it, of one configuration whose entry has these members besides.
std::string foreign_cache(const std::string& members)
{
    return R"({"device_name": "GPU", "kernel_name": "matmul", "problem_size": [64, 64, 64],
"tune_params_keys": ["pattern_1", "pattern_2", "tile_x", "tile_y", "tile_z", "warp_x", "warp_y", "block_size_x", "block_size_y", "block_size_z"],
"tune_params": {}, "objective": ["time"], "cache": {
"row,row,4,4,0,8,8,8,8,1": {"pattern_1": "row", "pattern_2": "row", "tile_x": 4, "tile_y": 4, "tile_z": 0, "warp_x": 8, "warp_y": 8, "block_size_x": 8, "block_size_y": 8, "block_size_z": 1, )" +
           members + "}}\n}";
}

/// T4 results of one configuration, of another program.
std::string foreign_t4(const std::string& unit, const std::string& runtimes,
                       const std::string& time)
{
    return R"({"schema_version": "1.0.0", "metadata": {"timeunit": ")" + unit +
           R"(", "texelscope": {"op": "matmul", "shape": "64,64,64", "device": "GPU"}},
"results": [{"timestamp": "", "configuration": {"pattern_1": "row", "pattern_2": "row", "tile_x": 4, "tile_y": 4, "tile_z": 0, "warp_x": 8, "warp_y": 8, "block_size_x": 8, "block_size_y": 8, "block_size_z": 1},
"times": {"runtimes": )" +
           runtimes + R"(}, "invalidity": "correct", "measurements": [{"name": "time", "value": )" +
           time + R"(, "unit": "ms"}, {"name": "ps_energy", "value": NaN, "unit": "J"}]}]})";
}

} // namespace

TEST_CASE("A time that is none is a failure, with the reason")
{
    // What is written for the time, and what the reason has.
    const std::vector<std::pair<std::string, std::string>> cases{
        {"-1", "-1 ms"},           {"-1.0", "-1 ms"},
        {"0", "its time is 0 ms"}, {"1e20", "1e+20 ms"},
        {"1.7e308", "inf ms"},     {"null", "it has no time"},
        {"NaN", "it has no time"}, {"-Infinity", "it has no time"}};
    for (const auto& [time, reason] : cases) {
        CAPTURE(time);
        for (const auto& [text, program] :
             {std::pair(foreign_cache("\"time\": " + time), "Kernel Tuner"),
              std::pair(foreign_t4("milliseconds", "[]", time), "T4")}) {
            const std::vector<StoredResult> rows = parse_result_file(text, "file");
            REQUIRE(rows.size() == 1);
            CHECK(rows[0].status == RunStatus::failed);
            CHECK_FALSE(rows[0].check.passed);
            CHECK(rows[0].samples_ns.empty());
            CHECK_THAT(rows[0].reason, Contains(std::string(program) + ": ") && Contains(reason));
        }
    }
    // The list of single times goes before the time.
    for (const std::string times : {"[0.5, null]", "[NaN]", "[0.25, -1]", "[1e20]", "[0]"}) {
        CAPTURE(times);
        const auto rows =
            parse_result_file(foreign_cache("\"time\": 0.5, \"times\": " + times), "file");
        CHECK(rows.at(0).status == RunStatus::failed);
        CHECK(parse_result_file(foreign_t4("ms", times, "0.5"), "file").at(0).status ==
              RunStatus::failed);
    }
    const auto rows = parse_result_file(foreign_cache("\"compile_time\": 3"), "file");
    CHECK(rows.at(0).reason == "Kernel Tuner: it has no time");
    // A word for an error stays what it was.
    CHECK(parse_result_file(foreign_cache("\"time\": \"InvalidConfig\""), "f").at(0).status ==
          RunStatus::unsupported);
    // Ours, of which the time was changed.
    std::string ours = kernel_tuner_cache({one_of_each()[0]});
    const std::string was = "\"times\":[2.0,1.0,3.5]";
    REQUIRE(ours.find(was) != std::string::npos);
    CHECK(parse_result_file(ours, "f").at(0).status == RunStatus::ok);
    ours.replace(ours.find(was), was.size(), "\"times\":[-1]");
    CHECK(parse_result_file(ours, "f").at(0).status == RunStatus::failed);
}

TEST_CASE("NaN and Infinity in a metric are read as Python writes them")
{
    const std::string members = "\"time\": 0.5, \"times\": [0.5, 0.25], \"ps_energy\": ";
    const auto plain = texts_of(parse_result_file(foreign_cache(members + "1"), "file"));
    for (const std::string value : {"NaN", "Infinity", "-Infinity", "null"}) {
        CHECK(texts_of(parse_result_file(foreign_cache(members + value), "file")) == plain);
        // A cache that was not closed, too.
        const std::string text = foreign_cache(members + value);
        CHECK(texts_of(parse_result_file(text.substr(0, text.size() - 3) + ",", "file")) == plain);
    }
}

TEST_CASE("Public T4 files say miliseconds, and other units are refused by name")
{
    for (const std::string unit : {"milliseconds", "miliseconds", "ms"}) {
        const auto rows = parse_result_file(foreign_t4(unit, "[0.5, 0.25]", "0.375"), "file");
        REQUIRE(rows.size() == 1);
        CHECK(rows[0].status == RunStatus::ok);
        CHECK(rows[0].samples_ns == std::vector<double>{500'000, 250'000});
    }
    CHECK_THROWS_WITH(parse_result_file(foreign_t4("seconds", "[0.5]", "0.5"), "some.json"),
                      Contains("some.json") && Contains("in 'seconds', not in milliseconds"));
}

TEST_CASE("What does not go into one file of an auto-tuner is refused")
{
    for (auto* const write : {kernel_tuner_cache, t4_results}) {
        std::vector<StoredResult> rows = one_of_each();
        CHECK_THROWS_WITH(write({}), Contains("no result is chosen"));
        rows[1].shape = "8,8,8";
        CHECK_THROWS_WITH(write(rows), Contains("differ in shape: '64,64,64' and '8,8,8'") &&
                                           Contains("--shape"));
        rows = one_of_each();
        rows[1].key.device = "other";
        CHECK_THROWS_WITH(write(rows), Contains("--device"));
        rows = one_of_each();
        rows[1].key.settings = "other";
        CHECK_THROWS_WITH(write(rows), Contains("--settings"));
        rows = one_of_each();
        rows[1].config = "G=8x8;" + rows[0].config.substr(0, rows[0].config.find(";G"));
        CHECK_THROWS_WITH(write(rows), Contains("two results of one configuration"));
        rows[1].config = "CLBlast";
        CHECK_THROWS_WITH(write(rows), Contains("'CLBlast' is not a part"));
        rows[1].config.clear();
        CHECK_THROWS_WITH(write(rows), Contains("no configuration"));
    }
}

TEST_CASE("Files that hold no results are refused in one line with their name")
{
    const std::string good = kernel_tuner_cache(one_of_each());
    const auto changed = [&](const std::string& what, const std::string& by) {
        std::string text = good;
        REQUIRE(text.find(what) != std::string::npos);
        return text.replace(text.find(what), what.size(), by);
    };
    const std::vector<std::pair<std::string, std::string>> cases{
        {"", "holds no results"},
        {"hello", "holds no results"},
        {"[1, 2]", "holds no results"},
        {R"({"cache": {}})", "holds no results"},
        {R"({"cache": [], "tune_params_keys": []})", "no cache of Kernel Tuner"},
        {R"({"schema": "texelscope.simulate/1"})", "its schema is"},
        {R"({"schema": 3})", "no result of run --json"},
        {R"({"schema": "texelscope.run/1"})", "no result of run --json"},
        {R"({"schema_version": "2.0.0", "results": []})", "its schema version is 2.0.0"},
        {R"({"schema_version": "1.0.0", "results": [{}]})", "which operator"},
        {R"({"schema_version": "1.0.0", "results": [{}], "metadata": {"texelscope": {}}})",
         "result 0"},
        {R"({"schema_version": "1.0.0", "results": 3, "metadata": {"texelscope": 4}})",
         "no T4 results"},
        {changed("\"tile_x\":4,", "\"tile_x\":4.5,"), "neither a whole number nor a text"},
        {changed("\"tile_x\":4,", "\"tile_x\":0,"), "'0' is not a size"},
        {changed("\"tile_x\":4,", "\"tile\": 4,"), "entry 'row,column,4,4,0,8,8,8,8,1'"},
        {changed("\"tune_params_keys\": [", "\"tune_params_keys\": [\"colour\","),
         "the member 'colour' is missing"},
        {changed("\"status\":\"ok\"", "\"status\":\"good\""), "'good' is no status"},
        {changed("\"times\":[2.0", "\"times\":[\"2\""), "no cache of Kernel Tuner"},
        {good.substr(0, good.size() / 2), "no cache of Kernel Tuner"}};
    for (const auto& [text, message] : cases) {
        CAPTURE(text);
        try {
            (void)parse_result_file(text, "some/file.json");
            FAIL("it was read");
        } catch (const Error& error) {
            CHECK_THAT(error.what(), Contains("some/file.json") && Contains(message));
            CHECK(std::string(error.what()).find('\n') == std::string::npos);
            CHECK_THAT(error.what(), !Contains("json.exception")); // the library's own words
        }
    }
}

TEST_CASE("What run --json printed is read: the committed measurements of an H100")
{
    const std::string text =
        file_bytes_of(TEXELSCOPE_MEASUREMENTS "/h100-matmul-pattern-pairs-1024.jsonl");
    const std::vector<StoredResult> rows = parse_result_file(text, "pairs");
    REQUIRE(rows.size() == 25);
    for (const StoredResult& row : rows) {
        CHECK(row.op == "matmul");
        CHECK(row.shape == "1024,1024,1024");
        CHECK(row.key.device == "NVIDIA H100 80GB HBM3");
        CHECK(row.key.driver == "580.159.04");
        CHECK(row.status == RunStatus::ok);
        CHECK(row.samples_ns.size() == 15);
    }
    // The README of the measurements: the fastest pair is block2,row (203 us), the slowest
    // row,block8 (401 us).
    const auto [fastest, slowest] =
        std::minmax_element(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
            return a.median_ns() < b.median_ns();
        });
    CHECK(fastest->config == "A=block2,row;T=8x8;W=8x4;G=16x16x1");
    CHECK(fastest->median_ns() == Approx(203'000).epsilon(0.005));
    CHECK(slowest->config == "A=row,block8;T=8x8;W=8x4;G=16x16x1");
    CHECK(slowest->median_ns() == Approx(401'000).epsilon(0.005));
    CHECK(texts_of(parse_kernel_tuner_cache(kernel_tuner_cache(rows), "")) == texts_of(rows));

    const std::string failed =
        R"({"schema": "texelscope.run/1", "texelscope": "0.1.0", "status": "failed",
        "reason": "the kernel does not build: x", "op": "matmul", "shape": [64, 64, 64],
        "config": "A=row,row;T=4x4;W=8x8;G=8x8x1", "device": "GPU", "driver": "1", "texel_reads": "native",
        "ns": {"median": 0.0, "min": 0.0, "samples": []}, "check": {"passed": false, "max_abs": null,
        "max_rel": 0.0, "tolerance": 0.0}})";
    const std::vector<StoredResult> one = parse_run_results(failed, "one");
    REQUIRE(one.size() == 1);
    CHECK(one[0].status == RunStatus::build_failed);
    CHECK(one[0].check.max_abs != one[0].check.max_abs);
}

TEST_CASE("The table of results is CSV that keeps its numbers and texts")
{
    std::vector<StoredResult> rows = one_of_each();
    rows.resize(1);
    rows[0].reason = "a \"quoted\", word\nand a line";
    rows[0].samples_ns = {0.1, 3e10};
    rows[0].reference = {150e3, 1.5};
    const std::string csv = results_csv(rows);
    CHECK(csv == "operator,shape,padding,judge,device,driver,program,settings,kernel,config,status,"
                 "reason,median_ns,samples_ns,"
                 "max_abs,max_rel,tolerance,compile_ns,benchmark_ns,verification_ns,strategy_ns,"
                 "framework_ns,total_ns,timestamp,"
                 "seed,wall_clock,reference_ns,reference_spread\n"
                 "matmul,\"64,64,64\",,device,GPU,1.2,0.1.0," +
                     settings_digest("") + "," + rows[0].key.kernel +
                     ",\"A=row,column;T=4x4;W=8x8;G=8x8x1\",ok,\"a \"\"quoted\"\", word\nand a "
                     "line\",15000000000.05,0.1 "
                     "30000000000,0,0,0,5000000,7000000,3000000,0,1000000,16000000,2026-11-22T07:"
                     "41:24Z,1,0,150000,1.5\n");

    CHECK(texts_of(parse_results_csv(csv, "t")) == texts_of(rows));
    // Tables from before they knew of a reference kernel, and of a wall clock.
    std::string old = csv;
    const auto drop = [&](const std::string& column, const std::string& value) {
        old.replace(old.find("," + column + "\n"), column.size() + 1, "");
        old.replace(old.rfind("," + value + "\n"), value.size() + 1, "");
    };
    rows[0].reference = {};
    drop("reference_spread", "1.5");
    drop("reference_ns", "150000");
    CHECK(texts_of(parse_result_file(old, "t")) == texts_of(rows));
    const std::string second = old;
    drop("wall_clock", "0");
    CHECK(texts_of(parse_result_file(old, "t")) == texts_of(rows));
    CHECK_THROWS_WITH(parse_results_csv(second.substr(0, second.size() - 2) + "2\n", "t"),
                      Contains("wall_clock is '2'"));
    const std::vector<StoredResult> all = one_of_each();
    CHECK(texts_of(parse_result_file(results_csv(all), "t")) == texts_of(all));
    CHECK_THROWS_WITH(parse_results_csv("a,b\n", "some.csv"),
                      Contains("some.csv") && Contains("no table of results"));
    CHECK_THROWS_WITH(parse_results_csv(csv + "1,2\n", "some.csv"),
                      Contains("some.csv, result 2") && Contains("2 fields"));
    std::string broken = csv;
    CHECK_THROWS_WITH(
        parse_results_csv(broken.replace(broken.find(",5000000,") + 1, 1, "x"), "some.csv"),
        Contains("'x000000' is not a number"));
}
