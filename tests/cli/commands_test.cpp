#include "tests/base/temporary_folder.hpp"
#include "tests/cli/checked_program.hpp"
#include "tests/workbench/plots/read_perfetto.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <set>

using namespace texelscope::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

const Words small{"--op", "matmul", "--shape", "37,53,29"};
const Words configuration{"--config", "A=block4,column;T=4x4;W=8x8;G=8x8x1"};

} // namespace

TEST_CASE("simulate prints the fields that other programs rely on")
{
    const json value = json_of(Words{"simulate"} + small + configuration +
                               Words{"--set", "l1.capacity=2048", "--set", "cores=3"});
    CHECK(value["schema"] == "texelscope.simulate/1");
    CHECK(value["device"] == "adreno-740");
    CHECK(value["settings"]["l1.capacity"] == 2048);
    CHECK(value["settings"]["cores"] == 3);
    for (const char* key :
         {"cores", "warp.size", "registers.per_core", "occupancy", "l1.capacity", "l1.line",
          "l1.ways", "l1.replacement", "l1.sector", "l1.index", "l2.capacity", "l2.line", "l2.ways",
          "l2.replacement", "layout", "schedule.groups", "schedule.warps"}) {
        CHECK(value["settings"].contains(key));
    }
    for (const char* key : {"groups", "warps", "steps"}) {
        CHECK(value["launch"][key].is_number_integer());
    }
    for (const char* cache : {"l1", "l2"}) {
        for (const char* key : {"lookups", "hits", "misses", "compulsory", "capacity", "conflict",
                                "evictions", "bytes_filled"}) {
            CHECK(value[cache][key].is_number_integer());
        }
        CHECK(value[cache]["hits"].get<long>() + value[cache]["misses"].get<long>() ==
              value[cache]["lookups"].get<long>());
    }
    CHECK(value["l1"].contains("texel_reads"));
    CHECK_FALSE(value["l2"].contains("texel_reads"));
    CHECK(value["memory"]["bytes"].is_number_integer());
    CHECK(value["cycles"].is_null());
    CHECK(value["occupancy"].is_number_integer());
    CHECK(value["occupancy_groups"].is_number_integer());
    CHECK(json_of(Words{"simulate", "--timed"} + small + configuration)["cycles"].get<long>() > 0);
}

TEST_CASE("Kinds of misses that are not asked for are null, and the misses are the same")
{
    const Words command = Words{"simulate"} + small + configuration;
    const json told = json_of(command);
    const json counted = json_of(command + Words{"--set", "misses.kinds=off"});
    for (const char* cache : {"l1", "l2"}) {
        for (const char* kind : {"compulsory", "capacity", "conflict"}) {
            CHECK(told[cache][kind].is_number_integer());
            CHECK(counted[cache][kind].is_null());
        }
        CHECK(counted[cache]["misses"] == told[cache]["misses"]);
        CHECK(counted[cache]["evictions"] == told[cache]["evictions"]);
    }
}

TEST_CASE(
    "simulate in timed mode accounts for every cycle of a core and tells its occupancy over time")
{
    const json value = json_of(Words{"simulate", "--timed"} + small + configuration +
                               Words{"--set", "schedule.dispatch=dynamic", "--set",
                                     "schedule.warps=two-level", "--set", "misses.merges=4",
                                     "--set", "latency_fifo=32", "--set", "outstanding_misses=8"});
    CHECK(value["settings"]["schedule.dispatch"] == "dynamic");
    CHECK(value["settings"]["schedule.warps"] == "two-level");
    CHECK(value["settings"]["schedule.fetch_group"] == 8);
    CHECK(value["settings"]["misses.merges"] == 4);
    CHECK(value["settings"]["latency_fifo"] == 32);
    CHECK(value["average_resident_warps"].get<double>() > 0);
    CHECK(value["achieved_occupancy"].get<double>() <= 1);
    for (const json& core : value["cores"]) {
        long sum = 0;
        for (const auto& [reason, cycles] : core["stalls"].items()) {
            sum += cycles.get<long>();
        }
        CHECK(sum == value["cycles"].get<long>());
        CHECK(core["reservation_failures"]["no_entry"].is_number_integer());
        CHECK(core["reservation_failures"]["no_merge_slot"].is_number_integer());
        const json& series = core["occupancy_over_time"];
        REQUIRE(series["cycle"].size() == series["warps"].size());
        if (core["warps"] == 0) {
            CHECK(series["cycle"].empty());
            continue;
        }
        REQUIRE(series["cycle"].size() >= 2);
        CHECK(series["cycle"].front() == 0);
        // its last stores leave after its last warp
        CHECK(series["cycle"].back() <= core["cycles"]);
        CHECK(series["warps"].back() == 0);
    }
    CHECK(
        run_program(Words{"simulate", "--set", "schedule.dispatch=dynamic"} + small + configuration)
            .exit_code == 2);
}

