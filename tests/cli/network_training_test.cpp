// network run --train: from the command line, with files, and killed in between.

#include "base/npy.hpp"
#include "tests/cli/checked_program.hpp"
#include "tests/cli/killed_program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

using namespace texelscope::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

std::vector<std::string> training(const std::vector<std::string>& more, const char* rate = "0.5")
{
    std::vector<std::string> words{
        "network",    "run",    "mlp-16-16",     "--train",         "--batch", "8",    "--seed",
        "3",          "--loss", "cross-entropy", "--learning-rate", rate,      "--on", "pocl",
        "--momentum", "0.5"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

std::string bytes_of(const std::string& path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

TEST_CASE("network run --train: the loss of drawn samples falls, every tensor is right, files are "
          "written",
          "[opencl]")
{
    const TemporaryFolder folder;
    const json run = json_of(
        training({"--steps", "60", "--at-once", "60", "--check", "--gradients", folder.file("g"),
                  "--weights", folder.file("w"), "--trained", folder.file("t.onnx")}));
    REQUIRE(run["losses"].size() == 60);
    CHECK(run["losses"].back().get<double>() < run["losses"].front().get<double>() / 3);
    double sum = 0;
    for (const json& node : run["nodes"]) {
        CHECK((node["checked"].is_null() || node["checked"] == true));
        const std::string pass = node["pass"];
        CHECK((pass == "forward" || pass == "backward" || pass == "update"));
        sum += pass == "forward" ? node["measured_ns"].get<double>() : 0;
    }
    CHECK(run["passes"]["forward"]["measured_ns"].get<double>() == Approx(sum));
    CHECK(run["training"]["step_ns"].get<double>() ==
          Approx(run["total"]["kernels_ns"].get<double>()));

    // The weights that were written are those of the trained network, which is not the one that
    // there was before.
    std::size_t weights = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder.file("w"))) {
        ++weights;
        CHECK(std::filesystem::exists(std::filesystem::path(folder.file("g")) /
                                      file.path().filename()));
    }
    CHECK(weights == run["training"]["weights"]);
    const std::string trained = bytes_of(folder.file("t.onnx"));
    for (const auto& file : std::filesystem::directory_iterator(folder.file("w"))) {
        const texelscope::base::NpyArray array = texelscope::base::read_npy(file.path().string());
        const std::string numbers(reinterpret_cast<const char*>(array.values.data()),
                                  array.values.size() * sizeof(float));
        CHECK(trained.find(numbers) != std::string::npos);
    }
    CHECK(json_of({"network", "info", folder.file("t.onnx")})["weights"] ==
          json_of({"network", "info", "mlp-16-16"})["weights"]);
}

TEST_CASE("network run --train: samples and targets from files, classes by number", "[opencl]")
{
    const TemporaryFolder folder;
    std::vector<float> x(12 * 16), classes, rows(12 * 16, 0.0F);
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<float>(std::sin(static_cast<double>(i)));
    }
    for (std::size_t sample = 0; sample < 12; ++sample) {
        classes.push_back(static_cast<float>(sample * 5 % 16));
        rows[sample * 16 + sample * 5 % 16] = 1;
    }
    const auto write = [&](const char* name, const std::vector<std::int64_t>& shape,
                           const std::vector<float>& numbers) {
        std::ofstream(folder.file(name), std::ios::binary)
            << texelscope::base::npy_bytes({shape, numbers});
        return folder.file(name);
    };
    const std::string input = "x=" + write("x.npy", {12, 16}, x);
    const std::string by_class = write("classes.npy", {12}, classes);
    const std::string by_row = write("rows.npy", {12, 16}, rows);
    const json first = json_of(
        training({"--steps", "5", "--at-once", "5", "--input", input, "--target", by_class}));
    const json second =
        json_of(training({"--steps", "5", "--at-once", "5", "--input", input, "--target", by_row}));
    CHECK(first["losses"] == second["losses"]); // batches of 8 of 12 samples, one after the other
    const json drawn = json_of(training({"--steps", "5", "--at-once", "5"}));
    CHECK(first["losses"] != drawn["losses"]);
    // Two batches a step: the mean of their losses.
    const json still = json_of(
        training({"--steps", "4", "--at-once", "4", "--input", input, "--target", by_row}, "0"));
    const json joined = json_of(training({"--steps", "2", "--at-once", "2", "--accumulate", "2",
                                          "--input", input, "--target", by_row},
                                         "0"));
    for (std::size_t step = 0; step < 2; ++step) {
        CHECK(joined["losses"][step].get<double>() ==
              Approx((still["losses"][2 * step].get<double>() +
                      still["losses"][2 * step + 1].get<double>()) /
                     2));
    }
    const auto says = [&](const std::vector<std::string>& more, const char* what,
                          const char* rate = "0.5") {
        const ProgramResult result = run_program(training(more, rate));
        CHECK(result.exit_code == 2);
        CHECK_THAT(result.errors, Contains(what));
    };
    says({"--input", input, "--target", write("few.npy", {3, 16}, std::vector<float>(48))},
         "3 samples");
    says({"--target", write("wide.npy", {12, 15}, std::vector<float>(180))}, "12x15");
    says({"--target", write("high.npy", {12}, std::vector<float>(12, 16))},
         "no class from 0 to 15");
    std::vector<float> gap(12, 1);
    gap[7] = std::numeric_limits<float>::quiet_NaN();
    says({"--target", write("gap.npy", {12}, gap)}, "has 1 NaN among its 12 numbers");
    std::string integers = texelscope::base::npy_header("<i8", {12});
    for (const float number : classes) {
        integers += std::string{static_cast<char>(number), 0, 0, 0, 0, 0, 0, 0};
    }
    std::ofstream(folder.file("integers.npy"), std::ios::binary) << integers;
    CHECK(json_of(training({"--steps", "5", "--at-once", "5", "--input", input, "--target",
                            folder.file("integers.npy")}))["losses"] == first["losses"]);
    const json frozen = json_of(training({"--steps", "2", "--freeze", "gemm_bias_1"}));
    CHECK(frozen["training"]["trained"] == std::vector<std::string>{"gemm_weight_1"});
    const ProgramResult hinge =
        run_program({"network", "run", "mlp-16-16", "--train", "--loss", "hinge"});
    CHECK(hinge.exit_code == 2);
    CHECK_THAT(hinge.errors, Contains("cross-entropy and mse"));
    says({"--steps", "20", "--at-once", "20"}, "no number", "3e38");
    says({"--memory", "1KiB"}, "give more");
    says({"--output", "y=y.npy"}, "--output");
    says({"--freeze", "nobody"}, "nobody: no weight that is trained has this name");
    says({"--memory", "-1"}, "no number of bytes");
    says({}, "nan is no number from 0 on", "nan");
    // Before the first step, not after the last one.
    says({"--steps", "100000000", "--trained", folder.file("nowhere/t.onnx")}, "nowhere");
    says({"--steps", "100000000", "--weights", by_row}, "folder cannot be made");
    const ProgramResult nobody = run_program(
        {"network", "run", "mlp-16-16", "--train", "--on", "none", "--weights", folder.file("w")});
    CHECK(nobody.exit_code == 2);
    CHECK_THAT(nobody.errors, Contains("--on"));
}

