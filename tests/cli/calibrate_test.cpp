// calibrate: measured now and from records, the calibration file and who reads it, messages.

#include "tests/cli/checked_program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

using namespace texelscope::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

const Words question{"predict",  "--op",       "matmul",  "--shape",   "64,64,64",
                     "--device", "adreno-640", "--quiet", "--variant", "literal"};

} // namespace

TEST_CASE("a calibration measured on a simulated device is the one that predict, tune and "
          "crosscheck make themselves")
{
    const TemporaryFolder folder;
    const std::string file = folder.file("adreno.json");
    const json fit =
        json_of({"calibrate", "--on", "sim:adreno-640", "--repeat", "3", "-o", file, "--quiet"});
    CHECK(fit["schema"] == "texelscope.calibrate/1");
    CHECK(fit["walks"] == 300);
    CHECK(fit["residuals"].size() == 5);
    CHECK(fit["worst"].size() == 5);
    double shares = fit["access"]["share"];
    for (const json& side : fit["sides"]) {
        shares += double(side["share"]);
    }
    CHECK(shares == Approx(1));

    const json own = json_of(question);
    const json read = json_of(question + Words{"--calibration", file});
    CHECK(read == own);
    CHECK(fit["thread"]["held_out"] == own["calibration"]["thread"]["held_out"]);
    CHECK(fit["D"] == own["D"]);

    CHECK(fit["interval"]["level"] == 0.9);
    REQUIRE(fit["interval"]["groups"].size() == 4);
    for (const json& group : fit["interval"]["groups"]) {
        CHECK(group["walks"] == 75);
        CHECK(double(group["factor"]) > 1);
    }
    CHECK(own["interval"]["high_ns"].is_number());
    // A file from before there were intervals has all that they are made of.
    json older = json::parse(read_file(file));
    for (const char* walks : {"walks", "fresh_walks"}) {
        for (json& walk : older[walks]) {
            walk.erase("held_out_ns");
        }
    }
    const std::string older_file = folder.file("older.json");
    std::ofstream(older_file) << older;
    CHECK(json_of(question + Words{"--calibration", older_file}) == own);

    const auto ranking = [&](const Words& more) {
        return json_of(Words{"tune", "--op", "softmax", "--shape", "32,64", "--device",
                             "adreno-640", "--variant", "literal"} +
                       more)["ranking"];
    };
    CHECK(ranking({}) == ranking({"--calibration", file}));
    // Without --variant it is the best variant that uses a calibration.
    CHECK(json_of({"predict", "--op", "matmul", "--shape", "64,64,64", "--device", "adreno-640",
                   "--quiet", "--calibration", file})["variant"] == "reuse-aware");
    const auto rows = [&](const Words& more) {
        return json_of(Words{"crosscheck", "--op", "matmul", "--shape", "32,32,32", "--device",
                             "adreno-640", "--on", "none", "--samples", "4", "--variant",
                             "literal"} +
                       more)["rows"];
    };
    CHECK(rows({}) == rows({"--calibration", file}));
    // It is the file that is read: another D gives another answer.
    json changed = json::parse(read_file(file));
    changed["thrash"]["D"] = double(changed["thrash"]["D"]) * 2;
    std::ofstream(file) << changed;
    CHECK(json_of(question + Words{"--calibration", file})["D"] == 2 * double(own["D"]));
}

