#include "cli/arguments.hpp"
#include "cli/capture_command.hpp"
#include "cli/terminal.hpp"
#include "traces/atomic_file.hpp"
#include "traces/csv_trace.hpp"
#include "traces/error.hpp"

#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>

#include <memory>
#include <sstream>

namespace texelscope::cli {
namespace {

struct TraceCommandArguments {
    TraceArguments trace;
    std::string output;
};

/// Plain CSV, compressed where the name ends in .gz.
std::int64_t write_trace(const TraceSource& source, const std::string& path)
{
    if (path.empty() || path == "-") {
        std::ostringstream text;
        const std::int64_t rows = write_csv(text, source);
        print_text(text.str());
        return rows;
    }
    std::ostringstream file;
    std::int64_t rows = 0;
    if (path.ends_with(".gz")) {
        boost::iostreams::filtering_ostream zipped;
        zipped.push(boost::iostreams::gzip_compressor());
        zipped.push(file);
        rows = write_csv(zipped, source);
    } else {
        rows = write_csv(file, source);
    }
    write_file_atomically(path, file.str());
    return rows;
}

int export_trace(const TraceCommandArguments& arguments, const GlobalOptions& global)
{
    if (global.json && (arguments.output.empty() || arguments.output == "-")) {
        throw bad_input("the trace itself goes to standard output", "--json", "give -o FILE");
    }
    const auto loaded = arguments.trace.load();
    const std::int64_t rows = write_trace(*loaded.source, arguments.output);
    if (global.json) {
        ordered_json out = json_result("trace");
        out["written"] = arguments.output;
        out["reads"] = rows;
        print_json(out);
    }
    print_note(global, fmt::format("{} reads written{}", grouped(rows),
                                   arguments.output.empty() ? "" : " to " + arguments.output));
    return exit_code::done;
}

int trace_info(const TraceCommandArguments& arguments, const GlobalOptions& global)
{
    const auto loaded = arguments.trace.load();
    constexpr int one_warp = 64; // only to walk over the work-items
    std::int64_t reads = 0;
    std::int64_t groups = 0;
    std::int64_t items = 0; // highest linear number in a group, plus 1
    std::vector<std::int64_t> by_image(loaded.source->images().size(), 0);
    WarpAccess access;
    for (std::int64_t group = loaded.source->next_group(0); group < loaded.source->group_count();
         group = loaded.source->next_group(group + 1)) {
        const auto warps = loaded.source->warps(group, one_warp);
        groups += warps.empty() ? 0 : 1;
        for (const std::int32_t warp : warps) {
            const auto stream = loaded.source->open(group, warp, one_warp);
            while (stream->next(access)) {
                reads += static_cast<std::int64_t>(access.lanes.size());
                for (const LaneRead& read : access.lanes) {
                    ++by_image[read.image];
                    items = std::max<std::int64_t>(items, std::int64_t{warp} * one_warp + read.lane + 1);
                }
            }
        }
    }
    ordered_json launch{{"kernel", loaded.source->name()}};
    std::string text =
        fmt::format("{}: {} reads by {} work-groups\n", loaded.source->name(), grouped(reads), grouped(groups));
    if (loaded.launch) {
        const Launch& l = *loaded.launch;
        launch["global"] = {l.groups[0] * l.local[0], l.groups[1] * l.local[1], l.groups[2] * l.local[2]};
        launch["local"] = l.local;
    } else {
        launch["global"] = {groups * items, 1, 1}; // the plain format has linear numbers only
        launch["local"] = {items, 1, 1};
    }
    ordered_json images = ordered_json::array();
    std::vector<std::vector<std::string>> rows;
    for (std::size_t i = 0; i < by_image.size(); ++i) {
        const Image& image = loaded.source->images()[i];
        images.push_back({{"id", image.name},
                          {"width", image.extent.width},
                          {"height", image.extent.height},
                          {"bytes", image.bytes_per_texel.value},
                          {"reads", by_image[i]}});
        rows.push_back({image.name, fmt::format("{}x{}", image.extent.width, image.extent.height),
                        std::to_string(image.bytes_per_texel.value), grouped(by_image[i])});
    }
    launch["images"] = images;
    launch["reads"] = reads;
    if (global.json) {
        ordered_json out = json_result("trace");
        out["launches"] = ordered_json::array({launch});
        print_json(out);
    } else {
        print_text(text + format_table({"image", "texels", "bytes per texel", "reads"}, rows));
    }
    return exit_code::done;
}

} // namespace

Command trace_command(CLI::App& app, const GlobalOptions& global)
{
    CLI::App* parser = app.add_subcommand("trace", "reads, writes and describes traces");
    parser->require_subcommand(1);
    parser->fallthrough();
    const auto add = [&](const char* name, const char* about) {
        CLI::App* sub = parser->add_subcommand(name, about);
        const auto arguments = std::make_shared<TraceCommandArguments>();
        arguments->trace.add_to(*sub);
        return std::pair(sub, arguments);
    };
    const auto [import_parser, import_arguments] =
        add("import", "checks a plain CSV trace and writes it sorted, with its images declared inside");
    const auto [export_parser, export_arguments] =
        add("export", "writes the trace of an operator and configuration as plain CSV");
    const auto [info_parser, info_arguments] = add("info", "kernel, sizes, images, number of reads");
    for (const auto& [sub, arguments] :
         {std::pair(import_parser, import_arguments), std::pair(export_parser, export_arguments)}) {
        sub->add_option("-o,--output", arguments->output,
                        "file to write, compressed where it ends in .gz (default: standard output)");
    }
    const Command capture = capture_command(*parser, global);
    return {parser, [&global, capture, i = import_parser, ia = import_arguments, e = export_parser,
                     ea = export_arguments, fa = info_arguments] {
                if (capture.parser->parsed()) {
                    return capture.run();
                }
                if (i->parsed() && !ia->trace.from_file()) {
                    throw bad_input("no trace file was given", "trace import",
                                    "give TRACE.csv and its --image declarations");
                }
                if (i->parsed() || e->parsed()) {
                    return export_trace(i->parsed() ? *ia : *ea, global);
                }
                return trace_info(*fa, global);
            }};
}

} // namespace texelscope::cli
