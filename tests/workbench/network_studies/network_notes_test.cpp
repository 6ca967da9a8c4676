// What an annotated ONNX model says of its nodes.

#include "networks/onnx/read_onnx.hpp"
#include "tests/protobuf_message.hpp"
#include "tests/workbench/network_studies/judged_example.hpp"
#include "workbench/network_studies/network_notes.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <string>

using namespace texelscope;
using namespace texelscope::workbench::network_studies;
using namespace texelscope::test;
using Catch::Matchers::Contains;

namespace {

/// The entries of a model's or a node's message. Throws where a key comes twice.
std::map<std::string, std::string> entries_of(const ProtobufMessage& message, std::uint64_t field)
{
    std::map<std::string, std::string> entries;
    for (const ProtobufMessage& entry : message.messages(field)) {
        if (!entries.emplace(entry.text(1), entry.text(2)).second) {
            throw std::runtime_error("twice: " + entry.text(1));
        }
    }
    return entries;
}

} // namespace

TEST_CASE(
    "An annotated model says of each node which kernels compute it, how, and how long they take")
{
    const JudgedNetwork network = judged_example();
    const std::string bytes = networks::onnx_bytes(network.graph, network_notes(network));
    const ProtobufMessage model(bytes);
    CHECK(model.integer(1) == 10); // the first version in which nodes have entries
    std::map<std::string, ProtobufMessage> nodes;
    for (const ProtobufMessage& node : model.message(7).messages(1)) {
        nodes.emplace(node.text(3), node);
    }
    REQUIRE(nodes.size() == 4);

    auto conv = entries_of(nodes.at("the_conv"), 9);
    CHECK(conv["kernel"] == "0");
    CHECK(conv["computes"] == "ConvRelu");
    CHECK(conv["nodes"] == "the_conv, the_relu");
    CHECK(conv["config"] == to_string(network.planned.plan.kernels[0].schedule));
    CHECK_THAT(conv["input 0"],
               Contains("x: image row") && Contains("four along dimension 1 each"));
    CHECK_THAT(conv["input 1"], Contains("w (constant): image"));
    CHECK_THAT(conv["output"], Contains("the_relu_out: image row"));
    CHECK(conv["predicted_ns"] == "1000.4");
    CHECK_FALSE(conv.contains("simulated_ns"));
    CHECK(conv["why_not"] == "no <room>");
    CHECK(conv["measured_ns"] == "20000.0");
    CHECK_THAT(nodes.at("the_conv").text(6),
               Contains("Kernel 0 ConvRelu 1x8x6x6: predicted 1 \u00B5s, measured 20"));

    auto relu = entries_of(nodes.at("the_relu"), 9);
    CHECK(relu.size() == 1);
    CHECK(relu["taken into"] == "kernel 0 of the_conv");
    CHECK_THAT(nodes.at("the_relu").text(6),
               Contains("Taken into kernel 0 ConvRelu 1x8x6x6 of node the_conv"));

    // The conversion comes before the softmax that asks for it.
    auto softmax = entries_of(nodes.at("the_softmax"), 9);
    CHECK(softmax["kernel"] == "1");
    CHECK(softmax["conversion"] == "asked for by the_softmax");
    CHECK_THAT(softmax["input 0"],
               Contains("the_relu_out") && Contains("four along dimension 1 each"));
    CHECK_THAT(softmax["output"],
               Contains("the_relu_out.along3") && Contains("four along dimension 3 each"));
    CHECK(softmax["kernel (2)"] == "2");
    CHECK(softmax["computes (2)"] == "Softmax");
    CHECK_THAT(softmax["input 0 (2)"], Contains("the_relu_out.along3"));
    CHECK(softmax["checked (2)"] == "agrees with the reference");
    CHECK(softmax["error (2)"] == "1.5e-07");
    CHECK_THAT(nodes.at("the_softmax").text(6),
               Contains("Conversion before it, kernel 1") && Contains("\nKernel 2 Softmax"));

    auto concat = entries_of(nodes.at("the_concat"), 9);
    CHECK(concat["kernel"] == "3");
    CHECK(concat["kernel (2)"] == "4");
    CHECK_THAT(concat["input 0"], Contains("x: "));
    CHECK_THAT(concat["input 0 (2)"], Contains("the_relu_out: "));
    CHECK(concat["l1_hits"] == "897");
    CHECK(concat["checked"] == "differs from the reference");

    auto whole = entries_of(model, 14);
    CHECK(whole["device"] == "a phone");
    CHECK(whole["kernels"] == "5");
    CHECK(whole["predicted_ns"] == "15002.0");
    CHECK_FALSE(whole.contains("simulated_ns")); // a kernel has none
    CHECK(whole["kendall_model_simulator"] == "-1.0000");
}

TEST_CASE("An annotated model is the same network")
{
    const JudgedNetwork network = judged_example();
    const std::string plain = networks::onnx_bytes(network.graph);
    const auto read = networks::graph_of(
        networks::parse_onnx(networks::onnx_bytes(network.graph, network_notes(network))));
    CHECK(networks::onnx_bytes(read) ==
          networks::onnx_bytes(networks::graph_of(networks::parse_onnx(plain))));
    CHECK(read.nodes.size() == 4);
    CHECK(ProtobufMessage(plain).integer(1) == 9);
}
