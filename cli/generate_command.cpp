#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "cli/arguments.hpp"
#include "cli/terminal.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/text/host_program.hpp"
#include "codegen/text/kernel_source.hpp"
#include "codegen/text/launch_json.hpp"
#include "devices/launch/limits.hpp"
#include "workbench/space/configuration_space.hpp"

#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <string>

namespace texelscope::cli {
namespace {

struct GenerateArguments {
    OperatorArguments op;
    DeviceArguments device;
    std::string output;
    std::string launch;
    std::string backend = "native";
    std::optional<std::string> host; ///< language of the host program; nothing: the kernel alone
};

/// A host program is plain C99 with OpenCL, so it cannot use a way to read texels that belongs to
/// this program.
void check_host(const GenerateArguments& arguments)
{
    if (!arguments.host) {
        return;
    }
    if (*arguments.host != "c") {
        throw bad_input("there is no host program in '" + *arguments.host + "'", "--host",
                        "use --host c");
    }
    if (parse_texel_backend(arguments.backend) != TexelBackend::native) {
        throw bad_input("a host program reads texels natively, not by " + arguments.backend,
                        "--host c", "leave --backend out");
    }
}

int generate(const GenerateArguments& arguments, const GlobalOptions& global)
{
    check_host(arguments);
    const Operator op = arguments.op.parsed_operator();
    const Schedule schedule = arguments.op.parsed_schedule();
    const LoopNest nest = loop_nest(op, schedule);
    const DeviceProfile device = arguments.device.profile();
    // A kernel that the device cannot run is refused here rather than on the device.
    check_limits(nest, device);
    const auto spills = note_spills(global, nest, device);
    const bool host = arguments.host.has_value();
    const std::string text =
        host ? host_program_c(op, nest) : opencl_text(nest, parse_texel_backend(arguments.backend));
    const std::string launch =
        arguments.launch.empty() && !global.json ? "" : launch_json(op, schedule);
    if (!arguments.launch.empty()) {
        write_file_atomically(arguments.launch, launch);
        print_note(global, "launch description written to " + arguments.launch);
    }
    if (!arguments.output.empty()) {
        write_file_atomically(arguments.output, text);
        print_note(global,
                   (host ? "host program written to " : "kernel written to ") + arguments.output);
    }
    if (global.json) {
        ordered_json out = json_result("generate");
        out["launch"] = ordered_json::parse(launch);
        out["backend"] = arguments.backend;
        out["spills"] = json_or_null(spills);
        if (host) {
            out["host"] = *arguments.host;
        }
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
    CLI::App* parser =
        app.add_subcommand("generate", "OpenCL C, a host program and a launch description");
    const auto arguments = std::make_shared<GenerateArguments>();
    arguments->op.add_to(*parser, true);
    arguments->device.add_to(*parser);
    parser->add_option("-o,--output", arguments->output,
                       "kernel or host program to this file (default: standard output)");
    parser->add_option("--launch", arguments->launch, "launch description (JSON) to this file");
    parser->add_option("--backend", arguments->backend,
                       "how texels are read: native, pocl-descriptor, record");
    parser->add_option("--host", arguments->host,
                       "c: a complete C99 program that runs, times and checks the kernel, instead "
                       "of the kernel alone");
    return {parser, [&global, arguments] { return generate(*arguments, global); }};
}

} // namespace texelscope::cli