TEST_CASE("simulate --timeline writes what happens when, and only in time")
{
    const TemporaryFolder folder;
    const std::string file = folder.file("t.pftrace");
    const Words timed = Words{"simulate", "--timed"} + small + configuration;
    const ProgramResult written = run_program(timed + Words{"--timeline", file, "--json"});
    REQUIRE(written.exit_code == 0);
    CHECK_THAT(written.errors, Contains("timeline written to " + file));
    CHECK(json::parse(written.output) == json_of(timed)); // it changes nothing
    std::int64_t accesses = 0;
    for (const ReadTrack& track : read_perfetto(read_file(file))) {
        accesses += track.path.ends_with("/texture unit") ? std::ssize(track.events) : 0;
    }
    CHECK(accesses == json::parse(written.output)["launch"]["steps"]);
    const auto refused = [&](const Words& more, const char* why) {
        const ProgramResult result = run_program(Words{"simulate"} + small + configuration + more);
        CHECK(result.exit_code == 2);
        CHECK_THAT(result.errors, Contains(why));
    };
    refused({"--timeline", folder.file("u.pftrace")}, "add --timed");
    refused({"--timed", "--timeline", folder.file("u.pftrace"), "--heatmap", folder.file("h.png")},
            "--heatmap");
    refused({"--timed", "--timeline", folder.file("nowhere/u.pftrace")}, "nowhere");
    CHECK_FALSE(std::filesystem::exists(folder.file("u.pftrace")));
}

TEST_CASE("simulate on an operator and on its exported trace agree to the last count")
{
    const TemporaryFolder folder;
    const std::string trace = folder.file("t.csv.gz");
    REQUIRE(run_program(Words{"trace", "export", "-o", trace} + small + configuration).exit_code ==
            0);
    json direct = json_of(Words{"simulate", "--set", "occupancy=3"} + small + configuration);
    json traced = json_of({"simulate", trace, "--set", "occupancy=3"});
    for (const char* key : {"launch", "l1", "l2", "memory", "occupancy", "occupancy_groups"}) {
        CHECK(direct[key] == traced[key]);
    }
}

TEST_CASE("A hand-made trace gives the counts worked out by hand")
{
    const TemporaryFolder folder;
    // Two work-items of one warp; 16-byte texels, 32-byte lines: texels (0,0) and (1,0) share a
    // line, (0,1) has another.
    const std::string trace = folder.write(
        "t.csv", "group,item,step,image,x,y\n0,0,0,A,0,0\n0,1,0,A,1,0\n0,0,1,A,0,1\n0,1,1,A,0,0\n");
    const json value = json_of({"simulate", trace, "--image", "A:4x4x16", "--set", "layout=row",
                                "--set", "l1.line=32", "--set", "l1.capacity=64", "--set",
                                "l1.ways=0", "--set", "l2.capacity=0"});
    CHECK(value["l1"]["texel_reads"] == 4);
    CHECK(value["l1"]["lookups"] == 3);
    CHECK(value["l1"]["hits"] == 1);
    CHECK(value["l1"]["compulsory"] == 2);
    CHECK(value["memory"]["bytes"] == 64);
}

TEST_CASE(
    "The address mode holds for images that the file declares, and sparse groups cost nothing")
{
    const TemporaryFolder folder;
    const std::string trace = folder.write(
        "t.csv",
        "#image A:4x4x16\ngroup,item,step,image,x,y\n0,0,0,A,-1,0\n9000000000000,0,0,A,0,9\n");
    CHECK(json_of({"simulate", trace})["launch"]["border_reads"] == 2);
    CHECK(json_of({"simulate", trace, "--address", "edge"})["l1"]["texel_reads"] == 2);
    CHECK(json_of({"histogram", trace, "--all", "--address",
                   "edge"})["cross_block"][0]["accesses"] == 2);
    CHECK(json_of({"trace", "import", trace, "-o", folder.file("sorted.csv")})["reads"] == 2);
}

