// network: built-in networks and ONNX files from the command line.

#include "base/npy.hpp"
#include "tests/cli/checked_program.hpp"
#include "tests/protobuf_message.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <numeric>
#include <set>
#include <string>

using namespace texelscope::test;
using Catch::Matchers::Contains;
using nlohmann::json;

TEST_CASE("network: what there is, what it consists of, and as an ONNX file the same")
{
    const TemporaryFolder folder;
    const json list = json_of({"network", "list"});
    CHECK(list["networks"].size() >= 19);
    const json info = json_of({"network", "info", "fsrcnn"});
    const std::string file = folder.file("fsrcnn.onnx");
    CHECK(json_of({"network", "export", "fsrcnn", "-o", file})["file"] == file);
    const json same = json_of({"network", "info", file});
    CHECK(same["weights"] == info["weights"]);
    CHECK(same["operators"] == info["operators"]);
    const ProgramResult none = run_program({"network", "info", "resnet-19"});
    CHECK(none.exit_code == 2);
    CHECK_THAT(none.errors, Contains("resnet-19") && Contains("resnet-18"));
}

TEST_CASE("network plan: a schedule for each kernel, and where its tensors lie")
{
    const json plan = json_of({"network", "plan", "mlp-16-16-16-16", "--device", "mali-g77"});
    CHECK(plan["schema"] == "texelscope.network/1");
    REQUIRE(plan["nodes"].size() >= 3);
    double sum = 0;
    std::string written; // of the kernel before: the next one reads it where it lies
    std::int64_t most = 0;
    for (const json& node : plan["nodes"]) {
        CHECK(node["predicted_ns"] > 0);
        most = std::max(most, node["alive_bytes"].get<std::int64_t>());
        sum += node["predicted_ns"].get<double>();
        CHECK_THAT(node["config"].get<std::string>(), Contains("T="));
        if (!written.empty()) {
            CHECK(node["inputs"][0].dump() == written);
        }
        written = node["output"].dump();
    }
    CHECK(plan["total"]["predicted_ns"].get<double>() == Approx(sum));
    CHECK(plan["memory"]["alive_bytes"] == most);
    CHECK(plan["searched"] > plan["evaluated"]);
    CHECK(json_of({"network", "plan", "mlp-16-16-16-16", "--device", "mali-g77"}) == plan);
}

TEST_CASE("network predict: parts of the kernels' times add up to them, and those of the whole to "
          "the sum")
{
    const Words arguments{"network", "predict", "mlp-784-256-128-16", "--device", "mali-g77"};
    const json predicted = json_of(arguments);
    const json plan = json_of({"network", "plan", "mlp-784-256-128-16", "--device", "mali-g77"});
    REQUIRE(predicted["nodes"].size() == plan["nodes"].size());
    double sum = 0;
    std::map<std::string, double> decided;
    for (std::size_t k = 0; k < plan["nodes"].size(); ++k) {
        const json& node = predicted["nodes"][k];
        CHECK(node["config"] == plan["nodes"][k]["config"]);
        CHECK(node["kind"] == "Gemm");
        double parts = 0;
        for (const auto& [name, ns] : node["bottlenecks"].items()) {
            CHECK(ns <= node["bottlenecks"][node["bottleneck"].get<std::string>()]);
            parts += ns.get<double>();
            decided[name] += ns.get<double>();
        }
        CHECK(node["predicted_ns"] == Approx(parts));
        CHECK(node["resident_warps"] > 0);
        CHECK_FALSE(node["occupancy_reason"].get<std::string>().empty());
        sum += parts;
    }
    CHECK(predicted["total"]["predicted_ns"] == Approx(sum));
    for (const char* list : {"by_bottleneck", "by_kind"}) {
        double share = 0;
        std::size_t kernels = 0;
        double before = sum;
        for (const json& part : predicted[list]) {
            const double ns = part["predicted_ns"];
            CHECK(ns == Approx(part["share"].get<double>() * sum));
            CHECK(ns == Approx(std::string(list) == "by_kind" ? sum : decided.at(part["name"])));
            CHECK(ns <= before * (1 + 1e-9));
            before = ns;
            share += part["share"].get<double>();
            kernels += part["kernels"].get<std::size_t>();
        }
        CHECK(share == Approx(1));
        CHECK(kernels == predicted["nodes"].size());
    }
    const ProgramResult text = run_program(arguments);
    CHECK_THAT(text.output, Contains("limited by") && Contains("what decides the time") &&
                                Contains("kind") &&
                                Contains(predicted["by_bottleneck"][0]["name"].get<std::string>()));
}

