// Forms that exporters write: outputs that nothing makes or nobody reads, open dimensions, old and
// new operator sets, types of numbers, quantization, functions. Results are worked out by hand.

#include "base/error.hpp"
#include "networks/onnx/functions.hpp"
#include "networks/onnx/read_onnx.hpp"
#include "networks/onnx/write_onnx.hpp"
#include "networks/operators/node_operator.hpp"
#include "networks/passes/simplify.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

using namespace texelscope;
using namespace texelscope::networks;
using Catch::Matchers::Contains;

namespace {

using Names = std::vector<std::string>;
using Integers = std::vector<std::int64_t>;

Attributes said(std::initializer_list<std::pair<const char*, Attribute>> all)
{
    Attributes attributes;
    for (const auto& [name, value] : all) {
        attributes.set(name, value);
    }
    return attributes;
}

OnnxNode node_of(const std::string& op, Names inputs, Names outputs, Attributes attributes = {})
{
    OnnxNode node;
    node.op = op;
    node.inputs = std::move(inputs);
    node.outputs = std::move(outputs);
    node.attributes = std::move(attributes);
    return node;
}

OnnxValue value_called(const std::string& name, const Shape& shape, OnnxType type = OnnxType::fp32)
{
    OnnxValue value{name, static_cast<std::int32_t>(type), {}};
    value.shape.emplace();
    for (const std::int64_t extent : shape) {
        value.shape->push_back({extent});
    }
    return value;
}

/// A file with an input x, and outputs that have these names.
OnnxFile file_with(const Shape& x, std::vector<OnnxNode> nodes, const Names& outputs,
                   std::int64_t opset = 20)
{
    OnnxFile file;
    file.opset = opset;
    file.graph = "forms";
    file.nodes = std::move(nodes);
    file.inputs = {value_called("x", x)};
    for (const std::string& name : outputs) {
        file.outputs.push_back({name, static_cast<std::int32_t>(OnnxType::fp32), {}});
    }
    return file;
}

Array floats(const Shape& shape, std::vector<float> numbers)
{
    return {shape, std::move(numbers)};
}

Array whole(const Shape& shape, Integers numbers, OnnxType type = OnnxType::int64)
{
    return {shape, std::move(numbers), integer_type(type)};
}

Reals counted(const Shape& shape)
{
    Reals numbers{shape, {}};
    for (std::int64_t i = 0; i < element_count(shape); ++i) {
        numbers.values.push_back(static_cast<double>(i));
    }
    return numbers;
}

/// The outputs of the network that is read, of the one that is written and read again, and of the
/// simplified one, which all have to be the same.
std::vector<Reals> outputs_of(const OnnxFile& file, const std::vector<Reals>& inputs,
                              const OnnxOptions& options = {})
{
    const Graph graph = graph_of(file, options);
    const auto outputs = [&](const Graph& of) {
        const std::vector<Reals> all = reference_values(of, inputs, true);
        std::vector<Reals> some;
        for (const ValueId id : of.outputs) {
            some.push_back(all[static_cast<std::size_t>(id)]);
        }
        return some;
    };
    const std::vector<Reals> read = outputs(graph);
    const std::vector<Graph> others{simplified(graph), graph_of(parse_onnx(onnx_bytes(graph)))};
    for (const Graph& other : others) {
        const std::vector<Reals> found = outputs(other);
        REQUIRE(found.size() == read.size());
        for (std::size_t i = 0; i < read.size(); ++i) {
            CHECK(other.value(other.outputs[i]).name == file.outputs[i].name);
            CHECK(found[i].shape == read[i].shape);
            CHECK(found[i].values == read[i].values);
        }
    }
    return read;
}

std::vector<double> only_output(const OnnxFile& file, const std::vector<Reals>& inputs)
{
    return outputs_of(file, inputs).front().values;
}

} // namespace

