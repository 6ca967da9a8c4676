#include "cli/trace_files.hpp"

#include "cli/terminal.hpp"
#include "traces/csv_trace.hpp"
#include "traces/error.hpp"
#include "traces/file_stream.hpp"
#include "traces/trace_copy.hpp"

#include <array>
#include <sstream>
#include <utility>

namespace texelscope::cli {
namespace {

constexpr std::array<AddressFormat, 4> address_formats{AddressFormat::din, AddressFormat::binary_din,
                                                       AddressFormat::oracle_general, AddressFormat::traceg};

} // namespace

std::vector<std::string> format_names()
{
    std::vector<std::string> names{"native", "csv"};
    for (const AddressFormat format : address_formats) {
        names.push_back(to_string(format));
    }
    return names;
}

FileFormat file_format(const std::string& format, const std::string& path)
{
    std::string name = format;
    if (name.empty()) {
        std::string_view stem = path;
        for (const std::string_view packed : {".gz", ".zst"}) {
            if (stem.ends_with(packed)) {
                stem.remove_suffix(packed.size());
            }
        }
        constexpr std::array<std::pair<std::string_view, std::string_view>, 6> endings{
            {{".tst", "native"},
             {".csv", "csv"},
             {".din", "din"},
             {".d4b", "din-binary"},
             {".oracleGeneral", "oracle-general"},
             {".traceg", "traceg"}}};
        for (const auto& [ending, meant] : endings) {
            if (stem.ends_with(ending)) {
                name = meant;
            }
        }
    }
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
    throw bad_input("the name does not say which format is meant", path,
                    "give --format, or a name that ends in .tst, .csv, .din, .d4b, .oracleGeneral or .traceg");
}

void TraceOutput::add_to(CLI::App& parser)
{
    parser.add_option("-o,--output", path,
                      "file to write, compressed where it ends in .gz or .zst (default: CSV to standard output)");
    parser.add_option("--format", format, "format of that file (default: by its name)")
        ->check(CLI::IsMember(format_names()));
    parser.add_option("--layout", layout, "storage layout behind byte addresses, in other programs' formats")
        ->capture_default_str();
    parser.add_option("--warp", warp_size, "lanes of a warp, for the order of byte addresses")
        ->check(CLI::Range(1, 4096))
        ->capture_default_str();
    parser.add_option("--traceg-addresses", traceg_addresses, "how .traceg files give the addresses of a warp")
        ->check(CLI::IsMember({"shortest", "list-all", "base-stride", "base-delta"}))
        ->capture_default_str();
}

TraceOutput::Written TraceOutput::write(const TraceSource& source, const std::optional<TracedLaunch>& recorded,
                                        const std::string& program) const
{
    Written written;
    if (to_standard_output()) {
        std::ostringstream text;
        written.reads = write_csv(text, source);
        print_text(text.str());
        return written;
    }
    const FileFormat chosen = file_format(format, path);
    switch (chosen.kind) {
    case FileFormat::Kind::native: {
        TraceWriter writer(path, program, TraceWriter::GroupOrder::ascending);
        TracedLaunch launch = traced_launch(source);
        if (recorded) { // the source has the images that it reads, in its own order
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
        write_stream(path, [&](std::ostream& out) { written.reads = write_csv(out, source); });
        if (recorded) {
            written.notes.push_back("CSV has no sizes of work-groups, and no accesses but image reads");
        }
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
        write_stream(path, [&](std::ostream& out) {
            done = export_addresses(out, source, recorded ? *recorded : traced_launch(source), spec, chosen.addresses,
                                    warp_size, way);
        });
        written.reads = done.reads;
        for (const std::string& lost : done.lost) {
            written.notes.push_back(to_string(chosen.addresses) + " does not hold " + lost);
        }
        if (done.border_reads > 0) {
            written.notes.push_back(fmt::format(
                "{} reads lie outside of their image, touch no memory and were left out", grouped(done.border_reads)));
        }
        break;
    }
    }
    return written;
}

} // namespace texelscope::cli
