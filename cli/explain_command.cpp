#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/file_bytes.hpp"
#include "base/lists.hpp"
#include "base/parallel.hpp"
#include "base/scratch_folder.hpp"
#include "cli/arguments.hpp"
#include "cli/capture_tools.hpp"
#include "cli/program_arguments.hpp"
#include "cli/terminal.hpp"
#include "devices/compilers/kernel_compiler.hpp"
#include "traces/capture/capture_program.hpp"
#include "traces/capture/captured_spool.hpp"
#include "workbench/explain/explained_output.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::cli {
namespace {

namespace explain = workbench::explain;

// `explain`: a kernel that somebody else wrote, on named devices. In: its file, and a launch: sizes
// and arguments, or a recorded one. Out: what it reads, what bounds it, what to change. The steps:
// Oclgrind tells what the kernel takes; it runs once there and is recorded; Mesa's compilers tell
// its registers; each device simulates it, as it is and with each change.
struct ExplainArguments {
    ProgramArguments program;
    std::string kernel, output, folder;
    std::vector<std::string> devices, overrides;
    std::string global, local;
    std::vector<std::string> arguments;
    std::string trace;
    std::optional<int> launch;
    int subgroup_size = 0;
    int threads = 0;
};

using Sizes = std::array<std::int64_t, 3>;

/// "256,64", of the option.
Sizes given_sizes(const std::string& text, const std::string& option)
{
    constexpr std::int64_t most = std::int64_t{1} << 31;
    const std::optional<Sizes> sizes = parse_sizes(text);
    if (!sizes || std::ranges::any_of(*sizes, [](std::int64_t size) { return size > most; })) {
        throw bad_input("'" + text + "' is no size", option,
                        "write one to three whole numbers, for example 256,64");
    }
    return *sizes;
}

/// Runs texelscope-run-kernel on a folder with a request or without one; returns its answer.
std::string run_kernel(const std::string& folder, const std::string& spool, int subgroup_size,
                       bool silent)
{
    CaptureRequest request;
    request.command = {run_kernel_program(), folder};
    request.buffers = true;
    request.operations = true;
    request.subgroup_size = subgroup_size;
    request.oclgrind = oclgrind_program("explain");
    request.plugin = plugin_library();
    request.output_to_standard_error = silent;
    const ProgramEnd end = run_captured(request, spool);
    if (end.interrupted || interrupted()) {
        throw Interrupted{};
    }
    const std::string path = folder + "/answer";
    if (end.code == exit_code::missing || end.signal != 0 || !std::filesystem::exists(path)) {
        throw missing(end.signal != 0 ? fmt::format("Oclgrind was ended by signal {}", end.signal)
                                      : "the kernel could not be run",
                      request.oclgrind, "see what it printed above");
    }
    return std::string(map_file(path)->view());
}

/// A launch that was recorded, and what is known of it beside its trace.
struct RecordedLaunchOfFile {
    explain::RecordedKernel recorded;
    explain::ExplainedLaunch told;
};

void check_sizes(const Sizes& global, const Sizes& local)
{
    for (std::size_t d = 0; d < 3; ++d) {
        if (global[d] % local[d] != 0) {
            throw bad_input(fmt::format("{} work-items are no whole number of work-groups of {}",
                                        global[d], local[d]),
                            "--local", "give sizes that divide those of --global");
        }
    }
}

/// Runs the kernel once with the arguments that were given. Files lie in `folder` as long as the
/// trace is read.
RecordedLaunchOfFile run_once(const ExplainArguments& arguments, const ProgramSource& program,
                              const ScratchFolder& folder, const GlobalOptions& global)
{
    if (arguments.global.empty()) {
        throw bad_input("--global is missing", arguments.program.file,
                        "give the number of work-items, for example --global 256,64; or a "
                        "recorded launch, --trace F.tst");
    }
    const Sizes items = given_sizes(arguments.global, "--global");
    const std::vector<explain::KernelArgument> given =
        base::mapped(arguments.arguments, explain::parse_kernel_argument);
    write_file_atomically(folder.file("source"), program.text);
    write_file_atomically(folder.file("options"), program.options + " -cl-kernel-arg-info");
    const std::string spool = folder.file("spool");
    std::filesystem::create_directory(spool);
    const std::vector<explain::KernelSignature> kernels = explain::parse_signatures(
        run_kernel(folder.path(), spool, arguments.subgroup_size, global.json),
        arguments.program.file, program.text);
    const explain::KernelSignature& kernel =
        explain::chosen_kernel(kernels, arguments.kernel, arguments.program.file);
    const std::vector<explain::KernelArgument> all = explain::matched(kernel, given);
    Sizes local = kernel.required_local;
    if (!arguments.local.empty()) {
        local = given_sizes(arguments.local, "--local");
    } else if (local[0] == 0) {
        local = explain::default_local_size(items);
        print_note(global, "local size " + size_text(local) +
                               ", as none was given; --local gives another one");
    }
    check_sizes(items, local);
    std::string request = fmt::format("kernel {}\nglobal {} {} {}\nlocal {} {} {}\n", kernel.name,
                                      items[0], items[1], items[2], local[0], local[1], local[2]);
    std::int64_t local_bytes = kernel.local_bytes;
    for (std::size_t i = 0; i < all.size(); ++i) {
        using Kind = explain::KernelArgument::Kind;
        request += explain::request_line(all[i], kernel.parameters[i]) + "\n";
        local_bytes += all[i].kind == Kind::local ? all[i].bytes : 0;
        if (all[i].kind != Kind::local && all[i].kind != Kind::sampler) {
            write_file_atomically(folder.file(std::to_string(i)),
                                  explain::argument_data(all[i], global.seed));
        }
    }
    write_file_atomically(folder.file("request"), request);
    (void)explain::parse_signatures(
        run_kernel(folder.path(), spool, arguments.subgroup_size, global.json),
        arguments.program.file, program.text);
    const CapturedSpool captured = read_spool(spool);
    if (captured.launches.empty()) {
        throw bad_input(captured.failures.empty() ? "its launch was not recorded"
                                                  : captured.failures.front(),
                        arguments.program.file);
    }
    const std::string trace = folder.file("launch.tst");
    (void)write_captured_trace(captured, trace, "texelscope explain " + arguments.program.file);
    RecordedLaunchOfFile out{{TraceFile(trace), 0, {}, {}}, {}};
    out.told.arguments =
        base::mapped(all, [](const explain::KernelArgument& one) { return to_string(one); });
    out.told.local_bytes = local_bytes;
    return out;
}

/// The launch of the trace that was asked for.
RecordedLaunchOfFile from_trace(const ExplainArguments& arguments, const GlobalOptions& global)
{
    TraceArguments asked;
    asked.file = arguments.trace;
    asked.launch = arguments.launch;
    if (!is_native_trace(arguments.trace)) {
        throw bad_input("it is no native trace", arguments.trace,
                        "record one: texelscope trace capture --buffers -o F.tst -- PROGRAM");
    }
    const TraceFile trace(arguments.trace);
    RecordedLaunchOfFile out{{trace, asked.chosen_launch(trace), {}, {}}, {}};
    const TracedLaunch& launch = out.recorded.traced();
    if (!arguments.kernel.empty() && launch.kernel != arguments.kernel) {
        throw bad_input("the launch is of the kernel '" + launch.kernel + "'", arguments.trace,
                        "choose another one with --launch; trace info lists them");
    }
    out.told.trace = arguments.trace;
    if (!launch.executed) {
        print_note(global, "the trace does not tell what the kernel executes: arithmetic takes no "
                           "time here; trace capture --operations records it");
    }
    return out;
}

/// What the compiler of a device makes of the kernel; `words`: which compiler, or why none.
std::optional<CompiledKernel> compiled_for(const DeviceProfile& device,
                                           const ProgramSource& program, const std::string& kernel,
                                           const std::string& folder, std::string& words)
{
    const CompilerGpu* gpu = known_compiler_gpu(device.name);
    if (gpu == nullptr) {
        words = "as there is no compiler for " + device.name;
        return std::nullopt;
    }
    const MesaCompilers compilers(folder);
    if (!compilers.has(gpu->family)) {
        words = "as the compilers have not been fetched (texelscope compile --setup)";
        return std::nullopt;
    }
    try {
        for (const NamedKernel& one :
             compilers.compile_kernels(*gpu, program.text, program.options, interrupted)) {
            if (one.name == kernel) {
                if (const Error* error = std::get_if<Error>(&one.compiled)) {
                    throw Error(*error);
                }
                const auto& made = std::get<CompiledKernel>(one.compiled);
                words = "by " + made.compiler;
                return made;
            }
        }
        words = "as the compiler tells nothing of it";
    } catch (const Error& error) {
        words = std::string("as the compiler does not take it: ") + error.what();
    }
    return std::nullopt;
}

std::string explained_text(const explain::ExplainedLaunch& told,
                           const std::vector<explain::ExplainedKernel>& kernels)
{
    std::string text =
        fmt::format("{} of {}, global size {}, local size {}\n", told.launch.kernel, told.file,
                    size_text(told.launch.global), size_text(told.launch.local));
    for (const std::string& argument : told.arguments) {
        text += "  " + argument + "\n";
    }
    text += "executed: " + explain::executed_words(told.launch) + "\n\n" +
            format_table(explain::devices_table(kernels));
    for (const explain::ExplainedKernel& kernel : kernels) {
        text += fmt::format("\n{}: {}\n", kernel.device, human_time(kernel.time.ns()));
        for (const std::string& fact : explain::facts(kernel)) {
            text += fact + "\n";
        }
        text += "\n" + format_table(explain::reads_table(kernel)) + "\n";
        const ResultTable changes = explain::changes_table(kernel);
        if (!changes.rows.empty()) {
            text += format_table(changes);
        }
        for (const std::string& remark : explain::remarks(kernel)) {
            text += remark + "\n";
        }
    }
    return text;
}

int explain_and_print(const ExplainArguments& arguments, const CLI::App& parser,
                      const GlobalOptions& global)
{
    if (!arguments.trace.empty()) {
        refuse_options(parser, {"--global", "--local", "--arg", "--subgroup-size"},
                       "to a recorded launch");
    } else {
        refuse_options(parser, {"--launch"}, "without --trace");
    }
    if (!arguments.output.empty()) {
        check_writable(arguments.output);
    }
    std::vector<DeviceProfile> devices;
    for (const std::string& name : arguments.devices) {
        devices.push_back(with_overrides(find_profile(name), arguments.overrides, "--set"));
    }
    const ProgramSource program = arguments.program.source();
    const ScratchFolder folder(temporary_path("texelscope-explain"));
    RecordedLaunchOfFile launch = arguments.trace.empty()
                                      ? run_once(arguments, program, folder, global)
                                      : from_trace(arguments, global);
    explain::RecordedKernel& recorded = launch.recorded;
    const TracedLaunch& traced = recorded.traced();
    const TraceTotals& totals = recorded.trace.totals(recorded.launch);
    launch.told.file = arguments.program.file;
    launch.told.launch = traced;
    if (const auto word = explain::needs_local_size(program.text, traced.kernel)) {
        recorded.fixed_local = "its text uses " + *word;
        if (!arguments.trace.empty()) {
            print_note(global, "a trace does not tell how much local memory a work-group takes: it "
                               "limits no warps here");
        }
    }
    const std::int64_t group = traced.local[0] * traced.local[1] * traced.local[2];
    recorded.work.executed = traced.executed;
    recorded.work.items_of_group = group;
    recorded.work.items =
        arguments.trace.empty()
            ? traced.global[0] * traced.global[1] * traced.global[2]
            : std::max<std::int64_t>(1, totals.groups * group); // those that did something
    recorded.work.reads = sum_of(totals.reads) + sum_of(totals.buffer_reads);
    recorded.work.local_bytes = launch.told.local_bytes;
    std::vector<explain::ExplainedKernel> kernels;
    for (const DeviceProfile& device : devices) {
        std::string registers;
        recorded.work.compiled =
            compiled_for(device, program, traced.kernel, arguments.folder, registers);
        kernels.push_back(explain::explain_kernel(recorded, device, registers,
                                                  threads_or_all(arguments.threads),
                                                  make_progress(global), interrupted));
        end_progress(global);
    }
    if (!arguments.output.empty()) {
        write_file_atomically(arguments.output,
                              explain::explain_page(launch.told, kernels, program.text));
        print_note(global, "report written to " + arguments.output);
    }
    if (global.json) {
        print_json(json_result("explain", explain::explain_json(launch.told, kernels)));
    } else {
        print_text(explained_text(launch.told, kernels));
    }
    return exit_code::done;
}

} // namespace

