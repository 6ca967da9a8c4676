// Traces: ours, the plugin's, and those of other programs.

#include "sim/observers/address_export.hpp"
#include "sim/observers/address_import.hpp"
#include "sim/observers/texel_addresses.hpp"
#include "tests/base/temporary_folder.hpp"
#include "tests/fuzz/entries.hpp"
#include "tests/fuzz/property.hpp"
#include "traces/capture/captured_spool.hpp"
#include "traces/formats/address_records.hpp"
#include "traces/formats/csv_trace.hpp"
#include "traces/formats/trace_copy.hpp"
#include "traces/formats/traceg.hpp"
#include "traces/native/file_stream.hpp"
#include "traces/native/trace_steps.hpp"
#include "traces/native/trace_writer.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <sstream>
#include <vector>

namespace texelscope::fuzz {
using namespace sim;

namespace {

constexpr std::int64_t most_walked = 100'000; // a small file may unpack to very much

/// Walks over what is there; returns the accesses.
std::int64_t walk(const TraceFile& file)
{
    std::int64_t accesses = 0;
    for (int launch = 0; launch < file.launch_count(); ++launch) {
        for (const bool reads : {true, false}) {
            TraceSteps steps(file, launch, reads);
            while (accesses < most_walked && steps.next()) {
                require(!steps.rows().empty(), "a step has no access");
                accesses += static_cast<std::int64_t>(steps.rows().size());
            }
        }
    }
    return accesses;
}

/// Asks a launch as the simulator does, for its first warps: as it was recorded, and in groups of
/// another size with its buffers.
void open_some(const TraceFile& file, int launch, const ReplayOptions& options)
{
    const std::unique_ptr<TraceSource> source = file.source(launch, options);
    WarpAccess access;
    std::int64_t asked = 0;
    for (std::int64_t group = source->next_group(0); group < source->group_count() && asked < 1000;
         group = source->next_group(group + 1)) {
        ++asked;
        for (const std::int32_t warp : source->warps(group, 32)) {
            const auto stream = source->open(group, warp, 32);
            while (++asked < 1000 && stream->next(access)) {
                require(!access.lanes.empty(), "a warp access has no lane");
                for (const LaneRead& read : access.lanes) {
                    require(read.image < source->images().size() && read.lane < 32,
                            "a lane reads an image that is not there, or is not there itself");
                }
            }
        }
    }
}

using RecordReader = void (*)(std::istream&, const std::string&, const AddressSink&);

bool records(RecordReader reader, std::string_view input,
             const std::function<void(std::string&, const AddressRecord&)>& write)
{
    std::vector<AddressRecord> read;
    std::string written;
    const auto whole = accepted([&] {
        std::istringstream in{std::string(input)};
        reader(in, "trace", [&](const AddressRecord& record) {
            read.push_back(record);
            write(written, record);
        });
        return true;
    });
    if (!whole) {
        return false;
    }
    std::size_t next = 0;
    std::istringstream in(written);
    reader(in, "again", [&](const AddressRecord& record) {
        require(next < read.size() && read[next] == record,
                "a record that is written and read again is another one");
        ++next;
    });
    require(next == read.size(), "a record is lost");
    return true;
}

} // namespace

bool native(std::string_view input)
{
    const std::string bytes(input);
    if (const auto salvaged =
            accepted([&] { return TraceFile("salvaged", bytes, TraceFile::Damage::salvage); })) {
        (void)accepted([&] { return walk(*salvaged); });
    }
    std::int64_t accesses = 0;
    const auto file = accepted([&] {
        TraceFile read("trace", bytes);
        accesses = walk(read);
        for (int launch = 0; launch < read.launch_count(); ++launch) {
            open_some(read, launch, {});
            for (const ReplayOptions& options :
                 {ReplayOptions{{}, true},
                  ReplayOptions{std::array<std::int64_t, 3>{3, 2, 1}, true},
                  ReplayOptions{std::array<std::int64_t, 3>{16, 1, 1}, false}}) {
                (void)accepted([&] { return open_some(read, launch, options), true; });
            }
            if (accesses < most_walked) {
                for (std::size_t i = 0; i < std::min<std::size_t>(read.groups(launch).size(), 4);
                     ++i) {
                    (void)read.group(launch, read.groups(launch).group(i));
                }
            }
        }
        return read;
    });
    if (!file) {
        return false;
    }
    if (accesses < most_walked && accepted([&] { return file->verify(), true; })) {
        const test::TemporaryFolder folder;
        const std::string path = folder.write("trace.tst", bytes);
        require(is_native_trace(path) && first_difference(*file, TraceFile(path)).empty(),
                "a file has other launches than its bytes");
        const auto copied = accepted([&] {
            TraceWriter writer(folder.file("copy.tst"), file->program());
            for (int launch = 0; launch < file->launch_count(); ++launch) {
                copy_launch(writer, *file, launch);
            }
            writer.finish();
            return true;
        });
        require(!copied || first_difference(*file, TraceFile(folder.file("copy.tst"))).empty(),
                "a trace that is written and read again is another one");
    }
    return true;
}

bool csv(std::string_view input)
{
    const auto read = [](const std::string& text) {
        std::istringstream in(text);
        return read_csv(in, "trace", {});
    };
    const auto trace = accepted([&] { return read(std::string(input)); });
    if (!trace) {
        return false;
    }
    std::ostringstream written;
    const std::int64_t rows = write_csv(written, **trace);
    const std::unique_ptr<TraceSource> again = read(written.str());
    std::ostringstream rewritten;
    require(write_csv(rewritten, *again) == rows && rewritten.str() == written.str(),
            "a trace that is written and read again is another one");
    return true;
}

bool din(std::string_view input)
{
    return records(read_din, input, append_din);
}

bool din_binary(std::string_view input)
{
    return records(read_binary_din, input, append_binary_din);
}

bool oracle_general(std::string_view input)
{
    return records(read_oracle_general, input, [](std::string& out, const AddressRecord& record) {
        append_oracle_general(out, 0, record, -1);
    });
}

bool traceg(std::string_view input)
{
    using namespace traces::traceg;
    std::string written;
    Kernel kernel;
    std::vector<Access> loads;
    const auto whole = accepted([&] {
        std::istringstream in{std::string(input)};
        read(
            in, "trace", [&](const Kernel& found) { kernel = found; },
            [&](const Access& access) {
                require((!access.lanes.empty() || is_load(access.opcode)) &&
                            access.lanes.size() <= static_cast<std::size_t>(warp_size),
                        "an access has no lane, or too many");
                require(std::ranges::is_sorted(access.lanes, std::ranges::less_equal(),
                                               &std::pair<int, std::uint64_t>::first),
                        "the lanes of an access do not ascend");
                if (!access.lanes.empty() && !load_opcode(access.bytes).empty()) {
                    loads.push_back(access);
                }
            });
        return true;
    });
    if (!whole) {
        return false;
    }
    using Mode = traces::traceg::AddressMode;
    for (const Mode mode : {Mode::list_all, Mode::base_stride, Mode::base_delta}) {
        for (const Access& load : loads) {
            (void)load_line(0, load, mode);
        }
    }
    return true;
}

/// The first line is a number of a format, and declares the second image with its base where it
/// goes on; the rest is imported into two images.
bool addresses(std::string_view input)
{
    AddressSpace space{{{"A", {64, 32}, Bytes{16}}, {"B", {7, 5}, Bytes{4}}},
                       parse_layout("4x4:morton,row")};
    std::string first(input.substr(0, input.find('\n')));
    const auto base = accepted([&] { return take_base(first); });
    if (!base) {
        return false;
    }
    if (*base) {
        space.bases = {0, **base};
    }
    const int format = input.empty() ? 0 : input.front() % 4;
    input.remove_prefix(std::min(input.size(), input.find('\n') == std::string_view::npos
                                                   ? input.size()
                                                   : input.find('\n') + 1));
    const auto read = accepted([&] {
        std::istringstream in{std::string(input)};
        return import_addresses(in, "trace", space,
                                static_cast<AddressFormat>(format < 0 ? 0 : format));
    });
    if (!read) {
        return false;
    }
    std::ostringstream rows;
    require(write_csv(rows, *read->source) > 0 || read->outside == 0, "no read was imported");
    require(read->outside >= 0, "a count is negative");
    std::ostringstream exported;
    const auto written = accepted([&] { // a record of several warps may not go back into the format
        return export_addresses(exported, *read->source, read->launch, space.layout,
                                static_cast<AddressFormat>(format < 0 ? 0 : format), 32);
    });
    if (written && written->reads > 0) {
        std::istringstream in(exported.str());
        space.bases.clear(); // files are written without
        const AddressImport again = import_addresses(
            in, "again", space, static_cast<AddressFormat>(format < 0 ? 0 : format));
        std::ostringstream again_rows;
        require(write_csv(again_rows, *again.source) == written->reads,
                "a read that is exported is lost");
    }
    return true;
}

/// What a spool holds is written as a trace, which can be read.
bool spool(std::string_view input)
{
    const test::TemporaryFolder folder;
    const std::string trace = folder.file("trace.tst");
    std::filesystem::create_directory(folder.file("spool"));
    (void)folder.write("spool/1", std::string(input));
    const auto read = accepted([&] {
        CapturedSpool found = read_spool(folder.file("spool"));
        (void)write_captured_trace(found, trace, "program");
        return found;
    });
    if (!read) {
        return false;
    }
    const TraceFile file(trace);
    require(file.launch_count() == static_cast<int>(read->launches.size()), "a launch is lost");
    file.verify();
    return true;
}

/// Text that may be packed is read once from memory and once from a file.
bool packed(std::string_view input)
{
    const auto text_of =
        [&](const std::function<void(const std::function<void(std::istream&)>&)>& read) {
            return accepted([&] {
                std::string text;
                read([&](std::istream& in) {
                    for_each_line(in, "text", [&](std::string_view line, std::int64_t) {
                        text.append(line.substr(0, most_walked));
                        text.resize(std::min<std::size_t>(text.size(), most_walked));
                    });
                });
                return text;
            });
        };
    const std::string bytes(input);
    std::istringstream in(bytes);
    const auto streamed = text_of([&](const auto& read) { read_stream(in, "text", read); });
    const test::TemporaryFolder folder;
    const std::string path = folder.write("file", bytes);
    const auto file = text_of([&](const auto& read) { read_stream(path, read); });
    require(streamed == file, "a file has another text than a stream of the same bytes");
    if (!streamed) {
        return false;
    }
    const bool plain = streamed->find('\r') == std::string::npos &&
                       !streamed->starts_with(byte_order_mark) &&
                       !streamed->starts_with("\x1f\x8b") && !streamed->starts_with("\x28\xb5") &&
                       !streamed->starts_with("\xfd"
                                              "7zXZ") &&
                       !streamed->starts_with(framing::file_magic);
    const auto write = [&](std::ostream& out) { out << *streamed; };
    for (const char* name : {"plain", "packed.gz", "packed.xz", "packed.zst"}) {
        const std::string again = folder.file(name);
        write_stream(again, write);
        const auto text = text_of([&](const auto& read) { read_stream(again, read); });
        require(!plain || text == streamed, "a text that is packed is another one");
    }
    std::string sunk;
    write_stream([&](std::string_view part) { sunk += part; }, write);
    require(sunk == *streamed, "a text that is written to a sink is another one");
    bool told = false;
    try {
        write_stream([](std::string_view) { throw bad_input("no room", "sink", "make room"); },
                     write);
    } catch (const Error&) {
        told = true;
    }
    require(told || streamed->empty(), "a sink that fails is not told of");
    return true;
}

} // namespace texelscope::fuzz