TEST_CASE("Heat maps are written in three formats")
{
    const TemporaryFolder folder;
    for (const char* name : {"m.png", "m.csv", "m.npy"}) {
        REQUIRE(
            run_program(Words{"simulate", "--heatmap", folder.file(name), "--heatmap-of", "reads"} +
                        small + configuration)
                .exit_code == 0);
    }
    CHECK(read_file(folder.file("m.png")).starts_with("\x89PNG"));
    CHECK(read_file(folder.file("m.npy")).starts_with("\x93NUMPY"));
    CHECK(read_file(folder.file("m.csv")).starts_with("x,y,count\n"));
    CHECK(folder.files() == 3);
}

TEST_CASE("Reuse distances come for each image and together, and miss-ratio curves are written in "
          "three formats")
{
    const TemporaryFolder folder;
    const json all = json_of(Words{"histogram"} + small + configuration)["reuse_distance"];
    const json near =
        json_of(Words{"histogram", "--depth", "8"} + small + configuration)["reuse_distance"];
    REQUIRE(all["images"].size() == 2);
    CHECK(all["images"][0]["image"] == "A");
    CHECK(all["depth"].is_null());
    CHECK(near["depth"] == 8);
    CHECK(near["counts"].size() == 8);
    long lookups = 0;
    for (const json& image : all["images"]) {
        lookups += image["miss_ratio_curve"]["lookups"].get<long>();
    }
    const json& curve = all["miss_ratio_curve"];
    CHECK(curve["lookups"] == lookups);
    CHECK(curve["misses"][0] == lookups);                  // at 0 lines
    CHECK(curve["misses"].back() == all["first_touches"]); // from some capacity on
    long deeper = 0;
    for (std::size_t d = 0; d < all["counts"].size(); ++d) {
        deeper += d < 8 ? 0 : all["counts"][d].get<long>();
    }
    CHECK(near["deeper"] == deeper);

    for (const char* name : {"m.png", "m.svg", "m.csv"}) {
        REQUIRE(run_program(Words{"histogram", "--mrc", folder.file(name)} + small + configuration)
                    .exit_code == 0);
    }
    CHECK(read_file(folder.file("m.png")).starts_with("\x89PNG"));
    CHECK_THAT(read_file(folder.file("m.svg")), Contains("together"));
    const std::string csv = read_file(folder.file("m.csv"));
    CHECK(csv.starts_with("curve,lines,bytes,lookups,misses,miss_ratio\nA,0,0,"));
    CHECK_THAT(csv, Contains("\ntogether,0,0," + std::to_string(lookups) + "," +
                             std::to_string(lookups) + ",1\n"));
    CHECK(run_program(Words{"histogram", "--mrc", folder.file("m.gif")} + small + configuration)
              .exit_code == 2);
    CHECK(run_program(Words{"histogram", "--depth", "513"} + small + configuration).exit_code == 2);
    CHECK(folder.files() == 3);
}

