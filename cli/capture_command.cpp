#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/scratch_folder.hpp"
#include "cli/arguments.hpp"
#include "cli/capture_tools.hpp"
#include "cli/terminal.hpp"
#include "cli/trace_files.hpp"
#include "traces/capture/capture_program.hpp"
#include "traces/capture/captured_spool.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <charconv>
#include <memory>

namespace texelscope::cli {
namespace {

// `trace capture`: runs any OpenCL program under Oclgrind, an interpreter of OpenCL, with our
// plugin, and writes the image accesses that its kernels made as a native trace. Steps: the plugin
// spools launches into a scratch folder beside the output, then they are put together into one
// trace. What was recorded before the program failed is kept.
struct CaptureArguments {
    std::string output;
    std::string kernel;
    std::string groups;
    bool buffers = false;
    bool operations = false;
    int subgroup_size = 0; ///< 0: not given
    std::vector<std::string> command;
};

/// "A:B", half open; either may be left out.
GroupRange parse_groups(const std::string& text)
{
    GroupRange range;
    const std::size_t colon = text.find(':');
    const auto number = [&](std::size_t from, std::size_t to, std::int64_t& value) {
        const auto [end, error] = std::from_chars(text.data() + from, text.data() + to, value);
        return from == to || (error == std::errc{} && end == text.data() + to && value >= 0);
    };
    if (colon == std::string::npos || !number(0, colon, range.begin) ||
        !number(colon + 1, text.size(), range.end) || range.begin >= range.end) {
        throw bad_input("'" + text + "' is no range of work-groups", "--groups",
                        "use FIRST:END, for example 0:16 (END is not included)");
    }
    return range;
}

/// The word as a shell would read it again: the trace keeps the command line that it was recorded
/// from, to be copied.
std::string quoted(const std::string& word)
{
    constexpr const char* plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%^";
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
        return word;
    }
    std::string text = "'";
    for (const char c : word) {
        text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return text + "'";
}

std::string command_line(const std::vector<std::string>& words)
{
    std::string out;
    for (const std::string& word : words) {
        out += (out.empty() ? "" : " ") + quoted(word);
    }
    return out;
}

/// Refuses a bad name of the output before the program runs, which may take long.
void check_output(const std::string& path)
{
    const std::string meant = format_by_name(path);
    if (!meant.empty() && meant != "native") {
        throw bad_input("a capture is a native trace, and this name means " + meant, path,
                        "name a file that ends in .tst; trace export writes other formats");
    }
    check_native_name(path);
    check_writable(path);
}

ordered_json launch_json(const CapturedLaunch& captured)
{
    const TracedLaunch& launch = captured.launch;
    ordered_json images = ordered_json::array();
    for (std::size_t i = 0; i < launch.images.size(); ++i) {
        const TracedImage& image = launch.images[i];
        images.push_back({{"id", image.name},
                          {"argument", image.argument},
                          {"width", image.width},
                          {"height", image.height},
                          {"depth", image.depth},
                          {"kind", to_string(image.kind)},
                          {"format", image.format},
                          {"bytes", image.bytes_per_texel},
                          {"reads", captured.totals.reads[i]}});
    }
    const ordered_json buffers =
        json_list(launch.buffers, [](const TracedBuffer& buffer) -> ordered_json {
            return {{"id", buffer.name}, {"argument", buffer.argument}, {"bytes", buffer.bytes}};
        });
    return {{"kernel", launch.kernel},
            {"global", launch.global},
            {"local", launch.local},
            {"offset", launch.offset},
            {"groups", {captured.first_group, captured.last_group}},
            {"images", images},
            {"buffers", buffers},
            {"reads", sum_of(captured.totals.reads)},
            {"writes", sum_of(captured.totals.writes)},
            {"buffer_reads", sum_of(captured.totals.buffer_reads)},
            {"buffer_writes", sum_of(captured.totals.buffer_writes)}};
}

std::string report(const std::vector<CapturedLaunch>& launches, bool buffers)
{
    std::vector<Cells> rows;
    for (const CapturedLaunch& captured : launches) {
        std::string images;
        for (const TracedImage& image : captured.launch.images) {
            images +=
                fmt::format("{}{} {}x{}{} {}", images.empty() ? "" : ", ", image.name, image.width,
                            image.height, image.depth > 1 ? "x" + std::to_string(image.depth) : "",
                            image.format);
        }
        Cells row{std::to_string(rows.size()),
                  captured.launch.kernel,
                  size_text(captured.launch.global),
                  size_text(captured.launch.local),
                  count_text(sum_of(captured.totals.reads)),
                  count_text(sum_of(captured.totals.writes))};
        if (buffers) {
            row.push_back(count_text(sum_of(captured.totals.buffer_reads)));
            row.push_back(count_text(sum_of(captured.totals.buffer_writes)));
        }
        row.push_back(images);
        rows.push_back(std::move(row));
    }
    Cells header{"launch", "kernel", "global", "local", "reads", "writes"};
    if (buffers) {
        header.insert(header.end(), {"buffer reads", "buffer writes"});
    }
    header.emplace_back("images");
    return format_table(header, rows);
}

/// Nothing was recorded, and the program did not fail: says why.
[[noreturn]] void refuse_empty(const CapturedSpool& spool, const CaptureArguments& arguments)
{
    const std::string program = arguments.command[0];
    if (!spool.failures.empty()) {
        throw bad_input(spool.failures.front(), program, "nothing was recorded");
    }
    if (spool.skipped > 0) {
        throw bad_input(fmt::format("none of its {} launches is of a kernel '{}'", spool.skipped,
                                    arguments.kernel),
                        program, "leave --kernel out to see all");
    }
    throw bad_input("it launched no OpenCL kernel under Oclgrind", program,
                    "see what it printed; a program that is statically linked with OpenCL cannot "
                    "be captured");
}

int capture(const CaptureArguments& arguments, const GlobalOptions& global)
{
    check_output(arguments.output);
    CaptureRequest request{arguments.command,
                           arguments.kernel,
                           arguments.groups.empty() ? GroupRange{} : parse_groups(arguments.groups),
                           arguments.buffers,
                           arguments.operations,
                           arguments.subgroup_size,
                           oclgrind_program("trace capture"),
                           plugin_library(),
                           global.json};
    // For what comes after the program: an interrupt must not end this process before the trace is
    // written.
    install_interrupt_handler();
    const ScratchFolder folder(arguments.output + ".capture");
    const ProgramEnd end = run_captured(request, folder.path());
    // As a shell reports a program that was ended by a signal: 128 and its number.
    const int code = end.interrupted || interrupted() ? exit_code::interrupted
                     : end.signal != 0                ? 128 + end.signal
                                                      : end.code;

    const CapturedSpool spool = read_spool(folder.path());
    std::vector<CapturedLaunch> launches;
    if (!spool.launches.empty()) {
        launches = write_captured_trace(spool, arguments.output, command_line(arguments.command));
    } else if (code == exit_code::done) {
        refuse_empty(spool, arguments);
    }
    if (global.json) {
        ordered_json out = json_result("capture");
        out["program"] = {
            {"command", arguments.command}, {"exit_code", end.code}, {"signal", end.signal}};
        out["written"] = launches.empty() ? ordered_json(nullptr) : ordered_json(arguments.output);
        out["launches"] = json_list(launches, launch_json);
        out["skipped"] = spool.skipped;
        out["not_recorded"] = spool.failures;
        print_json(out);
    }
    if (!launches.empty()) {
        std::string table = report(launches, arguments.buffers);
        table.pop_back();
        print_note(global, table);
        print_note(global, fmt::format("{} launch{} written to {}", launches.size(),
                                       launches.size() == 1 ? "" : "es", arguments.output));
    }
    for (const std::string& failure : spool.failures) {
        print_note(global, "not recorded: " + failure);
    }
    if (!end.well()) {
        const std::string how = end.signal != 0 ? fmt::format("was ended by signal {}", end.signal)
                                                : fmt::format("failed with exit code {}", end.code);
        print_note(global, fmt::format("texelscope: {} {}; see what it printed",
                                       arguments.command[0], how));
    }
    return code;
}

} // namespace

Command capture_command(CLI::App& trace, const GlobalOptions& global)
{
    CLI::App* parser = trace.add_subcommand(
        "capture",
        "runs an OpenCL program under Oclgrind and records the image reads of its kernels");
    const auto arguments = std::make_shared<CaptureArguments>();
    parser->add_option("-o,--output", arguments->output, "trace file to write")->required();
    parser->add_option("--kernel", arguments->kernel, "record the kernel of that name only");
    parser->add_option("--groups", arguments->groups,
                       "record work-groups A to B-1 of each launch only (A:B, by linear number)");
    parser->add_flag("--buffers", arguments->buffers, "record reads and writes of buffers, too");
    parser->add_flag("--operations", arguments->operations,
                     "count what kernels compute, too, for explain");
    add_subgroup_size(*parser, arguments->subgroup_size);
    parser->add_option("program", arguments->command, "the program and its arguments, after --")
        ->required()
        ->expected(1, -1)
        ->default_str("");
    return {parser, [arguments, &global] { return capture(*arguments, global); }};
}

} // namespace texelscope::cli
