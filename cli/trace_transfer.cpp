#include "cli/trace_transfer.hpp"

#include "base/error.hpp"
#include "cli/terminal.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "sim/observers/texel_addresses.hpp"
#include "traces/formats/trace_copy.hpp"
#include "traces/native/file_stream.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

namespace texelscope::cli {
namespace {

int report_written(const TraceOutput& output, const TraceOutput::Written& written,
                   const GlobalOptions& global)
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
    print_note(global, fmt::format("{} reads written{}", count_text(written.reads),
                                   output.to_standard_output() ? "" : " to " + output.path));
    return exit_code::done;
}

void refuse_json_to_standard_output(const TraceOutput& output, const GlobalOptions& global)
{
    if (global.json && output.to_standard_output()) {
        throw bad_input("the trace itself goes to standard output", "--json", "give -o FILE");
    }
}

/// A note for each kind of access that formats of image reads have no place for.
std::vector<std::string> others_left_out(const TraceFile& trace, int number)
{
    const TraceTotals& totals = trace.totals(number);
    std::vector<std::string> notes;
    const auto note = [&](std::int64_t count, const char* what) {
        if (count > 0) {
            notes.push_back(fmt::format("{} {} were left out", count_text(count), what));
        }
    };
    note(sum_of(totals.writes), "image writes");
    note(sum_of(totals.buffer_reads) + sum_of(totals.buffer_writes), "accesses to buffers");
    return notes;
}

/// Native to native keeps everything, of all launches or of one. Other formats keep the image reads
/// of one launch.
TraceOutput::Written write_launches(const TraceCommandArguments& arguments, const TraceFile& trace)
{
    TraceOutput::Written written;
    if (arguments.output.chosen().kind != FileFormat::Kind::native) {
        const int number = arguments.trace.chosen_launch(trace);
        const ReplayOptions replay{arguments.trace.chosen_local(), false};
        TracedLaunch launch = trace.launch(number);
        launch.local = replay.local.value_or(launch.local);
        written = arguments.output.write(*trace.source(number, replay), launch, trace.program());
        for (std::string& note : others_left_out(trace, number)) {
            written.notes.push_back(std::move(note));
        }
        return written;
    }
    if (!arguments.trace.local.empty()) {
        throw bad_input("a native trace is copied in the work-groups that were recorded", "--local",
                        "leave it out, and give it to simulate or histogram");
    }
    const int only = arguments.trace.launch ? arguments.trace.chosen_launch(trace) : -1;
    TraceWriter writer(arguments.output.path, trace.program());
    for (int i = 0; i < trace.launch_count(); ++i) {
        if (only < 0 || only == i) {
            copy_launch(writer, trace, i);
            written.reads += sum_of(trace.totals(i).reads);
        }
    }
    writer.finish();
    return written;
}

/// The images that are declared, with their base addresses.
AddressSpace address_space(const TraceCommandArguments& arguments)
{
    TraceArguments trace = arguments.trace;
    std::vector<std::uint64_t> bases;
    for (std::string& declaration : trace.images) {
        if (const auto base = take_base(declaration)) {
            bases.push_back(*base);
        }
    }
    if (!bases.empty() && bases.size() != trace.images.size()) {
        throw bad_input(
            fmt::format("{} of {} images have a base address", bases.size(), trace.images.size()),
            "--image", "give one to each of them, or to none");
    }
    return {trace.declared(), parse_layout(arguments.output.layout), std::move(bases)};
}

} // namespace

TraceArguments::Loaded load_trace(const TraceArguments& trace)
{
    try {
        return trace.load();
    } catch (const Error&) {
        const std::string format = format_by_name(trace.file);
        std::error_code error;
        if (format.empty() || format == "csv" ||
            !std::filesystem::is_regular_file(trace.file, error) ||
            std::filesystem::is_empty(trace.file, error)) {
            throw;
        }
        if (format == "native") {
            throw bad_input(
                "this is neither a native trace (it does not begin with TXSTRACE) nor CSV",
                trace.file, "trace import reads other formats with --from");
        }
        throw bad_input("this name means " + format + ", which has byte addresses and no images",
                        trace.file, "read it with trace import and --image");
    }
}

TraceFile open_native(const TraceCommandArguments& arguments)
{
    const TraceArguments& trace = arguments.trace;
    if (!trace.images.empty() || !trace.address_mode.empty()) {
        throw bad_input("--image and --address are not for native traces", trace.file,
                        "leave them out: the trace brings its images");
    }
    if (!trace.op.shape.empty()) {
        throw bad_input("a trace file and an operator were both given", trace.file,
                        "give one of them");
    }
    return TraceFile(trace.file,
                     arguments.salvage ? TraceFile::Damage::salvage : TraceFile::Damage::refuse);
}

int export_trace(const TraceCommandArguments& arguments, const GlobalOptions& global)
{
    refuse_json_to_standard_output(arguments.output, global);
    (void)arguments.output.chosen();
    if (arguments.trace.from_file() && is_native_trace(arguments.trace.file)) {
        return report_written(arguments.output, write_launches(arguments, open_native(arguments)),
                              global);
    }
    const auto loaded = load_trace(arguments.trace);
    const std::string program = loaded.nest
                                    ? loaded.nest->operator_text + " " + loaded.nest->schedule_text
                                    : arguments.trace.file;
    return report_written(arguments.output,
                          arguments.output.write(*loaded.source, loaded.recorded, program), global);
}

int import_trace(const TraceCommandArguments& arguments, const GlobalOptions& global)
{
    if (!arguments.trace.from_file()) {
        throw bad_input("no trace file was given", "trace import",
                        "give TRACE.csv and its --image declarations");
    }
    refuse_json_to_standard_output(arguments.output, global);
    const std::string& path = arguments.trace.file;
    (void)arguments.output.chosen();
    FileFormat from;
    if (is_native_trace(path)) {
        from.kind = FileFormat::Kind::native;
        // A ".txt" says nothing of the format: it is read as CSV.
    } else if (!arguments.from.empty() || !path.ends_with(".txt")) {
        try {
            from = file_format(arguments.from, path, "--from");
        } catch (
            const Error&) { // any name will do for a CSV, and what is none is refused with its line
        }
    }
    if (from.kind == FileFormat::Kind::native) {
        const TraceFile trace = open_native(arguments);
        for (const std::string& damage : trace.damages()) {
            print_note(global, damage);
        }
        return report_written(arguments.output, write_launches(arguments, trace), global);
    }
    if (from.kind == FileFormat::Kind::csv) {
        return export_trace(arguments, global);
    }
    if (arguments.trace.images.empty()) {
        throw bad_input("this format has byte addresses and no images", path,
                        "declare the images with --image, and give their --layout");
    }
    const AddressSpace space = address_space(arguments);
    AddressImport imported;
    read_stream(path, [&](std::istream& in) {
        imported = import_addresses(in, path, space, from.addresses);
    });
    auto written = arguments.output.write(*imported.source, imported.launch, path);
    written.notes.insert(written.notes.end(), imported.notes.begin(), imported.notes.end());
    return report_written(arguments.output, written, global);
}

} // namespace texelscope::cli