TEST_CASE("network plan --arena: all in one buffer, images with rows as long as asked for")
{
    const Words fsrcnn{"network", "plan", "fsrcnn", "--device", "mali-g77", "--parts", "T"};
    const json shared = json_of(fsrcnn)["memory"];
    CHECK_FALSE(shared.contains("arena"));
    const json plan = json_of(fsrcnn + Words{"--arena", "--row-multiple", "32"});
    const json& memory = plan["memory"];
    CHECK(memory["peak_bytes"] < shared["peak_bytes"]);
    CHECK(memory["peak_bytes"] <= 1.1 * memory["alive_bytes"].get<double>());
    CHECK(memory["arena"]["row_multiple"] == 32);
    CHECK(memory["arena"]["images"].get<std::size_t>() +
              memory["arena"]["buffers"].get<std::size_t>() ==
          plan["nodes"].size());
    // padded, no image takes more than an eighth above its texels
    for (const json& node : plan["nodes"]) {
        const std::int64_t width = node["output"]["texels"][0];
        CHECK((node["output"]["memory"] == "buffer" || 8 * ((width + 31) / 32 * 32) <= 9 * width));
        CHECK(node["predicted_ns"] > 0);
    }
}

TEST_CASE(
    "network run --arena: outputs from one buffer, and every tensor, are held to the reference",
    "[opencl]")
{
    const json run = json_of({"network", "run", "mlp-784-256-128-16", "--on", "pocl", "--check",
                              "--samples", "2", "--arena", "--parts", "T"});
    for (const json& node : run["nodes"]) {
        CHECK(node["checked"] == true);
        CHECK(node["measured_ns"] > 0);
    }
    CHECK(run["memory"]["arena"]["alignment"] >= 4096);
}

TEST_CASE("network crosscheck: three times of each kernel", "[opencl]")
{
    const json checked = json_of({"network", "crosscheck", "mlp-784-256-128-16", "--device",
                                  "pocl-cpu", "--on", "pocl", "--check", "--samples", "1"});
    for (const json& node : checked["nodes"]) {
        CHECK(node["predicted_ns"] > 0);
        CHECK(node["simulated_ns"] > 0);
        CHECK(node["measured_ns"] > 0);
        CHECK(node["checked"] == true);
    }
    CHECK(checked["kendall"]["model_simulator"] <= 1);
    CHECK(checked["memory"]["peak_bytes"] >= checked["memory"]["alive_bytes"]);
    CHECK(checked["memory"]["peak_bytes"] <= checked["memory"]["sum_bytes"]);
    const json alone =
        json_of({"network", "crosscheck", "mlp-16-16-16-16", "--device", "mali-g77"});
    CHECK(alone["total"]["simulated_ns"] > 0);
    CHECK(alone["nodes"][0]["measured_ns"].is_null());
}

TEST_CASE("network run --tune takes the fastest of the first by the model, still right, and "
          "--kernels writes their text",
          "[opencl]")
{
    const TemporaryFolder folder;
    const json tuned =
        json_of({"network", "run", "mlp-784-256-128-16", "--on", "pocl", "--check", "--samples",
                 "1", "--tune", "4", "--kernels", folder.file("kernels")});
    for (const json& node : tuned["nodes"]) {
        CHECK(node["checked"] == true);
        CHECK(node["tuned"]["timed"] > 1);
        CHECK(node["tuned"]["timed"] <= 1 + 4 + 6 * 5); // ours, and those of the other policies
        CHECK(node["tuned"]["best_ns"] > 0);
        CHECK(node["tuned"]["best_ns"] <= node["tuned"]["planned_ns"]);
    }
    std::ifstream first(folder.file("kernels") + "/000-GemmRelu.cl");
    const std::string text{std::istreambuf_iterator<char>(first), {}};
    CHECK_THAT(text,
               Contains("kernel") && Contains(tuned["nodes"][0]["config"].get<std::string>()));
}

TEST_CASE("network run --policy and --storage: tensors are right whoever lays them out, and in "
          "half precision",
          "[opencl]")
{
    for (const auto& [policy, storage] : {std::pair("mldrift", "fp32"), std::pair("tvm", "fp16")}) {
        const json run =
            json_of({"network", "run", "mlp-16-16", "--on", "pocl", "--check", "--samples", "1",
                     "--policy", policy, "--storage", storage, "--device", "adreno-740"});
        for (const json& node : run["nodes"]) {
            CHECK(node["checked"] == true);
            CHECK(node["error"] <= (std::string(storage) == "fp16" ? 1e-3 : 1e-5));
        }
    }
    CHECK_THAT(run_program({"network", "plan", "mlp-16-16", "--policy", "nobody"}).errors,
               Contains("smartmem"));
    CHECK_THAT(run_program({"network", "plan", "mlp-16-16", "--storage", "fp17"}).errors,
               Contains("use fp32 or fp16"));
    CHECK_THAT(run_program({"network", "plan", "mlp-16-16", "--parts", "AP"}).errors,
               Contains("--storage"));
}

