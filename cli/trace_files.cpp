#include "cli/trace_files.hpp"

#include "base/error.hpp"
#include "cli/terminal.hpp"
#include "traces/formats/csv_trace.hpp"
#include "traces/formats/trace_copy.hpp"
#include "traces/native/file_stream.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ostream>
#include <utility>

namespace texelscope::cli {
namespace {

constexpr std::array<AddressFormat, 4> address_formats{
    AddressFormat::din, AddressFormat::binary_din, AddressFormat::oracle_general,
    AddressFormat::traceg};
constexpr std::array<std::string_view, 3> packed_endings{".gz", ".xz", ".zst"};

/// Names of the images that give reads outside of them the nearest texel; no format but our own can
/// say so.
std::string names_with_edge(const TraceSource& source)
{
    std::vector<std::string> names;
    for (const Image& image : source.images()) {
        if (image.address_mode == AddressMode::edge) {
            names.push_back(image.name);
        }
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

/// What the CSV does not say of a source, a line each.
std::vector<std::string> lost_in_csv(const TraceSource& source,
                                     const std::optional<TracedLaunch>& recorded)
{
    std::vector<std::string> lost;
    std::vector<std::string> notes;
    if (recorded || source.launch() != nullptr) {
        lost.emplace_back("sizes of work-groups");
    }
    if (recorded) {
        const auto& images = recorded->images;
        if (std::any_of(images.begin(), images.end(),
                        [](const TracedImage& i) { return !i.format.empty(); })) {
            lost.emplace_back("formats of images");
        }
        if (std::any_of(images.begin(), images.end(),
                        [](const TracedImage& i) { return i.argument >= 0; })) {
            lost.emplace_back("numbers of arguments");
        }
    }
    if (!lost.empty()) {
        notes.push_back(fmt::format("CSV does not hold {}", fmt::join(lost, ", ")));
    }
    if (const std::string edge = names_with_edge(source); !edge.empty()) {
        notes.push_back(fmt::format("CSV does not hold that reads outside of {} get the texel at "
                                    "the edge: give --address edge with it",
                                    edge));
    }
    return notes;
}

} // namespace

std::vector<std::string> format_names()
{
    std::vector<std::string> names{"native", "csv"};
    for (const AddressFormat format : address_formats) {
        names.push_back(to_string(format));
    }
    return names;
}

std::string format_by_name(const std::string& path)
{
    std::string_view stem = path;
    // The ending of the compression says nothing of the format inside.
    for (const std::string_view packed : packed_endings) {
        if (stem.ends_with(packed)) {
            stem.remove_suffix(packed.size());
        }
    }
    constexpr std::array<std::pair<std::string_view, std::string_view>, 7> endings{
        {{".tst", "native"},
         {".csv", "csv"},
         {".din", "din"},
         {".d4b", "din-binary"},
         {".oracleGeneral", "oracle-general"},
         {".oracleGeneral.bin", "oracle-general"},
         {".traceg", "traceg"}}};
    for (const auto& [ending, meant] : endings) {
        if (stem.ends_with(ending)) {
            return std::string(meant);
        }
    }
    return {};
}

FileFormat file_format(const std::string& format, const std::string& path, const char* option)
{
    const std::string name = format.empty() ? format_by_name(path) : format;
    if (name == "native") {
        return {FileFormat::Kind::native, {}};
    }
    if (name == "csv") {
        return {FileFormat::Kind::csv, {}};
    }
    for (const AddressFormat known : address_formats) {
        if (name == to_string(known)) {
            return {FileFormat::Kind::addresses, known};
        }
    }
    throw bad_input(
        "the name does not say which format is meant", path,
        fmt::format(
            "give {}, or a name that ends in .tst, .csv, .din, .d4b, .oracleGeneral or .traceg",
            option));
}

void check_native_name(const std::string& path)
{
    if (path.empty() || path == "-") {
        throw bad_input("native traces are not written to standard output", {}, "give -o FILE");
    }
    if (std::ranges::any_of(packed_endings, [&](auto ending) { return path.ends_with(ending); })) {
        throw bad_input("native traces are compressed within, not once more", path,
                        "leave the last ending out");
    }
}

void TraceOutput::add_to(CLI::App& parser)
{
    parser.add_option(
        "-o,--output", path,
        "file to write, compressed where it ends in .gz, .xz or .zst (default: CSV to standard "
        "output)");
    parser.add_option("--format", format, "format of that file (default: by its name)")
        ->check(CLI::IsMember(format_names()));
    parser.add_option("--layout", layout,
                      "storage layout behind byte addresses, in other programs' formats");
    parser.add_option("--warp", warp_size, "lanes of a warp, for the order of byte addresses")
        ->check(CLI::Range(1, 4096));
    parser
        .add_option("--traceg-addresses", traceg_addresses,
                    "how .traceg files give the addresses of a warp")
        ->check(CLI::IsMember({"shortest", "list-all", "base-stride", "base-delta"}));
}

FileFormat TraceOutput::chosen() const
{
    const FileFormat chosen = to_standard_output() && format.empty()
                                  ? FileFormat{FileFormat::Kind::csv, {}}
                                  : file_format(format, path);
    if (chosen.kind == FileFormat::Kind::native) {
        check_native_name(path);
    }
    return chosen;
}

void TraceOutput::write_text(const std::function<void(std::ostream&)>& write) const
{
    if (!to_standard_output()) {
        write_stream(path, write);
        return;
    }
    write_stream(
        [](std::string_view bytes) {
            if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size()) {
                throw bad_input("standard output cannot be written");
            }
        },
        write);
}

TraceOutput::Written TraceOutput::write(const TraceSource& source,
                                        const std::optional<TracedLaunch>& recorded,
                                        const std::string& program) const
{
    Written written;
    const FileFormat format_chosen = chosen();
    switch (format_chosen.kind) {
    case FileFormat::Kind::native: {
        TraceWriter writer(path, program);
        TracedLaunch launch = traced_launch(source);
        // Of the recorded launch only what the source does not know: the source has the images that
        // it reads, in its own order.
        if (recorded) {
            launch.kernel = recorded->kernel;
            launch.global = recorded->global;
            launch.local = recorded->local;
            launch.offset = recorded->offset;
        }
        written.reads = write_native(writer, source, launch);
        writer.finish();
        break;
    }
    case FileFormat::Kind::csv:
        write_text([&](std::ostream& out) { written.reads = write_csv(out, source); });
        written.notes = lost_in_csv(source, recorded);
        break;
    case FileFormat::Kind::addresses: {
        const LayoutSpec spec = parse_layout(layout);
        constexpr std::array<std::pair<std::string_view, TracegAddresses>, 4> ways{
            {{"shortest", TracegAddresses::shortest},
             {"list-all", TracegAddresses::list_all},
             {"base-stride", TracegAddresses::base_stride},
             {"base-delta", TracegAddresses::base_delta}}};
        TracegAddresses way = TracegAddresses::shortest;
        for (const auto& [name, meant] : ways) {
            way = name == traceg_addresses ? meant : way;
        }
        AddressExport done;
        write_text([&](std::ostream& out) {
            done = export_addresses(out, source, recorded ? *recorded : traced_launch(source), spec,
                                    format_chosen.addresses, warp_size, way);
        });
        written.reads = done.reads;
        for (const std::string& lost : done.lost) {
            written.notes.push_back(to_string(format_chosen.addresses) + " does not hold " + lost);
        }
        if (const std::string edge = names_with_edge(source); !edge.empty()) {
            written.notes.push_back(fmt::format(
                "reads outside of {} are written as those of the texels at its edge", edge));
        }
        if (done.border_reads > 0) {
            written.notes.push_back(fmt::format("{} reads lie outside of their image, touch no "
                                                "memory and were left out with their steps",
                                                count_text(done.border_reads)));
        }
        break;
    }
    }
    return written;
}

} // namespace texelscope::cli
