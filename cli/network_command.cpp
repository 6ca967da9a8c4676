#include "base/error.hpp"
#include "base/number_text.hpp"
#include "cli/arguments.hpp"
#include "cli/network_arguments.hpp"
#include "cli/terminal.hpp"
#include "networks/models/models.hpp"
#include "networks/onnx/write_onnx.hpp"
#include "networks/operators/node_operator.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

namespace texelscope::cli {
namespace {

// `network list`, `info` and `export`: a network without a device. What plans, predicts, simulates
// and runs networks is in cli/network_judges.cpp.
struct NetworkFileArguments {
    ModelSource model;
    std::string output;
};

/// What the nodes of one operator do together.
struct OperatorSum {
    std::int64_t nodes = 0;
    double multiply_adds = 0;
    std::int64_t weights = 0;
};

/// Sums by operator. A weight that several nodes share is counted for the first of them.
std::map<std::string, OperatorSum> sums_of(const Graph& graph)
{
    std::map<std::string, OperatorSum> sums;
    std::vector<bool> counted(graph.values.size(), false);
    for (const Node& node : graph.nodes) {
        OperatorSum& sum = sums[node.op];
        ++sum.nodes;
        sum.multiply_adds += multiply_adds(graph, node);
        for (const ValueId id : node.inputs) {
            if (id != no_value && graph.constants.contains(id) &&
                !counted[static_cast<std::size_t>(id)]) {
                counted[static_cast<std::size_t>(id)] = true;
                sum.weights += element_count(graph.value(id).shape);
            }
        }
    }
    return sums;
}

ordered_json values_json(const Graph& graph, const std::vector<ValueId>& ids)
{
    return json_list(ids, [&](ValueId id) -> ordered_json {
        return {{"name", graph.value(id).name}, {"shape", graph.value(id).shape}};
    });
}

std::string values_text(const Graph& graph, const std::vector<ValueId>& ids)
{
    std::string text;
    for (const ValueId id : ids) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", graph.value(id).name,
                            to_string(graph.value(id).shape));
    }
    return text;
}

int network_info(const NetworkFileArguments& arguments, const GlobalOptions& global)
{
    const Graph graph = arguments.model.graph(global.seed);
    const std::map<std::string, OperatorSum> sums = sums_of(graph);
    OperatorSum all;
    for (const auto& [op, sum] : sums) {
        all = {all.nodes + sum.nodes, all.multiply_adds + sum.multiply_adds,
               all.weights + sum.weights};
    }
    if (global.json) {
        ordered_json out = json_result("network-info");
        out["network"] = graph.name;
        out["inputs"] = values_json(graph, graph.inputs);
        out["outputs"] = values_json(graph, graph.outputs);
        out["nodes"] = all.nodes;
        out["multiply_adds"] = all.multiply_adds;
        out["weights"] = all.weights;
        out["operators"] = ordered_json::array();
        for (const auto& [op, sum] : sums) {
            out["operators"].push_back({{"op", op},
                                        {"nodes", sum.nodes},
                                        {"multiply_adds", sum.multiply_adds},
                                        {"weights", sum.weights}});
        }
        print_json(out);
        return exit_code::done;
    }
    std::vector<Cells> rows;
    for (const auto& [op, sum] : sums) {
        rows.push_back({op, count_text(sum.nodes),
                        sum.multiply_adds > 0 ? number_text(sum.multiply_adds / 1e6) : "",
                        sum.weights > 0 ? count_text(sum.weights) : ""});
    }
    print_text(fmt::format("{}: {} nodes, {} million multiply-adds, {} weights\nfrom {} to {}\n\n",
                           graph.name, count_text(all.nodes), number_text(all.multiply_adds / 1e6),
                           count_text(all.weights), values_text(graph, graph.inputs),
                           values_text(graph, graph.outputs)) +
               format_table({"operator", "nodes", "million multiply-adds", "weights"}, rows));
    return exit_code::done;
}

int list_networks(const NetworkFileArguments&, const GlobalOptions& global)
{
    if (global.json) {
        ordered_json out = json_result("network-list");
        out["networks"] =
            json_list(built_in_models(), [](const BuiltInModel& model) -> ordered_json {
                return {{"network", model.name}, {"input", model.input}, {"source", model.about}};
            });
        print_json(out);
        return exit_code::done;
    }
    std::vector<Cells> rows;
    for (const BuiltInModel& model : built_in_models()) {
        rows.push_back({model.name, to_string(model.input), model.about});
    }
    print_text(format_table({"network", "input", "source of its structure"}, rows));
    return exit_code::done;
}

int export_network(const NetworkFileArguments& arguments, const GlobalOptions& global)
{
    const Graph graph = arguments.model.graph(global.seed);
    write_onnx(graph, arguments.output);
    if (global.json) {
        ordered_json out = json_result("network-export");
        out["network"] = graph.name;
        out["file"] = arguments.output;
        print_json(out);
    }
    print_note(global, fmt::format("{} written to {}", graph.name, arguments.output));
    return exit_code::done;
}

} // namespace

Command network_command(CLI::App& app, const GlobalOptions& global)
{
    CLI::App* parser =
        app.add_subcommand("network", "whole networks: built-in ones, or an ONNX file");
    std::vector<Command> subcommands;
    const auto add = [&](const char* name, const char* about, auto* work) {
        const auto [added, arguments] =
            add_subcommand<NetworkFileArguments>(subcommands, *parser, name, about, work, global);
        arguments->model.add_to(*added);
        return std::pair(added, arguments);
    };
    add_subcommand<NetworkFileArguments>(subcommands, *parser, "list", "the built-in networks",
                                         list_networks, global);
    add("info", "what a network consists of", network_info);
    const auto [exporting, exported] =
        add("export", "writes a network as an ONNX model, with drawn weights", export_network);
    exporting->add_option("-o,--output", exported->output, "F.onnx")->required();
    add_network_judges(subcommands, *parser, global);
    add_network_comparison(subcommands, *parser, global);
    return command_of(parser, std::move(subcommands));
}

} // namespace texelscope::cli