Command explain_command(CLI::App& app, const GlobalOptions& global)
{
    CLI::App* parser = app.add_subcommand(
        "explain", "a kernel of OpenCL C on phones: what it reads, what bounds it, what to change");
    const auto arguments = std::make_shared<ExplainArguments>();
    arguments->program.add_to(*parser, "OpenCL C")->required();
    parser->add_option("--kernel", arguments->kernel, "of the file, if it has several");
    add_repeatable(*parser, "--device", arguments->devices,
                   "device profile: a name, or a file that ends in .xml (repeatable)")
        ->required();
    add_repeatable(*parser, "--set", arguments->overrides,
                   "KEY=VALUE: overrides a value of every profile (repeatable)");
    parser->add_option("--global", arguments->global, "X[,Y[,Z]]: work-items");
    parser->add_option("--local", arguments->local, "X[,Y[,Z]]: work-items of a work-group");
    add_repeatable(*parser, "--arg", arguments->arguments,
                   "NAME=image:256x64:rgba32f, NAME=buffer:1024:float, NAME=int:5, "
                   "NAME=local:256, NAME=sampler:edge (repeatable)");
    add_subgroup_size(*parser, arguments->subgroup_size);
    parser->add_option("--trace", arguments->trace,
                       "a recorded launch of the kernel, instead of --global and --arg");
    parser
        ->add_option("--launch", arguments->launch,
                     "which launch of the trace, from 0 on (default: the only one)")
        ->check(CLI::NonNegativeNumber);
    parser->add_option("-o,--output", arguments->output, "F.html: the report to write");
    parser->add_option("--threads", arguments->threads, "that simulate; 0: as many as there are")
        ->check(CLI::NonNegativeNumber);
    parser->add_option("--folder", arguments->folder,
                       "of the compilers (texelscope/compilers in the cache folder)");
    return {parser,
            [&global, arguments, parser] { return explain_and_print(*arguments, *parser, global); },
            true};
}

} // namespace texelscope::cli