TEST_CASE("An output may be an input, a constant, or another name of a value")
{
    OnnxFile file = file_with({2},
                              {node_of("Relu", {"x"}, {"a"}), node_of("Identity", {"a"}, {"y"}),
                               node_of("Identity", {"a"}, {"z"}), node_of("Identity", {"w"}, {"v"}),
                               node_of("Constant", {}, {"c"}, said({{"value_float", 3.0}})),
                               node_of("Shape", {"x"}, {"s"})},
                              {"x", "y", "z", "a", "w", "v", "c", "s"});
    file.constants["w"] = floats({2}, {5, 6});
    const std::vector<Reals> found = outputs_of(file, {{{2}, {-1, 4}}});
    const std::vector<std::vector<double>> wanted{{-1, 4}, {0, 4}, {0, 4}, {0, 4},
                                                  {5, 6},  {5, 6}, {3},    {2}};
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        CHECK(found[i].values == wanted[i]);
    }
    // Without nodes.
    CHECK(only_output(file_with({2}, {}, {"x"}), {{{2}, {1, 2}}}) == std::vector<double>{1, 2});
    CHECK_THROWS_WITH(graph_of(file_with({2}, {}, {"x", "x"})),
                      Contains("output 'x': it is named twice"));
    CHECK_THROWS_WITH(graph_of(file_with({2}, {}, {"y"})),
                      Contains("output 'y': no node makes it"));
}

TEST_CASE("Outputs that nobody reads refuse no model, and those that someone reads are named once")
{
    const auto pool = said({{"kernel_shape", Integers{2}}, {"storage_order", std::int64_t{1}}});
    OnnxFile file = file_with({1, 1, 4},
                              {node_of("MaxPool", {"x"}, {"p", "indices"}, pool),
                               node_of("Dropout", {"p"}, {"y", "mask"})},
                              {"y"});
    CHECK(only_output(file, {{{1, 1, 4}, {1, 3, 2, 0}}}) == std::vector<double>{3, 3, 2});
    file.nodes.push_back(node_of("Relu", {"mask"}, {"z"}));
    CHECK_THROWS_WITH(graph_of(file),
                      "node 'y' (Dropout, operator set 20): its mask (output 2) is not computed");
    file.nodes.resize(2);
    file.outputs.push_back(value_called("indices", {1, 1, 3}, OnnxType::int64));
    CHECK_THROWS_WITH(graph_of(file), "node 'p' (MaxPool, operator set 20): its indices (output 2) "
                                      "are not computed");
    // Normalisation of inference with the statistics of training, as older exporters name them.
    OnnxFile norm = file_with(
        {1, 2, 1},
        {node_of("BatchNormalization", {"x", "s", "b", "m", "v"},
                 {"y", "mean", "var", "saved_mean", "saved_var"}, said({{"epsilon", 0.0}}))},
        {"y"}, 9);
    for (const auto& [name, numbers] :
         {std::pair("s", std::vector<float>{1, 2}), std::pair("b", std::vector<float>{0, 1}),
          std::pair("m", std::vector<float>{1, 1}), std::pair("v", std::vector<float>{4, 1})}) {
        norm.constants[name] = floats({2}, numbers);
    }
    CHECK(only_output(norm, {{{1, 2, 1}, {3, 3}}}) == std::vector<double>{1, 5});
}

TEST_CASE("Parts of a Split without a name are not made")
{
    for (const Names& names : {Names{"a", "", "c"}, Names{"", "b", ""}, Names{"a", "", ""}}) {
        Names outputs;
        std::vector<double> wanted;
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (!names[i].empty()) {
                outputs.push_back(names[i]);
                wanted.push_back(static_cast<double>(2 * i));
                if (i < 2) {
                    wanted.push_back(static_cast<double>(2 * i + 1));
                }
            }
        }
        const OnnxFile file = file_with(
            {5}, {node_of("Split", {"x"}, names, said({{"axis", std::int64_t{0}}}))}, outputs);
        std::vector<double> all;
        for (const Reals& each : outputs_of(file, {counted({5})})) {
            all.insert(all.end(), each.values.begin(), each.values.end());
        }
        CHECK(all == wanted);
    }
    CHECK_THROWS_WITH(
        graph_of(file_with({5},
                           {node_of("Split", {"x"}, {"a", ""},
                                    said({{"axis", std::int64_t{0}}, {"split", Integers{4, 4}}}))},
                           {"a"})),
        Contains("is not split into these 2 parts"));
    // A node of which no output has a name does nothing.
    const OnnxFile nothing =
        file_with({2}, {node_of("Relu", {"x"}, {""}), node_of("Neg", {"x"}, {"y"})}, {"y"});
    CHECK(graph_of(nothing).nodes.size() == 1);
}