TEST_CASE("network simulate: hits of the whole sequence, and a time of each kernel")
{
    const std::vector<std::string> arguments{"network", "simulate", "mlp-16-16-16-16", "--device",
                                             "mali-g77"};
    const json simulated = json_of(arguments);
    CHECK(simulated["on"].is_null());
    for (const json& node : simulated["nodes"]) {
        CHECK(node["simulated_ns"] > 0);
        CHECK(node["l1"]["lookups"] > 0);
        CHECK(node["l2"]["misses"] <= node["l2"]["lookups"]);
        CHECK(node["why_not"] == "");
    }
    CHECK(json_of(arguments) == simulated);
    CHECK_THAT(run_program(arguments).output, Contains("L2 hits"));
}

TEST_CASE("network simulate: an annotated model, a timeline and a report beside what is printed")
{
    const TemporaryFolder folder;
    const std::string model = folder.file("m.onnx");
    const std::string timeline = folder.file("t.pftrace");
    const std::string report = folder.file("r.html");
    const Words simulate{"network", "simulate", "mlp-784-256-128-16", "--device", "mali-g77"};
    const ProgramResult run = run_program(
        simulate + Words{"--annotated", model, "--timeline", timeline, "--report", report});
    REQUIRE(run.exit_code == 0);
    CHECK(run.output == run_program(simulate).output);
    CHECK_THAT(run.errors, Contains("annotated model written to " + model) &&
                               Contains("timeline written to " + timeline) &&
                               Contains("report written to " + report));
    const json kernels = json_of(simulate)["nodes"];

    // The model is the network, without normalisations to take in: the built-in one.
    const json info = json_of({"network", "info", model});
    CHECK(info["operators"] == json_of({"network", "info", "mlp-784-256-128-16"})["operators"]);
    std::size_t noted = 0;
    const ProtobufMessage onnx(read_file(model));
    for (const ProtobufMessage& node : onnx.message(7).messages(1)) {
        for (const ProtobufMessage& entry : node.messages(9)) {
            if (entry.text(1) == "config") {
                CHECK(entry.text(2) == kernels.at(noted++)["config"]);
            }
        }
    }
    CHECK(noted == kernels.size());

    std::set<std::string> names;
    const ProtobufMessage trace(read_file(timeline));
    for (const ProtobufMessage& packet : trace.messages(1)) {
        for (const ProtobufMessage& track : packet.messages(60)) {
            names.insert(track.text(2));
        }
    }
    for (const char* name : {"predicted", "simulated", "memory in use", "core 0"}) {
        CHECK(names.contains(name));
    }
    CHECK_FALSE(names.contains("measured"));
    CHECK_THAT(read_file(report),
               Contains("mlp-784-256-128-16 on mali-g77") && Contains("</html>"));
    refused(simulate + Words{"--report", folder.file("nowhere/r.html")}, "nowhere");
}

TEST_CASE("network run: every tensor is held to the reference, files go in and come out",
          "[opencl]")
{
    const TemporaryFolder folder;
    const json run =
        json_of({"network", "run", "fsrcnn", "--on", "pocl", "--check", "--samples", "2"});
    CHECK(run["total"]["samples"].size() == 2);
    for (const json& node : run["nodes"]) {
        CHECK(node["checked"] == true);
        CHECK(node["error"] < 1e-4);
        CHECK(node["measured_ns"] > 0);
    }
    const json info = json_of({"network", "info", "mlp-16-16"});
    const std::string in = info["inputs"][0]["name"];
    const std::string out = info["outputs"][0]["name"];
    texelscope::base::NpyArray given{info["inputs"][0]["shape"], std::vector<float>(16)};
    std::iota(given.values.begin(), given.values.end(), -4.0F);
    std::ofstream(folder.file("in.npy"), std::ios::binary) << texelscope::base::npy_bytes(given);
    const auto with = [&](const std::string& input) {
        return run_program({"network", "run", "mlp-16-16", "--on", "pocl", "--samples", "1",
                            "--input", input, "--output", out + "=" + folder.file("out.npy")});
    };
    REQUIRE(with(in + "=" + folder.file("in.npy")).exit_code == 0);
    const auto first = texelscope::base::read_npy(folder.file("out.npy"));
    CHECK(first.shape == info["outputs"][0]["shape"].get<std::vector<std::int64_t>>());
    CHECK_THAT(with("nobody=" + folder.file("in.npy")).errors, Contains("nobody") && Contains(in));
    std::ofstream(folder.file("in.npy"), std::ios::binary)
        << texelscope::base::npy_bytes({{4}, {1, 2, 3, 4}});
    CHECK_THAT(with(in + "=" + folder.file("in.npy")).errors,
               Contains("give an array of that shape"));
}