TEST_CASE("probe --suite tmmodel leaves what calibrate reads")
{
    const TemporaryFolder folder;
    const std::string out = folder.file("probes");
    const json probed =
        json_of({"probe", "--on", "sim:mali-g710", "--only",
                 "warp-size,tmmodel-walks,tmmodel-warps", "--samples", "3", "-o", out, "--quiet"});
    for (const json& record : probed["probes"]) {
        CAPTURE(record["name"], record["reason"]);
        CHECK(record["status"] == "done");
    }
    for (const char* name :
         {"tmmodel-walks.json", "tmmodel-walks-walks.png", "tmmodel-warps-scaling.svg"}) {
        CAPTURE(name);
        CHECK_FALSE(read_file(out + "/" + name).empty());
    }
    const json from_records = json_of({"calibrate", "--samples", out});
    json now = json_of({"calibrate", "--on", "sim:mali-g710", "--repeat", "3", "--quiet"});
    CHECK(from_records == now);
    CHECK_THAT(run_program({"calibrate", "--samples", out}).output,
               Contains("held-out error") && Contains("a block 4 texels wide") &&
                   Contains("worst walk"));

    const json forced = json_of({"calibrate", "--samples", out, "--cache-lines", "1000000"});
    CHECK(forced["cache_lines"] == 1000000);
    CHECK(forced["D"] == 1);
    CHECK_THAT(forced["doubts"].dump(), Contains("nothing was seen of it"));
}

TEST_CASE("calibrate on PoCL fits walks, and says why there are no warps")
{
    const json fit = json_of({"calibrate", "--on", "pocl", "--repeat", "3", "--walks", "12",
                              "--cache-lines", "512", "--quiet"});
    CHECK(fit["walks"] == 12);
    CHECK(fit["warps"] == 0);
    CHECK(fit["D"] == 1);
    CHECK_THAT(fit["doubts"].dump(), Contains("a CPU has no warps"));
    refused({"calibrate", "--on", "pocl", "--repeat", "3", "--walks", "8", "--quiet"},
            "--cache-lines");
}

TEST_CASE("calibrate and --calibration refuse what does not fit")
{
    const TemporaryFolder folder;
    const std::string file = folder.file("c.json");
    refused({"calibrate", "--samples", folder.file("nothing")}, "no folder");
    refused(
        {"calibrate", "--samples", std::filesystem::path(folder.file("x")).parent_path().string()},
        "no record of a probe");
    refused({"calibrate", "--on", "sim:nothing"}, "nothing");
    refused({"calibrate", "--on", "no such device"}, "no such device", 3);
    refused(question + Words{"--json", "--calibration", file}, "cannot be read");
    std::ofstream(file) << "{\"schema\":\"texelscope.predict/1\"}";
    refused(question + Words{"--json", "--calibration", file}, "no calibration");

    (void)json_of({"calibrate", "--on", "sim:adreno-640", "--repeat", "3", "--walks", "16", "-o",
                   file, "--quiet"});
    refused(question + Words{"--json", "--calibration", file, "--set", "l1.capacity=4194304"},
            "lines of L1");
    const json whole = json::parse(read_file(file));
    json other = whole;
    for (const char* model : {"thread", "reuse_thread"}) {
        other[model]["blocks"][1] = {3, 3};
    }
    std::ofstream(file) << other;
    refused(question + Words{"--json", "--calibration", file}, "other block shapes");
    other = whole;
    other.erase("warps");
    std::ofstream(file) << other;
    refused(question + Words{"--json", "--calibration", file}, "missing in this calibration");
    other = whole;
    other["walks"][3].erase("held_out_ns");
    std::ofstream(file) << other;
    refused(question + Words{"--json", "--calibration", file}, "missing in this calibration");

    // Sixteen walks are too few to bound two images at once, and say so.
    std::ofstream(file) << whole;
    const json few = json_of(question + Words{"--calibration", file});
    CHECK(few["interval"]["high_ns"].is_null());
    CHECK(few["interval"]["low_ns"] == 0);
    // Walks that never leave a texel: whatever moves lies outside.
    other = whole;
    for (const char* walks : {"walks", "fresh_walks"}) {
        for (json& walk : other[walks]) {
            for (const char* axis : {"x", "y"}) {
                walk[axis] = std::vector<int>(walk[axis].size(), 0);
            }
        }
    }
    std::ofstream(file) << other;
    const json outside = json_of(question + Words{"--calibration", file});
    CHECK(outside["interval"]["outside"] == true);
    CHECK(outside["interval"]["high_ns"].is_null());
    CHECK_THAT(run_program(question + Words{"--calibration", file}).output,
               Contains("(no bounds: outside of what was calibrated)"));
}
