// identify: walks from files and from simulated devices.

#include "tests/cli/checked_program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace texelscope::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

const Words quick{"--walks-count", "20", "--steps", "256",       "--rounds", "1",
                  "--folds",       "4",  "--image", "256x256x16"};

} // namespace

TEST_CASE("identify finds a simulated device, and the same from the walks that it saved")
{
    const TemporaryFolder folder;
    const std::string prefix = folder.file("sim");
    const json on =
        json_of(Words{"identify", "--on", "sim:mali-g77-tmmodel", "--set", "l1.capacity=2048",
                      "--save", prefix, "--propose", "3", "--output", folder.file("next.csv")} +
                quick);
    CHECK(on["schema"] == "texelscope.identify/1");
    CHECK(on["truth"]["layout"] == "16x16:morton,row");
    CHECK(on["truth"]["l1"]["capacity"] == 2048);
    CHECK(on["walks"] == 20);
    CHECK(on["reads"] == 20 * 256);
    CHECK(on["granule"] == json{{"width", 2}, {"height", 2}});
    CHECK(on["predicted"].size() == 20);
    CHECK(on["error"]["fit_mape"] < 0.01);

    const Words files{"identify",
                      "--walks",
                      prefix + "-walks.csv.gz",
                      "--latencies",
                      prefix + "-latencies.csv",
                      "--image",
                      "256x256x16",
                      "--folds",
                      "4"};
    const json from_files = json_of(files);
    for (const char* key :
         {"layout", "l1", "granule", "hit_ns", "miss_ns", "error", "predicted", "explanations"}) {
        CAPTURE(key);
        CHECK(from_files[key] == on[key]);
    }
    // Predictions of the measured walks, given as further ones, are those of the fit.
    const json again = json_of(files + Words{"--predict", prefix + "-walks.csv.gz"});
    for (std::size_t i = 0; i < 20; ++i) {
        const double fitted = from_files["residuals"][i]["fitted_ns"];
        CHECK(again["predicted"][i]["ns"].get<double>() == Approx(fitted));
        CHECK(again["predicted"][i]["walk"] == from_files["residuals"][i]["walk"]);
    }
    // The proposed walks can be read again, and are numbered behind the others.
    const json next = json_of(files + Words{"--predict", folder.file("next.csv")});
    REQUIRE(next["predicted"].size() == 3);
    CHECK(next["predicted"][0]["walk"] == 20);
}

TEST_CASE("identify prints what is determined and what is open")
{
    const ProgramResult result = run_program(Words{"identify", "--on", "sim:adreno-640"} + quick);
    REQUIRE(result.exit_code == 0);
    CHECK(result.errors.empty());
    for (const char* words :
         {"20 walks, 5,120 reads", "a fetch brings 2x1 texels", "held out", "granule",
          "worst walks", "the simulated device is 4x4:morton,2x4:row,row; 1 KiB, lines of 32 B"}) {
        CHECK_THAT(result.output, Contains(words));
    }
}

TEST_CASE("identify measures an OpenCL device, goes on where it was cut off, and a CPU has no "
          "texture cache")
{
    const TemporaryFolder folder;
    const std::string prefix = folder.file("cpu");
    const Words on{"identify", "--on",      "pocl", "--walks-count", "20",  "--steps",
                   "64",       "--rounds",  "1",    "--folds",       "4",   "--image",
                   "64x64x16", "--samples", "3",    "--save",        prefix};
    const ProgramResult first = run_program(on);
    INFO(first.errors);
    REQUIRE(first.exit_code == 0);
    CHECK_THAT(first.output, Contains("20 walks, 1,280 reads") && Contains("it is a CPU"));
    const std::string latencies = read_file(prefix + "-latencies.csv");
    CHECK_THAT(latencies, Catch::StartsWith("# ") && Contains("median of 3") && Contains("\n19,"));

    // Cut off behind five walks, whose latencies stay as they were; the others are measured anew.
    const std::string kept = latencies.substr(0, latencies.find("\n5,") + 1);
    (void)folder.write("cpu-latencies.csv", kept);
    REQUIRE(run_program(on).exit_code == 0);
    const std::string again = read_file(prefix + "-latencies.csv");
    CHECK_THAT(again, Catch::StartsWith(kept) && Contains("\n19,"));
    CHECK(again != latencies);

    const json files = json_of({"identify", "--walks", prefix + "-walks.csv.gz", "--latencies",
                                prefix + "-latencies.csv", "--image", "64x64x16", "--folds", "4"});
    CHECK(files["walks"] == 20);
    CHECK_THAT(files["origin"].get<std::string>(), Contains("each walk a launch of its own"));

    refused({"identify", "--on", "pocl", "--walks-count", "20", "--steps", "64", "--rounds", "1",
             "--folds", "4", "--image", "64x64x16", "--samples", "3", "--save", prefix, "--seed",
             "2"},
            "is another one than this run asks for");
    refused({"identify", "--on", "pocl", "--walks-count", "20", "--steps", "64", "--rounds", "1",
             "--folds", "4", "--image", "64x64x16", "--samples", "5", "--save", prefix},
            "measured elsewhere, or otherwise");
}

