#include "cli/arguments.hpp"
#include "cli/capture_command.hpp"
#include "cli/terminal.hpp"
#include "cli/trace_files.hpp"
#include "cli/trace_text.hpp"
#include "traces/error.hpp"
#include "traces/file_stream.hpp"
#include "traces/trace_copy.hpp"

#include <memory>

namespace texelscope::cli {
namespace {

struct TraceCommandArguments {
    TraceArguments trace;
    TraceOutput output;
    std::string from; ///< format of the file that is read
    bool salvage = false;
    std::string second; ///< the other trace of a comparison
    std::int64_t count = 20;
};

int report_written(const TraceOutput& output, const TraceOutput::Written& written, const GlobalOptions& global)
{
    if (global.json) {
        ordered_json out = json_result("trace");
        out["written"] = output.path;
        out["reads"] = written.reads;
        out["notes"] = written.notes;
        print_json(out);
    }
    for (const std::string& note : written.notes) {
        print_note(global, note);
    }
    print_note(global, fmt::format("{} reads written{}", grouped(written.reads),
                                   output.path.empty() ? "" : " to " + output.path));
    return exit_code::done;
}

void refuse_json_to_standard_output(const TraceOutput& output, const GlobalOptions& global)
{
    if (global.json && output.to_standard_output()) {
        throw bad_input("the trace itself goes to standard output", "--json", "give -o FILE");
    }
}

/// An operator's trace, or any that the simulator reads.
int export_trace(const TraceCommandArguments& arguments, const GlobalOptions& global)
{
    refuse_json_to_standard_output(arguments.output, global);
    const auto loaded = arguments.trace.load();
    const std::string program =
        loaded.nest ? loaded.nest->operator_text + " " + loaded.nest->schedule_text : arguments.trace.file;
    return report_written(arguments.output, arguments.output.write(*loaded.source, loaded.recorded, program), global);
}

/// Native to native keeps everything, all launches or one.
TraceOutput::Written copy_native(const TraceCommandArguments& arguments, const TraceFile& trace)
{
    TraceOutput::Written written;
    const int only = arguments.trace.launch ? arguments.trace.chosen_launch(trace) : -1;
    TraceWriter writer(arguments.output.path, trace.program(), TraceWriter::GroupOrder::ascending);
    for (int i = 0; i < trace.launch_count(); ++i) {
        if (only < 0 || only == i) {
            copy_launch(writer, trace, i);
            for (const std::int64_t reads : trace.totals(i).reads) {
                written.reads += reads;
            }
        }
    }
    writer.finish();
    return written;
}

int import_trace(const TraceCommandArguments& arguments, const GlobalOptions& global)
{
    if (!arguments.trace.from_file()) {
        throw bad_input("no trace file was given", "trace import", "give TRACE.csv and its --image declarations");
    }
    refuse_json_to_standard_output(arguments.output, global);
    const std::string& path = arguments.trace.file;
    FileFormat from;
    if (is_native_trace(path)) {
        from.kind = FileFormat::Kind::native;
    } else if (!arguments.from.empty() || !path.ends_with(".txt")) {
        try {
            from = file_format(arguments.from, path);
        } catch (const Error&) { // any name will do for a CSV, and what is none is refused with its line
        }
    }
    if (from.kind == FileFormat::Kind::native) {
        const TraceFile trace(path, arguments.salvage ? TraceFile::Damage::salvage : TraceFile::Damage::refuse);
        for (const std::string& damage : trace.damages()) {
            print_note(global, damage);
        }
        if (!arguments.output.to_standard_output() &&
            file_format(arguments.output.format, arguments.output.path).kind == FileFormat::Kind::native) {
            return report_written(arguments.output, copy_native(arguments, trace), global);
        }
        const int number = arguments.trace.chosen_launch(trace);
        auto written = arguments.output.write(*trace.source(number), trace.launch(number), trace.program());
        if (trace.left_out(number) > 0) {
            written.notes.push_back(
                fmt::format("{} reads of images with layers were left out", grouped(trace.left_out(number))));
        }
        return report_written(arguments.output, written, global);
    }
    if (from.kind == FileFormat::Kind::csv) {
        return export_trace(arguments, global);
    }
    if (arguments.trace.images.empty()) {
        throw bad_input("this format has byte addresses and no images", path,
                        "declare the images with --image, and give their --layout");
    }
    AddressImport imported;
    read_stream(path, [&](std::istream& in) {
        imported = import_addresses(in, path, {arguments.trace.declared(), parse_layout(arguments.output.layout)},
                                    from.addresses);
    });
    auto written = arguments.output.write(*imported.source, imported.launch, path);
    if (imported.others > 0) {
        written.notes.push_back(fmt::format("{} accesses that are no loads were left out", grouped(imported.others)));
    }
    if (imported.outside > 0) {
        written.notes.push_back(
            fmt::format("{} reads of addresses in no image were left out", grouped(imported.outside)));
    }
    return report_written(arguments.output, written, global);
}

int trace_info(const TraceCommandArguments& arguments, const GlobalOptions& global)
{
    std::vector<LaunchReport> reports;
    ordered_json out = json_result("trace");
    std::string text;
    if (arguments.trace.from_file() && is_native_trace(arguments.trace.file)) {
        const TraceFile trace(arguments.trace.file,
                              arguments.salvage ? TraceFile::Damage::salvage : TraceFile::Damage::refuse);
        const int only = arguments.trace.launch ? arguments.trace.chosen_launch(trace) : -1;
        for (int i = 0; i < trace.launch_count(); ++i) {
            if (only < 0 || only == i) {
                reports.push_back(launch_report(trace.launch(i), trace.totals(i), i));
            }
        }
        out["program"] = trace.program();
        out["damages"] = trace.damages();
        text = trace.program().empty() ? "" : "recorded from: " + trace.program() + "\n";
        for (const std::string& damage : trace.damages()) {
            text += "damaged: " + damage + "\n";
        }
    } else {
        const auto loaded = arguments.trace.load();
        reports.push_back(launch_report(traced_launch(*loaded.source), counted_totals(*loaded.source), 0));
    }
    out["launches"] = ordered_json::array();
    for (const LaunchReport& report : reports) {
        out["launches"].push_back(report.json);
        text += report.text;
    }
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
        const TraceFile trace(arguments.trace.file);
        const int number = arguments.trace.chosen_launch(trace);
        launch = trace.launch(number);
        rows = head(trace, number, arguments.count);
    } else {
        const auto loaded = arguments.trace.load();
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
    const std::string difference = first_difference(TraceFile(arguments.trace.file), TraceFile(arguments.second));
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
    const Sub head = add("head", "the first accesses", trace_head);
    head.arguments->trace.add_to(*head.parser);
    head.parser->add_option("-n,--count", head.arguments->count, "how many")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40))
        ->capture_default_str();
    const Sub diff = add("diff", "the first difference between two native traces", trace_diff);
    diff.parser->add_option("a", diff.arguments->trace.file, "a native trace")->required();
    diff.parser->add_option("b", diff.arguments->second, "another one")->required();
    const Sub generate = add("generate", "writes the trace of an operator and configuration", export_trace);
    generate.arguments->trace.op.add_to(*generate.parser, true, true);
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