TEST_CASE("A softmax before version 13 takes the axis and all behind it as one")
{
    const auto softmax = [](const Shape& shape, std::int64_t axis) {
        return graph_of(
            file_with(shape, {node_of("Softmax", {"x"}, {"y"}, said({{"axis", axis}}))}, {"y"}, 9));
    };
    const Graph one = softmax({1, 10, 1, 1}, 1);
    REQUIRE(one.nodes.size() == 1);
    CHECK(one.nodes[0].attributes.integer("axis", 0) == 1);
    CHECK(softmax({2, 1, 3, 1}, 1).nodes[0].attributes.integer("axis", 0) == 2);
    CHECK(softmax({2, 3, 4}, 1).nodes.size() == 3);
    const OnnxFile file = file_with({2, 3, 4}, {node_of("Softmax", {"x"}, {"y"})}, {"y"}, 11);
    const std::vector<double> found = only_output(file, {counted({2, 3, 4})});
    for (std::size_t at = 0; at < found.size(); ++at) {
        double sum = 0;
        for (int i = 0; i < 12; ++i) {
            sum += std::exp(i);
        }
        CHECK(found[at] == Approx(std::exp(static_cast<double>(at % 12)) / sum));
    }
}

TEST_CASE("Open dimensions are what --shape says, and its contradictions are refused")
{
    OnnxFile file = file_with({0, 3, 0, 0}, {node_of("Relu", {"x"}, {"y"})}, {"y"});
    (*file.inputs[0].shape)[2].name = "h";
    (*file.inputs[0].shape)[3].name = "w";
    file.inputs.push_back(value_called("mask", {0, 0}));
    (*file.inputs[1].shape)[1].name = "h";
    CHECK_THROWS_WITH(
        graph_of(file, {.batch = 1}),
        Contains("input 'x': dimension 2, 'h', is open; give its shape: --shape x=N,..."));
    const auto shapes_of = [&](std::map<std::string, Shape> shapes) {
        OnnxOptions options;
        options.batch = 2;
        options.shapes = std::move(shapes);
        return graph_of(file, options);
    };
    const Graph graph = shapes_of({{"x", {1, 3, 5, 7}}});
    CHECK(graph.value(graph.inputs[0]).shape == Shape{1, 3, 5, 7});
    CHECK(graph.value(graph.inputs[1]).shape == Shape{2, 5}); // by the name, and by the batch
    CHECK_THROWS_WITH(shapes_of({{"x", {1, 4, 5, 7}}}),
                      Contains("dimension 1 is 3 in the file, and 4 is given"));
    CHECK_THROWS_WITH(shapes_of({{"x", {1, 3, 5}}}),
                      Contains("it has 4 dimensions, and 3 are given"));
    CHECK_THROWS_WITH(shapes_of({{"z", {1}}}), Contains("it has no input 'z'; inputs are x, mask"));
    CHECK_THROWS_WITH(shapes_of({{"x", {1, 3, 5, 7}}, {"mask", {1, 6}}}),
                      Contains("dimension 'h' is"));
    file.inputs[0].shape.reset();
    CHECK(shapes_of({{"x", {4, 4}}, {"mask", {1, 6}}}).values[0].shape == Shape{4, 4});
}

TEST_CASE("Broadcasting of operator sets before 7 is along an axis")
{
    OnnxFile file =
        file_with({2, 2, 2},
                  {node_of("Add", {"x", "b"}, {"y"},
                           said({{"broadcast", std::int64_t{1}}, {"axis", std::int64_t{1}}}))},
                  {"y"}, 6);
    file.constants["b"] = floats({2}, {10, 20});
    CHECK(only_output(file, {counted({2, 2, 2})}) ==
          std::vector<double>{10, 11, 22, 23, 14, 15, 26, 27});
    file.nodes[0].attributes = said({{"broadcast", std::int64_t{1}}}); // the last dimensions
    CHECK(only_output(file, {counted({2, 2, 2})}) ==
          std::vector<double>{10, 21, 12, 23, 14, 25, 16, 27});
    file.nodes[0].attributes = {};
    CHECK_THROWS_WITH(graph_of(file),
                      Contains("2x2x2 and 2 are not the same, and broadcast is not set"));
    file.nodes[0].attributes = said({{"broadcast", std::int64_t{1}}, {"axis", std::int64_t{3}}});
    CHECK_THROWS_WITH(graph_of(file), Contains("axis 3"));
    file.nodes[0] = node_of("Max", {"x", "b"}, {"y"});
    file.opset = 7;
    CHECK_THROWS_WITH(graph_of(file), Contains("are not the same"));
    file.nodes[0] = node_of("PRelu", {"x", "b"}, {"y"});
    file.opset = 6;
    CHECK(only_output(file, {{{2, 2, 2}, {-1, 1, -1, 1, -1, 1, -1, 1}}}) ==
          std::vector<double>{-10, 1, -20, 1, -10, 1, -20, 1});
    file.nodes[0] = node_of("Dropout", {"x"}, {"y"});
    CHECK_THROWS_WITH(graph_of(file), Contains("it trains (is_test is 0)"));
    file.nodes[0].attributes = said({{"is_test", std::int64_t{1}}});
    CHECK_NOTHROW(graph_of(file));
    file.opset = 29;
    CHECK_THROWS_WITH(graph_of(file), Contains("operator set 29 is not understood, 1 to 28 are"));
}