TEST_CASE("identify writes what it found as a profile that other commands take")
{
    const TemporaryFolder folder;
    const std::string file = folder.file("found.xml");
    const json found = json_of(Words{"identify", "--on", "sim:mali-g77-tmmodel", "--set",
                                     "l1.capacity=2048", "--profile-out", file} +
                               quick);
    CHECK(found["explains"] == true);
    const std::string xml = read_file(file);
    CHECK_THAT(xml, Contains("<device name=\"found\">") && Contains("from=\"identified\"") &&
                        Contains("texelscope identify --on sim:mali-g77-tmmodel: 20 walks"));
    const json simulated =
        json_of({"simulate", "--op", "matmul", "--shape", "32,32,32", "--device", file});
    CHECK(simulated["settings"]["l1.capacity"] == 2048);
}

TEST_CASE("identify refuses what it cannot use")
{
    const TemporaryFolder folder;
    const std::string walks = folder.write("walks.csv", "walk,step,x,y\n0,0,1,1\n1,0,2,2\n");
    const std::string latencies = folder.write("latencies.csv", "walk,ns_per_read\n0,10\n1,20\n");
    const Words files{"--walks", walks, "--latencies", latencies};
    refused({"identify"}, "nothing to identify");
    refused(Words{"identify"} + files, "nothing to identify");
    refused({"identify", "--walks", walks}, "walks.csv:1: the first line is not the header 'range");
    const std::string table = folder.write(
        "p.csv", "range (byte),stride (byte),niter,t (us)\n16,16,64,9\n32,16,64,9\n64,16,64,9\n");
    refused({"identify", "--walks", table, "--image", "64x64x16"}, "WIDTHx1x16");
    refused({"identify", "--walks", table, "--image", "1x1x16"}, "1 chases of 64 reads");
    refused({"identify", "--walks", table}, "3 walks are too few for 5 folds");
    refused(Words{"identify"} + files + Words{"--image", "4x4"}, "is not WIDTHxHEIGHTxBYTES");
    refused(Words{"identify"} + files + Words{"--image", "2x2x16"},
            "walk 1: the read at (2, 2) is outside of the image");
    refused(Words{"identify"} + files + Words{"--image", "4x4x16"},
            "2 walks are too few for 5 folds");
    refused({"identify", "--on", "ssh:"}, "names no machine");
    refused({"identify", "--on", "pocl", "--set", "l1.capacity=2048"},
            "only a simulated device can be changed");
    refused({"identify", "--on", "pocl", "--image", "64x64x4"}, "texels of 16 bytes");
    refused(Words{"identify"} + files + Words{"--image", "4x4x16", "--profile-out", "found.xml"},
            "with --base");
    refused({"identify", "--on", "sim:adreno-640", "--profile-out", "found.txt"}, "ends in .xml");
    refused({"identify", "--on", "sim:nothing"}, "nothing");
    refused(Words{"identify", "--on", "sim:adreno-640"} + files, "both given");
    refused(Words{"identify", "--on", "sim:adreno-640", "--walks-count", "12"}, "too few walks");
    refused(Words{"identify", "--on", "sim:adreno-640", "--layout", "spiral"} + quick, "spiral");
    refused(Words{"identify", "--on", "sim:adreno-640", "--propose", "3"} + quick,
            "belong together");
    refused({"identify", "--walks", folder.write("bad.csv", "walk,step,x,y\n0,0,one,1\n"),
             "--latencies", latencies, "--image", "4x4x16"},
            "bad.csv:2: not four whole numbers");
}
