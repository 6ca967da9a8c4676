// ONNX files that are written, read again, cut, and changed at random.

#include "base/error.hpp"
#include "base/random.hpp"
#include "networks/models/models.hpp"
#include "networks/onnx/read_onnx.hpp"
#include "networks/onnx/write_onnx.hpp"
#include "networks/operators/node_operator.hpp"

#include <catch2/catch.hpp>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <utility>

using namespace texelscope;
using namespace texelscope::networks;
using Catch::Matchers::Contains;

namespace {

Reals random_input(const Graph& graph, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    Reals input{graph.value(graph.inputs.front()).shape, {}};
    for (std::int64_t i = 0; i < element_count(input.shape); ++i) {
        input.values.push_back(2 * base::uniform_real(random) - 1);
    }
    return input;
}

/// x (3 by 4) times a constant, with a bias and an activation whose bound is an attribute.
Graph small_graph()
{
    Graph graph;
    graph.name = "small";
    graph.inputs = {graph.add_value("x", {3, 4})};
    const ValueId weight = graph.add_constant("w", {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    const auto add = [&](const char* op, std::vector<ValueId> inputs, Attributes attributes) {
        Node node{
            std::string("the_") + op, op, std::move(inputs), {no_value}, std::move(attributes)};
        const Shape shape = output_shapes(graph, node).front();
        node.outputs = {graph.add_value(std::string(op) + "_out", shape)};
        graph.nodes.push_back(std::move(node));
        return graph.nodes.back().outputs.front();
    };
    Attributes bounds;
    bounds.set("max", 6.0);
    Attributes shape;
    shape.set("shape", std::vector<std::int64_t>{2, -1});
    graph.outputs = {
        add("Reshape", {add("Clip", {add("MatMul", {0, weight}, {})}, bounds)}, shape)};
    return graph;
}

} // namespace

TEST_CASE("A network is the same after it was written and read")
{
    for (const char* name :
         {"mlp-16-16-16-16", "fsrcnn", "squeezenet-1.0", "mobilenet-v2", "vit-tiny"}) {
        CAPTURE(name);
        const Graph made = find_model(name)->make(1, 7);
        const Graph read = graph_of(parse_onnx(onnx_bytes(made)));
        CHECK_NOTHROW(check_graph(read));
        REQUIRE(read.nodes.size() == made.nodes.size());
        for (std::size_t i = 0; i < made.nodes.size(); ++i) {
            CHECK(read.nodes[i].op == made.nodes[i].op);
            CHECK(read.nodes[i].name == made.nodes[i].name);
            CHECK(read.value(read.nodes[i].outputs.front()).shape ==
                  made.value(made.nodes[i].outputs.front()).shape);
        }
        CHECK(onnx_bytes(read).size() == onnx_bytes(made).size());
    }
    for (const char* name : {"mlp-784-256-128-16", "lenet-5", "fsrcnn"}) {
        const Graph made = find_model(name)->make(1, 7);
        const Graph read = graph_of(parse_onnx(onnx_bytes(made)));
        const Reals input = random_input(made, 3);
        const Reals a =
            reference_values(made, {input})[static_cast<std::size_t>(made.outputs.front())];
        const auto all = reference_values(read, {input});
        const Reals& b = all[static_cast<std::size_t>(read.outputs.front())];
        CHECK(a.shape == b.shape);
        CHECK(a.values == b.values);
    }
}

TEST_CASE("Built-in networks have as many weights and products as published")
{
    struct Published {
        const char* name;
        double weights, products; ///< millions, as torchvision's documentation has them
    };
    // Weights of normalisations: four of each channel here, two where others count them.
    for (const Published& known :
         {Published{"resnet-18", 11.69, 1814}, Published{"mobilenet-v2", 3.50, 301},
          Published{"vgg-16", 138.36, 15470}, Published{"densenet-121", 7.98, 2834},
          Published{"squeezenet-1.0", 1.25, 819}, Published{"inception-v3", 23.83, 5713},
          Published{"nasnet-mobile", 5.33, 564}}) {
        CAPTURE(known.name);
        const Graph graph = find_model(known.name)->make(1, 1);
        double weights = 0;
        for (const auto& [id, numbers] : graph.constants) {
            weights += static_cast<double>(numbers.size()) / 1e6;
        }
        double products = 0;
        for (const Node& node : graph.nodes) {
            products += multiply_adds(graph, node) / 1e6;
        }
        CHECK(weights == Approx(known.weights).epsilon(0.015));
        CHECK(products == Approx(known.products).epsilon(0.01));
    }
}

TEST_CASE("Layers of lenet-5 have as many weights as the paper says")
{
    const Graph graph = find_model("lenet-5")->make(1, 1);
    // Of C1, C5 and F6. S2 and S4 have none here, C3 reads all maps, and the output is a sum.
    for (const auto& [name, weights] :
         {std::pair("conv_1", 156), std::pair("gemm_1", 48120), std::pair("gemm_2", 10164)}) {
        const auto node = std::ranges::find(graph.nodes, name, &Node::name);
        REQUIRE(node != graph.nodes.end());
        std::size_t found = 0;
        for (const ValueId input : node->inputs) {
            found += graph.constants.contains(input) ? graph.constants.at(input).size() : 0;
        }
        CHECK(found == static_cast<std::size_t>(weights));
    }
}

TEST_CASE("A small network is computed as by hand")
{
    const Graph graph = small_graph();
    const auto values =
        reference_values(graph, {{{3, 4}, {1, 0, 0, 0, 0, 1, 0, 0, 0.5, 0, 0, -1}}});
    const Reals& out = values[static_cast<std::size_t>(graph.outputs.front())];
    CHECK(out.shape == Shape{2, 3});
    CHECK(out.values == std::vector<double>{1, 2, 3, 4, -6.5, -7});
    CHECK_THROWS_WITH(reference_values(graph, {{{4, 3}, std::vector<double>(12)}}),
                      Contains("it is 3x4, and is given 4x3"));
}

TEST_CASE("What is not understood of a file is said in a line, with the node")
{
    const auto refused = [](const auto& change, const char* line) {
        Graph graph = small_graph();
        change(graph);
        CHECK_THROWS_WITH(graph_of(parse_onnx(onnx_bytes(graph))), Contains(line));
    };
    refused(
        [](Graph& graph) {
            graph.values[1].shape = {2, 4};
        },
        "node 'the_MatMul' (MatMul, operator set 20)");
    refused([](Graph& graph) { graph.constants.at(1).pop_back(); },
            "it has 7 elements, and its shape 4x2 says 8");
    refused([](Graph& graph) { graph.nodes[0].inputs[0] = 4; }, "is used before it is made");
    refused([](Graph& graph) { graph.nodes[1].attributes.set("min", std::string("low")); },
            "a word is no constant");
    refused(
        [](Graph& graph) {
            graph.nodes[2].attributes.set("shape", std::vector<std::int64_t>{5, -1});
        },
        "does not become");
    refused([](Graph& graph) { graph.values[0].shape = {0, 4}; }, "dimension 0 is open");
    refused([](Graph& graph) { graph.nodes[0].name = "the \xff"; }, "no UTF-8");
    // Names become those of files (a NUL would end them) and are printed.
    refused([](Graph& graph) { graph.nodes[0].name = "\x1b[2J"; },
            "control characters: '\\u001b[2J'");
    refused([](Graph& graph) { graph.values[1].name = std::string(".bashrc\0w", 9); },
            "control characters");
    refused([](Graph& graph) { graph.name = "a\nb"; }, "control characters: 'a\\nb'");
    CHECK_THROWS_WITH(parse_onnx("\x08\x07"), Contains("no graph"));
    CHECK_THROWS_WITH(parse_onnx("not a model"), Contains("no ONNX model"));
    CHECK_THROWS_WITH(read_onnx("/nowhere/model.onnx"), Contains("/nowhere/model.onnx"));
}

TEST_CASE("A file that is cut or changed anywhere is refused, or is a network whose shapes fit")
{
    const std::string bytes = onnx_bytes(small_graph());
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        try {
            check_graph(graph_of(parse_onnx(std::string_view(bytes).substr(0, length))));
        } catch (const Error&) {
        }
    }
    std::mt19937_64 random(5);
    int fine = 0;
    for (int i = 0; i < 20'000; ++i) {
        std::string changed = bytes;
        for (std::uint64_t changes = 1 + base::uniform_below(random, 3); changes > 0; --changes) {
            changed[static_cast<std::size_t>(base::uniform_below(random, changed.size()))] =
                static_cast<char>(base::uniform_below(random, 256));
        }
        try {
            check_graph(graph_of(parse_onnx(changed), {.batch = 2}));
            ++fine;
        } catch (const Error&) {
        }
    }
    CHECK(fine > 100);
}

TEST_CASE("Weights beside a model are read from its folder alone")
{
    // A tensor that lies elsewhere: name, shape, type, and where.
    const auto model = [](const std::string& location) {
        const auto field = [](int number, const std::string& bytes) {
            return std::string{static_cast<char>(number << 3 | 2),
                               static_cast<char>(bytes.size())} +
                   bytes;
        };
        const std::string entry = field(1, "location") + field(2, location);
        const std::string tensor = std::string("\x08\x01\x10\x01", 4) + field(8, "w") +
                                   field(13, entry) + std::string("\x70\x01", 2);
        const std::string node = field(1, "w") + field(2, "y") + field(4, "Relu");
        const std::string graph = field(1, node) + field(5, tensor) + field(12, field(1, "y"));
        return field(7, graph) + field(8, std::string("\x10\x11", 2));
    };
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() /
        ("texelscope_onnx_" + std::to_string(std::random_device()()));
    std::filesystem::create_directories(folder);
    const float two = 2;
    {
        std::FILE* const file = std::fopen((folder / "w.bin").c_str(), "wb");
        REQUIRE(file != nullptr);
        std::fwrite(&two, sizeof two, 1, file);
        std::fclose(file);
    }
    const Graph graph = graph_of(parse_onnx(model("w.bin"), folder));
    CHECK(graph.constants.begin()->second == std::vector<float>{2});
    for (const char* elsewhere : {"../w.bin", "/etc/passwd", "a/../../w.bin", ""}) {
        CHECK_THROWS_WITH(graph_of(parse_onnx(model(elsewhere), folder)),
                          Contains("do not lie beside the model"));
    }
    CHECK_THROWS_WITH(graph_of(parse_onnx(model("w.bin"))),
                      Contains("do not lie beside the model"));

    // Links: within the folder, and out of it.
    namespace fs = std::filesystem;
    fs::create_directories(folder / "model/sub");
    fs::rename(folder / "w.bin", folder / "model/w.bin");
    fs::create_symlink("w.bin", folder / "model/to_w.bin");
    fs::create_directory_symlink(folder, folder / "model/up");
    fs::create_symlink("/etc/passwd", folder / "model/passwd");
    CHECK_NOTHROW(graph_of(parse_onnx(model("to_w.bin"), folder / "model")));
    for (const char* elsewhere : {"passwd", "up/other.bin"}) {
        std::ofstream(folder / "other.bin", std::ios::binary) << std::string(4, '\0');
        CHECK_THROWS_WITH(graph_of(parse_onnx(model(elsewhere), folder / "model")),
                          Contains("are a link out of the model's folder"));
    }
    CHECK_THROWS_WITH(graph_of(parse_onnx(model("sub"), folder / "model")),
                      Contains("are no file"));
    REQUIRE(mkfifo((folder / "model/pipe").c_str(), 0600) == 0);
    CHECK_THROWS_WITH(graph_of(parse_onnx(model("pipe"), folder / "model")),
                      Contains("are no file"));

    // Caches of models name both files by links to where their contents lie.
    fs::create_directories(folder / "named");
    std::ofstream(folder / "model/contents", std::ios::binary) << model("w.bin");
    fs::create_symlink("../model/contents", folder / "named/model.onnx");
    fs::create_symlink("../model/w.bin", folder / "named/w.bin");
    CHECK_NOTHROW(read_onnx(folder / "named/model.onnx"));
    fs::remove_all(folder);
}