TEST_CASE("Weights are quantized integers, and activations pass through them in fp32")
{
    OnnxFile file = file_with(
        {2, 3},
        {node_of("DequantizeLinear", {"q", "s", "z"}, {"w"}, said({{"axis", std::int64_t{0}}})),
         node_of("Mul", {"x", "w"}, {"y"})},
        {"y"});
    file.constants["q"] = whole({2, 3}, {-128, 0, 127, 1, 2, 3}, OnnxType::int8);
    file.constants["s"] = floats({2}, {0.5F, 0.1F});
    file.constants["z"] = whole({2}, {-128, 1}, OnnxType::int8);
    CHECK(graph_of(file).nodes.size() == 1); // worked out when it is read
    const std::vector<double> ones(6, 1);
    const std::vector<double> weights{0, 64, 127.5, 0, 0.1F, 2 * 0.1F};
    CHECK(only_output(file, {{{2, 3}, ones}}) == weights);

    OnnxFile quantized = file_with({7},
                                   {node_of("QuantizeLinear", {"x", "s", "z"}, {"q"}),
                                    node_of("DequantizeLinear", {"q", "s", "z"}, {"y"})},
                                   {"q", "y"}, 13);
    quantized.constants["s"] = floats({}, {0.1F});
    quantized.constants["z"] = whole({}, {3}, OnnxType::uint8);
    // 0.35 / 0.1 is less than 3.5, and in fp32 it is 3.5, which goes to 4.
    const std::vector<double> x{-1, 0, 0.25F, 0.35F, 0.449F, 25, 100};
    std::vector<double> steps, back;
    for (const double number : x) {
        const float quotient = static_cast<float>(number) / 0.1F;
        const float step = std::clamp(std::nearbyint(quotient) + 3.0F, 0.0F, 255.0F);
        steps.push_back(static_cast<double>(step));
        back.push_back(static_cast<double>((step - 3.0F) * 0.1F));
    }
    const std::vector<Reals> found = outputs_of(quantized, {{{7}, x}});
    CHECK(found[0].values == steps);
    for (std::size_t i = 0; i < x.size(); ++i) {
        CHECK(found[1].values[i] == Approx(back[i]).epsilon(1e-7));
    }
    quantized.constants["z"] = floats({}, {3});
    CHECK_THROWS_WITH(graph_of(quantized),
                      Contains("its zero point ('z') is no constant of integers"));
    quantized.constants["s"] = floats({3}, {1, 1, 1});
    CHECK_THROWS_WITH(graph_of(quantized), Contains("QuantizeLinear"));
}