TEST_CASE("predict, tune, generate, histogram, devices and trace info keep their fields")
{
    const json best = json_of(Words{"predict"} + small + configuration);
    CHECK(best["variant"] == "bottleneck");
    CHECK(best["variant_because"].is_string());
    CHECK(best["ns"] == best["bottleneck_ns"]);
    double shares = 0;
    for (const json& bound : best["bounds"]) {
        shares += bound["share"].get<double>();
    }
    CHECK(shares == Approx(1));
    const json prediction =
        json_of(Words{"predict", "--variant", "literal"} + small + configuration);
    CHECK(prediction["variant_because"].is_null());
    CHECK(prediction["bounds"].is_null());
    CHECK(prediction["inputs"][0]["pattern"] == "block4");
    CHECK(prediction["inputs"][0]["s"] == 4);
    for (const char* key :
         {"config", "L_w", "occupancy", "work_groups", "L_g", "ns", "confidence"}) {
        CHECK(prediction.contains(key));
    }
    CHECK(prediction["ns"].get<double>() ==
          Approx(prediction["L_w"].get<double>() * prediction["L_g"].get<double>()));
    CHECK(prediction["calibration"]["thread"]["held_out"]["mape"].get<double>() > 0);
    CHECK(prediction["interval"] == prediction["intervals"]["literal"]);
    for (const char* variant : {"literal", "refined", "reuse_aware"}) {
        CAPTURE(variant);
        std::string name = variant;
        std::replace(name.begin(), name.end(), '_', '-');
        const json& interval = prediction["intervals"][name];
        CHECK(interval["level"] == 0.9);
        if (interval["outside"] == true) {
            CHECK(interval["low_ns"] == 0);
            CHECK(interval["high_ns"].is_null());
        } else {
            const double ns = prediction[std::string(variant) + "_ns"];
            CHECK(interval["low_ns"].get<double>() < ns);
            CHECK(ns < interval["high_ns"].get<double>());
        }
    }
    CHECK(prediction["intervals"]["literal"]["outside"] == false);
    CHECK(prediction["intervals"]["reuse-aware"]["outside"] == true);
    CHECK(prediction["intervals"]["bottleneck"].is_null());
    const std::string text = run_program(Words{"predict"} + small + configuration).output;
    CHECK_THAT(text, Contains("(90 % within ") &&
                         Contains("(no bounds: outside of what was calibrated)") &&
                         Contains("(no interval: not from calibration)"));

    const json tuned = json_of(Words{"tune", "--strategy", "model", "--top", "5"} + small);
    CHECK(tuned["ranking"].size() == 5);
    CHECK(tuned["evaluated"] == tuned["space"]);
    CHECK(tuned["ranking"][0]["cost_ns"].get<double>() <=
          tuned["ranking"][4]["cost_ns"].get<double>());

    const json generated = json_of(Words{"generate"} + small + configuration);
    CHECK_THAT(generated["text"].get<std::string>(), Contains("void matmul("));
    CHECK(generated["launch"]["local"] == std::vector<int>{8, 8, 1});

    const json histogram = json_of(Words{"histogram"} + small + configuration);
    CHECK(histogram["cross_block"].size() == 2);
    const json simulated = json_of(Words{"simulate", "--set", "l1.ways=0"} + small + configuration);
    long misses = histogram["reuse_distance"]["first_touches"].get<long>();
    const auto& counts = histogram["reuse_distance"]["counts"];
    const long lines = simulated["settings"]["l1.capacity"].get<long>() /
                       simulated["settings"]["l1.line"].get<long>();
    for (std::size_t d = static_cast<std::size_t>(lines); d < counts.size(); ++d) {
        misses += counts[d].get<long>();
    }
    CHECK(misses == simulated["l1"]["misses"].get<long>()); // stack distances cut at the capacity

    std::set<std::string> names;
    const json devices = json_of({"devices"});
    for (const auto& profile : devices["profiles"]) {
        names.insert(profile["name"]);
    }
    for (const char* name : {"adreno-740", "adreno-640", "mali-g77", "pocl-cpu"}) {
        CHECK(names.contains(name));
        CHECK_FALSE(json_of({"devices", name})["values"].empty());
    }

    const json info = json_of(Words{"trace", "info"} + small + configuration);
    CHECK(info["launches"][0]["images"][0]["height"] == 148);
    CHECK(info["launches"][0]["reads"].get<long>() == 8960);
}

TEST_CASE("run checks the product, and takes and gives arrays", "[opencl]")
{
    const TemporaryFolder folder;
    const json value = json_of(
        Words{"run", "--on", "pocl", "--samples", "2", "--output", "C=" + folder.file("c.npy")} +
        small + configuration);
    CHECK(value["status"] == "ok");
    CHECK(value["check"]["passed"] == true);
    CHECK(value["ns"]["samples"].size() == 2);
    CHECK(value["gflops"].get<double>() > 0);
    CHECK(read_file(folder.file("c.npy")).starts_with("\x93NUMPY"));
    // C of the first run as A of a second: its shape is right for 37,11,53.
    const json again = json_of({"run", "--on", "pocl", "--op", "matmul", "--shape", "37,11,53",
                                "--input", "A=" + folder.file("c.npy"), "--samples", "1"});
    CHECK(again["check"]["passed"] == true);
}

TEST_CASE("crosscheck judges and checks every row, and writes its report", "[opencl]")
{
    const TemporaryFolder folder;
    const json value = json_of({"crosscheck", "--op", "matmul", "--shape", "16,16,16", "--samples",
                                "4", "--on", "pocl", "--report", folder.file("r.html")});
    REQUIRE(value["rows"].size() == 4);
    for (const auto& row : value["rows"]) {
        CHECK(row["checked"] == true);
        for (const char* key : {"predicted_ns", "simulated_ns", "measured_ns"}) {
            CHECK(row[key].get<double>() > 0);
        }
    }
    for (const char* key : {"model_simulator", "model_device", "simulator_device"}) {
        CHECK(value["kendall"].contains(key));
    }
    for (const char* key : {"model_on_simulator", "model_on_device", "simulator_on_device"}) {
        CHECK(value["regret"].contains(key));
    }
    CHECK_THAT(read_file(folder.file("r.html")), Contains("</html>"));
}