namespace {

std::string exported(const std::string& name)
{
    return TEXELSCOPE_SOURCE "/tests/data/onnx/" + name + ".onnx";
}

} // namespace

TEST_CASE("network run: ONNX files as exporters write them, every tensor held to the reference",
          "[opencl]")
{
    for (const char* name :
         {"add_broadcast_opset6", "concat_with_empty", "dropout_mask_unread", "embedding_ids",
          "fp16_model", "fp16_weights_cast", "lrn", "opset22_relu", "output_is_initializer",
          "output_is_input", "qdq_weights", "resize", "softmax_1x10x1x1", "split_empty_output",
          "two_identities"}) {
        CAPTURE(name);
        const json run = json_of({"network", "run", exported(name), "--on", "pocl", "--check",
                                  "--samples", "1", "--parts", "T"});
        CHECK(run["nodes"].size() >= 1);
        for (const json& node : run["nodes"]) {
            CHECK(node["checked"] == true);
        }
    }
    const Words open{"network",   "run", exported("dynamic_hw"), "--on", "pocl", "--check",
                     "--samples", "1"};
    CHECK_THAT(run_program(open).errors,
               Contains("input 'x': dimension 2, 'H', is open; give its shape: --shape x=N,..."));
    const json run = json_of(open + Words{"--shape", "x=2,3,5,6"});
    CHECK(run["nodes"][0]["shape"] == json{2, 8, 5, 6});
    refused(open + Words{"--shape", "x=2,4,5,6"}, "dimension 1 is 3 in the file, and 4 is given");
    refused(open + Words{"--shape", "y=2"}, "inputs are x");
    for (const char* bad : {"x", "x=1,", "x=-1,2", "=1", "x=1,,2", "x=a"}) {
        refused(open + Words{"--shape", bad}, "is not the shape of an input");
    }
    refused(open + Words{"--shape", "x=2,3,5,6", "--shape", "x=2,3,5,6"}, "given twice");
    refused({"network", "info", "fsrcnn", "--shape", "x=1"}, "it is a built-in network");
}

TEST_CASE("network run: outputs that no node makes, or that have several names, are written",
          "[opencl]")
{
    const TemporaryFolder folder;
    const std::string x = folder.file("x.npy");
    const auto output = [&](const std::string& model, const std::string& name) {
        const std::string y = folder.file(name + ".npy");
        REQUIRE(run_program({"network", "run", exported(model), "--on", "pocl", "--samples", "1",
                             "--input", "x=" + x, "--output", name + "=" + y})
                    .exit_code == 0);
        return texelscope::base::read_npy(y).values;
    };
    std::ofstream(x, std::ios::binary) << texelscope::base::npy_bytes({{1, 4}, {1, -2, 3, -4}});
    CHECK(output("output_is_input", "x") == std::vector<float>{1, -2, 3, -4});
    CHECK(output("output_is_input", "y") == std::vector<float>{1, 0, 3, 0});
    CHECK(output("output_is_initializer", "w").size() == 3);
    std::ofstream(x, std::ios::binary)
        << texelscope::base::npy_bytes({{2, 6}, {1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6}});
    const std::vector<float> wanted{1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0};
    CHECK(output("two_identities", "y1") == wanted);
    CHECK(output("two_identities", "y2") == wanted);
}

TEST_CASE("network plan: no tensor's image is larger than the device takes, outputs among them")
{
    for (const char* policy : {"ours", "tvm"}) {
        const json plan = json_of({"network", "plan", exported("first_conv"), "--device",
                                   "pocl-cpu", "--parts", "T", "--policy", policy});
        for (const json& node : plan["nodes"]) {
            std::vector<json> tensors = node["inputs"].get<std::vector<json>>();
            tensors.push_back(node["output"]);
            for (const json& tensor : tensors) {
                CAPTURE(policy, tensor.dump());
                CHECK((tensor["memory"] == "buffer" ||
                       (tensor["texels"][0] <= 8192 && tensor["texels"][1] <= 8192)));
            }
        }
    }
}
