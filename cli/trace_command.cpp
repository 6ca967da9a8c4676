#include "base/error.hpp"
#include "cli/arguments.hpp"
#include "cli/capture_command.hpp"
#include "cli/terminal.hpp"
#include "cli/trace_text.hpp"
#include "cli/trace_transfer.hpp"
#include "traces/formats/trace_copy.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace texelscope::cli {
namespace {

int trace_info(const TraceCommandArguments& arguments, const GlobalOptions& global)
{
    std::vector<LaunchReport> reports;
    ordered_json out = json_result("trace");
    std::string text;
    std::string tail;
    if (arguments.trace.from_file() && is_native_trace(arguments.trace.file)) {
        const TraceFile trace = open_native(arguments);
        const bool verified = arguments.verify || arguments.salvage; // to salvage is to read everything
        if (arguments.verify && !arguments.salvage) {
            trace.verify();
        }
        const int only = arguments.trace.launch ? arguments.trace.chosen_launch(trace) : -1;
        for (int i = 0; i < trace.launch_count(); ++i) {
            if (only < 0 || only == i) {
                reports.push_back(launch_report(trace.launch(i), trace.totals(i), i));
            }
        }
        out["program"] = trace.program();
        out["damages"] = trace.damages();
        out["verified"] = verified;
        text = trace.program().empty() ? "" : "recorded from: " + trace.program() + "\n";
        for (const std::string& damage : trace.damages()) {
            text += "damaged: " + damage + "\n";
        }
        tail = verified ? "" : "the accesses were not read: --verify checks them all\n";
    } else {
        const auto loaded = load_trace(arguments.trace);
        reports.push_back(launch_report(traced_launch(*loaded.source), counted_totals(*loaded.source), 0));
    }
    out["launches"] = ordered_json::array();
    for (const LaunchReport& report : reports) {
        out["launches"].push_back(report.json);
        text += report.text;
    }
    text += tail;
    if (global.json) {
        print_json(out);
    } else {
        print_text(text);
    }
    return exit_code::done;
}

int trace_head(const TraceCommandArguments& arguments, const GlobalOptions& global)
{
    std::vector<HeadRow> rows;
    TracedLaunch launch;
    if (arguments.trace.from_file() && is_native_trace(arguments.trace.file)) {
        const TraceFile trace = open_native(arguments);
        const int number = arguments.trace.chosen_launch(trace);
        launch = trace.launch(number);
        rows = head(trace, number, arguments.count);
    } else {
        const auto loaded = load_trace(arguments.trace);
        launch = traced_launch(*loaded.source);
        rows = head(*loaded.source, arguments.count);
    }
    if (global.json) {
        ordered_json out = json_result("trace");
        out["kernel"] = launch.kernel;
        out["accesses"] = to_json(rows, launch);
        print_json(out);
    } else {
        print_text(to_text(rows, launch));
    }
    return exit_code::done;
}

int trace_diff(const TraceCommandArguments& arguments, const GlobalOptions& global)
{
    const std::string difference = first_difference(TraceFile(arguments.trace.file), TraceFile(arguments.second),
                                                    arguments.accesses_only ? Compared::accesses : Compared::all);
    if (global.json) {
        ordered_json out = json_result("trace");
        out["same"] = difference.empty();
        out["difference"] = difference;
        print_json(out);
    } else {
        print_text(difference.empty() ? "the traces are the same\n" : difference + "\n");
    }
    return difference.empty() ? exit_code::done : exit_code::check_failed;
}

} // namespace

Command trace_command(CLI::App& app, const GlobalOptions& global)
{
    CLI::App* parser = app.add_subcommand("trace", "reads, writes and describes traces");
    parser->require_subcommand(1);
    parser->fallthrough();
    using Work = int (*)(const TraceCommandArguments&, const GlobalOptions&);
    struct Sub {
        CLI::App* parser;
        std::shared_ptr<TraceCommandArguments> arguments;
        Work work;
    };
    std::vector<Sub> subs;
    const auto add = [&](const char* name, const char* about, Work work) {
        CLI::App* sub = parser->add_subcommand(name, about);
        subs.push_back({sub, std::make_shared<TraceCommandArguments>(), work});
        return subs.back();
    };
    const Sub info = add("info", "kernels, sizes, images, numbers of reads", trace_info);
    info.arguments->trace.add_to(*info.parser);
    info.parser->add_flag("--salvage", info.arguments->salvage, "of what is intact in a damaged native trace");
    info.parser->add_flag("--verify", info.arguments->verify, "reads every access of a native trace, too");
    const Sub head = add("head", "the first accesses: by group, then in program order, then by work-item", trace_head);
    head.arguments->trace.add_to(*head.parser);
    head.parser->add_option("-n,--count", head.arguments->count, "how many")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40))
        ->capture_default_str();
    const Sub diff = add("diff", "the first difference between two native traces", trace_diff);
    diff.parser->add_option("a", diff.arguments->trace.file, "a native trace")->required();
    diff.parser->add_option("b", diff.arguments->second, "another one")->required();
    diff.parser->add_flag("--accesses-only", diff.arguments->accesses_only,
                          "compares what the work-items did, not sizes and names; images and buffers by their number");
    const Sub generate = add("generate", "writes the trace of an operator and configuration", export_trace);
    generate.arguments->trace.op.add_to(*generate.parser, true);
    generate.arguments->output.add_to(*generate.parser);
    const Sub import =
        add("import", "reads a trace in any format, checks it and writes it in any format", import_trace);
    import.arguments->trace.add_to(*import.parser);
    import.arguments->output.add_to(*import.parser);
    import.parser
        ->add_option("--from", import.arguments->from, "format of the file that is read (default: by its name)")
        ->check(CLI::IsMember(format_names()));
    import.parser->add_flag("--salvage", import.arguments->salvage, "what is intact in a damaged native trace");
    const Sub exported =
        add("export", "writes a trace, or that of an operator and configuration, in any format", export_trace);
    exported.arguments->trace.add_to(*exported.parser);
    exported.arguments->output.add_to(*exported.parser);
    const Command capture = capture_command(*parser, global);
    return {parser, [&global, subs, capture] {
                if (capture.parser->parsed()) {
                    return capture.run();
                }
                for (const Sub& sub : subs) {
                    if (sub.parser->parsed()) {
                        return sub.work(*sub.arguments, global);
                    }
                }
                return exit_code::done;
            }};
}

} // namespace texelscope::cli