TEST_CASE("The same command prints the same numbers, another seed may not")
{
    const Words command = Words{"crosscheck", "--on",   "none",    "--samples", "8",
                                "--op",       "matmul", "--shape", "24,24,24"};
    CHECK(json_of(command) == json_of(command));
    CHECK(json_of(command) != json_of(command + Words{"--seed", "2"}));
}

TEST_CASE("devices --layouts lists the named layouts, and each is what its bits say")
{
    const json value = json_of({"devices", "--layouts"});
    CHECK(value["schema"] == "texelscope.layouts/1");
    const ProgramResult text = run_program({"devices", "--layouts"});
    CHECK(text.exit_code == 0);
    std::set<std::string> names;
    for (const json& layout : value["layouts"]) {
        const std::string name = layout["name"];
        names.insert(name);
        CHECK_THAT(text.output, Contains("\n" + name + " "));
        CHECK(layout["source"].get<std::string>().size() > 3);
        CHECK(layout["bits_1024x1024"]["16"].get<std::string>().starts_with("bits:"));
    }
    CHECK(names.contains("mali-u-interleaved"));
    CHECK(names.contains("adreno-a6xx-a7xx-tile3-8ch"));

    // Reads all over an image of that size, by name and by the bits that stand for it.
    const TemporaryFolder folder;
    std::string trace = "#image A:1024x1024x16\ngroup,item,step,image,x,y\n";
    for (int item = 0; item < 32; ++item) {
        for (int step = 0; step < 60; ++step) {
            const int x = (item % 8 * (1 + step % 7) + step * 37) % 1024;
            const int y = (item / 8 * (1 + step % 5) + step / 3 * 41) % 1024;
            trace += "0," + std::to_string(item) + "," + std::to_string(step) + ",A," +
                     std::to_string(x) + "," + std::to_string(y) + "\n";
        }
    }
    const std::string file = folder.write("t.csv", trace);
    int compared = 0;
    for (const json& layout : value["layouts"]) {
        const std::string name = layout["name"];
        if (name.find("-gob") != std::string::npos && name.find("-gob4") == std::string::npos) {
            continue;
        }
        const std::string bits = layout["bits_1024x1024"]["16"];
        const json named = json_of({"simulate", file, "--set", "layout=" + name});
        const json by_bits = json_of({"simulate", file, "--set", "layout=" + bits});
        CAPTURE(name, bits);
        CHECK(named["settings"]["layout"] == name);
        CHECK(by_bits["settings"]["layout"] == bits);
        CHECK(named["l1"] == by_bits["l1"]);
        CHECK(named["l2"] == by_bits["l2"]);
        CHECK(named["cores"] == by_bits["cores"]);
        ++compared;
    }
    CHECK(compared == 13);
}

TEST_CASE(
    "what --set overrides is shown as set by hand, and limits can be overridden as in the window")
{
    const TemporaryFolder folder;
    const std::string report = folder.file("report.html");
    const ProgramResult crossed = run_program(
        {"crosscheck", "--op", "matmul", "--shape", "16,16,16", "--device", "adreno-740", "--set",
         "l1.capacity=2048", "--samples", "2", "--on", "none", "--report", report});
    INFO(crossed.errors);
    REQUIRE(crossed.exit_code == 0);
    const std::string html = read_file(report);
    const auto row = html.find("l1.capacity");
    REQUIRE(row != std::string::npos);
    const std::string values = html.substr(row, 200);
    CHECK_THAT(values, Contains("2048") && Contains("set by hand"));

    const Words kernel{"predict",  "--op",     "matmul",    "--shape",
                       "64,64,64", "--device", "adreno-740"};
    CHECK(run_program(kernel + Words{"--set", "limits.image_height=16384"}).exit_code == 0);
    const ProgramResult narrow = run_program(kernel + Words{"--set", "limits.image_height=8"});
    CHECK(narrow.exit_code == 2);
    CHECK_THAT(narrow.errors, Contains("8"));
}