TEST_CASE("network run --train: killed and started again, it comes to the same digits", "[opencl]")
{
    const TemporaryFolder folder;
    const auto with = [&](const char* checkpoint, const char* weights) {
        return training({"--steps", "120", "--at-once", "30", "--checkpoint",
                         folder.file(checkpoint), "--weights", folder.file(weights), "--json"});
    };
    const ProgramResult whole = run_program(with("whole.txt", "whole"));
    REQUIRE(whole.exit_code == 0);

    std::vector<std::string> words = with("part.txt", "part");
    words.insert(words.begin(), TEXELSCOPE_PROGRAM);
    REQUIRE(kill_when(words, [&] { return std::filesystem::exists(folder.file("part.txt")); }));
    CHECK(std::filesystem::is_empty(folder.file("part")));
    const ProgramResult rest = run_program(with("part.txt", "part"));
    REQUIRE(rest.exit_code == 0);
    CHECK_THAT(rest.errors, Contains("goes on after step"));
    CHECK(json::parse(rest.output)["losses"] == json::parse(whole.output)["losses"]);
    CHECK(bytes_of(folder.file("part.txt")) == bytes_of(folder.file("whole.txt")));
    std::size_t compared = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder.file("whole"))) {
        CHECK(bytes_of(file.path().string()) ==
              bytes_of(
                  (std::filesystem::path(folder.file("part")) / file.path().filename()).string()));
        ++compared;
    }
    CHECK(compared == 2);

    // Started once more, there is nothing left to do, and what can be written is.
    const ProgramResult done = run_program(with("part.txt", "again"));
    CHECK(done.exit_code == 0);
    CHECK_THAT(done.errors, Contains("all 120 steps are done"));
    CHECK(json::parse(done.output)["losses"].size() == 120);
    for (const auto& file : std::filesystem::directory_iterator(folder.file("again"))) {
        CHECK(bytes_of(file.path().string()) ==
              bytes_of(
                  (std::filesystem::path(folder.file("whole")) / file.path().filename()).string()));
    }
    std::vector<std::string> gradients = with("part.txt", "again");
    gradients.insert(gradients.end(), {"--gradients", folder.file("gradients")});
    const ProgramResult none = run_program(gradients);
    CHECK(none.exit_code == 2);
    CHECK_THAT(none.errors, Contains("a checkpoint has no gradients"));

    const ProgramResult other =
        run_program(training({"--steps", "120", "--checkpoint", folder.file("part.txt")}, "0.25"));
    CHECK(other.exit_code == 2);
    CHECK_THAT(other.errors,
               Contains("a checkpoint of other training: rate 0.5 there, rate 0.25 here"));
    std::vector<std::string> batch = with("part.txt", "part");
    *(std::ranges::find(batch, "--batch") + 1) = "4";
    CHECK_THAT(run_program(batch).errors, Contains("batch 8 there, batch 4 here"));
    const std::string twice = bytes_of(folder.file("part.txt"));
    std::ofstream(folder.file("twice.txt"), std::ios::binary) << twice << twice;
    const ProgramResult longer = run_program(with("twice.txt", "part"));
    CHECK(longer.exit_code == 2);
    CHECK_THAT(longer.errors,
               Contains("bytes follow its end") && Contains("delete the file to begin anew"));
    std::string damaged = bytes_of(folder.file("part.txt"));
    damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);
    std::ofstream(folder.file("part.txt"), std::ios::binary) << damaged;
    CHECK(run_program(with("part.txt", "part")).exit_code == 2);
    CHECK(bytes_of(folder.file("part.txt")) == damaged); // it loses nothing
}