TEST_CASE("Rows of a table are taken by identifiers that the caller gives")
{
    OnnxFile file =
        file_with({0},
                  {node_of("Gather", {"table", "x"}, {"g"}),
                   node_of("Cast", {"x"}, {"r"}, said({{"to", std::int64_t{1}}})),
                   node_of("Unsqueeze", {"r", "axes"}, {"u"}), node_of("Mul", {"g", "u"}, {"y"})},
                  {"y"});
    file.inputs = {value_called("x", {3}, OnnxType::int64)};
    file.constants["table"] = floats({4, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
    file.constants["axes"] = whole({1}, {1});
    CHECK(only_output(file, {{{3}, {1, 3, -1}}}) == std::vector<double>{2, 3, 18, 21, -6, -7});
    CHECK(graph_of(file).values[0].is_integer);
    const auto refused = [&](const OnnxNode& node, const char* line) {
        OnnxFile other = file;
        other.nodes = {node};
        CHECK_THROWS_WITH(graph_of(other), Contains(line));
    };
    refused(node_of("Add", {"x", "x"}, {"y"}),
            "input 'x' is of integers, real numbers are understood");
    refused(node_of("Cast", {"x"}, {"y"}, said({{"to", std::int64_t{2}}})),
            "integers become uint8");
    refused(node_of("Gather", {"table", "table"}, {"y"}),
            "attribute indices is not a list of integers");
    file.inputs[0].type = static_cast<std::int32_t>(OnnxType::boolean);
    CHECK_THROWS_WITH(graph_of(file), Contains("input 'x': its elements are booleans"));
}

TEST_CASE("Tensors without numbers are no kernels, and what is made of them is a constant")
{
    OnnxFile file = file_with(
        {2, 3},
        {node_of("Concat", {"x", "none"}, {"y"}, said({{"axis", std::int64_t{1}}})),
         node_of("ReduceSum", {"none", "axes"}, {"zero"}),
         node_of("Slice", {"x", "from", "from", "axes"}, {"nothing"}),
         node_of("Relu", {"nothing"}, {"still"}),
         node_of("Split", {"x", "parts"}, {"all", "rest"}, said({{"axis", std::int64_t{1}}}))},
        {"y", "zero", "still", "all", "rest"});
    file.constants["none"] = floats({2, 0}, {});
    file.constants["axes"] = whole({1}, {1});
    file.constants["from"] = whole({1}, {1});
    file.constants["parts"] = whole({2}, {3, 0});
    const Reals x = counted({2, 3});
    const std::vector<Reals> found = outputs_of(file, {x});
    CHECK(found[0].values == x.values);
    CHECK(found[1].values == std::vector<double>{0, 0});
    CHECK(found[2].shape == Shape{2, 0});
    CHECK(found[3].values == x.values);
    CHECK(found[4].shape == Shape{2, 0});
    for (const Node& node : simplified(graph_of(file)).nodes) {
        for (const ValueId id : node.inputs) {
            CHECK(element_count(graph_of(file).value(id).shape) > 0);
        }
    }
}

TEST_CASE("What a file makes of constants is worked out when it is read")
{
    OnnxFile file = file_with(
        {2},
        {node_of("Equal", {"shape", "open"}, {"is"}),
         node_of("Where", {"is", "one", "shape"}, {"wanted"}),
         node_of("Expand", {"x", "wanted"}, {"big"}), node_of("Transpose", {"w"}, {"wt"}),
         node_of("Cast", {"wt"}, {"half"}, said({{"to", std::int64_t{10}}})),
         node_of("Cast", {"half"}, {"again"}, said({{"to", std::int64_t{1}}})),
         node_of("Pow", {"again", "two"}, {"squares"}), node_of("Add", {"big", "squares"}, {"y"})},
        {"y"});
    file.constants["shape"] = whole({2}, {-1, 2});
    file.constants["open"] = whole({}, {-1});
    file.constants["one"] = whole({}, {3});
    file.constants["two"] = whole({}, {2}, OnnxType::int32);
    file.constants["w"] = floats({2, 1}, {0.1F, 3});
    CHECK(graph_of(file).nodes.size() == 2);
    const double tenth = 0.0999755859375; // of fp16
    const std::vector<double> found = only_output(file, {{{2}, {0, 1}}});
    REQUIRE(found.size() == 6);
    CHECK(found[0] == Approx(tenth * tenth).epsilon(1e-7));
    CHECK(found[5] == 10);
}

TEST_CASE("Functions of a file are written out where they are called")
{
    OnnxFile file = file_with({2}, {}, {"y", "z"});
    OnnxNode call = node_of("Twice", {"x"}, {"y"}, said({{"slope", 0.5}}));
    OnnxNode other = node_of("Twice", {"y"}, {"z"});
    call.domain = other.domain = "mine";
    file.nodes = {call, other};
    OnnxFunction once{.name = "Once",
                      .domain = "mine",
                      .overload = {},
                      .inputs = {"a"},
                      .outputs = {"b"},
                      .defaults = {},
                      .nodes = {}};
    once.nodes = {node_of("LeakyRelu", {"a"}, {"t"}), node_of("Add", {"t", "t"}, {"b"})};
    once.nodes[0].references["alpha"] = "slope";
    once.opset = 16;
    OnnxFunction twice{.name = "Twice",
                       .domain = "mine",
                       .overload = {},
                       .inputs = {"a"},
                       .outputs = {"b"},
                       .defaults = {},
                       .nodes = {}};
    twice.nodes = {node_of("Once", {"a"}, {"t"}), node_of("Once", {"t"}, {"b"})};
    for (OnnxNode& each : twice.nodes) {
        each.domain = "mine";
        each.references["slope"] = "slope";
    }
    twice.defaults.attributes = said({{"slope", 0.25}});
    write_out_functions(file, {once, twice});
    REQUIRE(file.nodes.size() == 8);
    // -4: times a half and two, twice; then a quarter and two, twice.
    const std::vector<Reals> found = outputs_of(file, {{{2}, {1, -4}}});
    CHECK(found[0].values == std::vector<double>{4, -4});
    CHECK(found[1].values == std::vector<double>{16, -1});

    once.nodes[0] = node_of("Once", {"a"}, {"t"});
    once.nodes[0].domain = "mine";
    file.nodes = {call};
    CHECK_THROWS_WITH(write_out_functions(file, {once, twice}),
                      Contains("function 'Once': it calls itself"));
    // Each calls the next one ten times: a small file, and more nodes than there are atoms.
    std::vector<OnnxFunction> bomb;
    for (int i = 0; i < 20; ++i) {
        OnnxFunction each{.name = "F" + std::to_string(i),
                          .domain = "mine",
                          .overload = {},
                          .inputs = {},
                          .outputs = {},
                          .defaults = {},
                          .nodes = {}};
        for (int k = 0; i < 19 && k < 10; ++k) {
            each.nodes.push_back(node_of("F" + std::to_string(i + 1), {}, {}));
            each.nodes.back().domain = "mine";
        }
        bomb.push_back(each);
    }
    file.nodes = {node_of("F0", {}, {})};
    file.nodes[0].domain = "mine";
    CHECK_THROWS_WITH(write_out_functions(file, bomb), Contains("more nodes than any network has"));
}

TEST_CASE("Upsample, and Resize of operator set 10, are read as the Resize of today")
{
    const auto resized = [](const char* op, std::int64_t opset, const Array& scales) {
        OnnxFile file =
            file_with({1, 1, 1, 4}, {node_of(op, {"x", "scales"}, {"y"})}, {"y"}, opset);
        file.constants["scales"] = scales;
        return only_output(file, {{{1, 1, 1, 4}, {1, 2, 3, 4}}});
    };
    CHECK(resized("Upsample", 9, floats({4}, {1, 1, 1, 2})) ==
          std::vector<double>{1, 1, 2, 2, 3, 3, 4, 4});
    // As ONNX's test of that version has it: the nearest is the one behind where it gets smaller.
    CHECK(resized("Resize", 10, floats({4}, {1, 1, 1, 0.6F})) == std::vector<double>{1, 3});
    OnnxFile old = file_with({1, 1, 1, 2},
                             {node_of("Upsample", {"x"}, {"y"},
                                      said({{"mode", std::string("linear")},
                                            {"scales", std::vector<double>{1, 1, 1, 2}}}))},
                             {"y"}, 7);
    CHECK(only_output(old, {{{1, 1, 1, 2}, {1, 3}}}) == std::vector<double>{1, 2, 3, 3});
}

TEST_CASE(
    "A slice that goes backwards begins at a place that there is, and may end before the first")
{
    const auto sliced = [](std::int64_t start, std::int64_t end, std::int64_t step) {
        OnnxFile file =
            file_with({5}, {node_of("Slice", {"x", "from", "to", "axes", "by"}, {"y"})}, {"y"});
        for (const auto& [name, number] :
             {std::pair("from", start), {"to", end}, {"by", step}, {"axes", std::int64_t{0}}}) {
            file.constants[name] = whole({1}, {number});
        }
        return only_output(file, {counted({5})});
    };
    constexpr std::int64_t all = std::numeric_limits<std::int64_t>::min();
    using Numbers = std::vector<double>;
    CHECK(sliced(3, 0, -2) == Numbers{3, 1});
    CHECK(sliced(-1, all, -2) == Numbers{4, 2, 0});
    // ONNX's text: the start is cut to [0, 4], the end to [-1, 4].
    CHECK(sliced(-9, all, -1) == Numbers{0});
    CHECK(sliced(9, -3, -1) == Numbers{4, 3});
}
