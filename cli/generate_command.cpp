#include "cli/arguments.hpp"
#include "cli/terminal.hpp"
#include "codegen/kernel_source.hpp"
#include "experiments/configuration_space.hpp"
#include "traces/atomic_file.hpp"

#include <memory>

namespace texelscope::cli {
namespace {

struct GenerateArguments {
    OperatorArguments op;
    DeviceArguments device;
    std::string output;
    std::string launch;
    std::string backend = "native";
};

int generate(const GenerateArguments& arguments, const GlobalOptions& global)
{
    const LoopNest nest = loop_nest(arguments.op.parsed_operator(), arguments.op.parsed_schedule());
    check_limits(nest, arguments.device.profile());
    const TexelBackend backend = parse_texel_backend(arguments.backend);
    const std::string text = opencl_text(nest, backend);
    if (!arguments.launch.empty()) {
        write_file_atomically(arguments.launch, launch_json(nest));
        print_note(global, "launch description written to " + arguments.launch);
    }
    if (!arguments.output.empty()) {
        write_file_atomically(arguments.output, text);
        print_note(global, "kernel written to " + arguments.output);
    }
    if (global.json) {
        ordered_json out = json_result("generate");
        out["launch"] = ordered_json::parse(launch_json(nest));
        out["backend"] = arguments.backend;
        out["text"] = text;
        print_json(out);
    } else if (arguments.output.empty()) {
        print_text(text);
    }
    return exit_code::done;
}

} // namespace

Command generate_command(CLI::App& app, const GlobalOptions& global)
{
    CLI::App* parser = app.add_subcommand("generate", "OpenCL C and a launch description for a configuration");
    const auto arguments = std::make_shared<GenerateArguments>();
    arguments->op.add_to(*parser, true, true);
    arguments->device.add_to(*parser);
    parser->add_option("-o,--output", arguments->output, "kernel text to this file (default: standard output)");
    parser->add_option("--launch", arguments->launch, "launch description (JSON) to this file");
    parser->add_option("--backend", arguments->backend, "how texels are read: native, pocl-descriptor, record")
        ->capture_default_str();
    return {parser, [&global, arguments] { return generate(*arguments, global); }};
}

} // namespace texelscope::cli
