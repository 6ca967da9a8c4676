// Reads the spool that the capture plugin left (spool_format.hpp: a magic, then records of a header
// and a payload) and writes it as a native trace.
//
// In: a folder with one file for each process of the captured program. Out: its complete launches,
// in an order that does not depend on which host thread came first; what failed, in words.
// read_spool() keeps only where the events of a group lie in a file; write_captured_trace() reads
// them a group at a time, so memory does not grow with the trace.

#include "traces/capture/captured_spool.hpp"

#include "base/error.hpp"
#include "traces/capture/spool_format.hpp"
#include "traces/native/trace_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace texelscope::traces {
namespace {

using spool::RecordHeader;
using spool::RecordType;
using spool::SpooledEvent;

/// Most work-items of a group that are believed; no device has more than a few thousand.
constexpr std::uint32_t most_items = std::uint32_t{1} << 20;

[[noreturn]] void damaged(const std::string& what, const std::string& file)
{
    throw bad_input("is damaged: " + what, file, "record again");
}

/// A launch while its file is read.
struct OpenLaunch {
    SpooledLaunch launch;
    std::int64_t thread = 0;
    // It is set when the record that ends the launch is there.
    bool complete = false;
};

/// The launches of one host thread in order, and what orders the threads among each other.
struct HostThread {
    std::vector<SpooledLaunch> launches;
    std::vector<std::pair<std::string, std::uint64_t>>
        key; ///< of each launch: its description, and a hash of its accesses
};

SpooledLaunch parse_launch(const std::string& text, const std::string& file)
{
    SpooledLaunch out;
    out.file = file;
    std::istringstream lines(text);
    std::string line;
    while (std::getline(lines, line)) {
        std::istringstream words(line);
        std::string what;
        words >> what;
        if (what == "launch") {
            words >> out.launch.kernel;
            for (auto* sizes : {&out.launch.global, &out.launch.local, &out.launch.offset}) {
                words >> (*sizes)[0] >> (*sizes)[1] >> (*sizes)[2];
            }
            words >> out.first_group >> out.last_group;
        } else if (what == "image") {
            TracedImage image;
            std::string kind;
            words >> image.name >> image.argument >> image.width >> image.height >> image.depth >>
                image.format >> image.bytes_per_texel >> kind;
            if (const auto known = image_kind(kind)) {
                image.kind = *known;
            } else {
                words.setstate(std::ios::failbit);
            }
            out.launch.images.push_back(std::move(image));
        } else if (what == "buffer") {
            TracedBuffer buffer;
            words >> buffer.name >> buffer.argument >> buffer.bytes;
            out.launch.buffers.push_back(std::move(buffer));
        }
        if (!words) {
            throw bad_input("a launch is described in a way that is not known", file,
                            "use the plugin that belongs to this program");
        }
    }
    try {
        check_launch(out.launch);
    } catch (const std::out_of_range& error) {
        damaged(error.what(), file);
    }
    return out;
}

/// What the end of a launch says that it executed; nothing where it was not counted.
std::optional<ExecutedOperations> executed(const std::string& payload, const std::string& file)
{
    if (payload.empty()) {
        return std::nullopt;
    }
    ExecutedOperations counts;
    std::memcpy(&counts, payload.data(), sizeof counts);
    try {
        check_executed(counts);
    } catch (const std::out_of_range& error) {
        damaged(error.what(), file);
    }
    return counts;
}

/// Throws bad_input for an access that no work-item of the launch can have made.
void check_event(const SpooledEvent& event, const SpooledLaunch& launch)
{
    const auto kind = static_cast<AccessKind>(event.kind);
    const bool of_image = kind == AccessKind::image_read || kind == AccessKind::image_write;
    const bool known =
        of_image || kind == AccessKind::buffer_read || kind == AccessKind::buffer_write;
    if (!known ||
        event.object >= (of_image ? launch.launch.images.size() : launch.launch.buffers.size()) ||
        event.item >= most_items) {
        damaged("an access is of no work-item, or to nothing that its launch has", launch.file);
    }
}

/// Description that tells launches apart, in words.
std::string description(const SpooledLaunch& launch)
{
    const TracedLaunch& l = launch.launch;
    std::string text = l.kernel;
    for (const auto& sizes : {l.global, l.local, l.offset}) {
        text += fmt::format(" {} {} {}", sizes[0], sizes[1], sizes[2]);
    }
    for (const TracedImage& i : l.images) {
        text += fmt::format(" {} {} {} {} {} {}", i.name, i.width, i.height, i.depth, i.format,
                            to_string(i.kind));
    }
    for (const TracedBuffer& b : l.buffers) {
        text += fmt::format(" {} {}", b.name, b.bytes);
    }
    return text;
}

/// The events of groups, read back.
class EventReader {
public:
    explicit EventReader(const std::string& file) : file_(file), in_(file, std::ios::binary) {}

    const std::vector<SpooledEvent>& read(const std::vector<SpooledLaunch::Part>& parts)
    {
        std::uint64_t bytes = 0;
        for (const auto& part : parts) {
            bytes += part.bytes;
        }
        // A group may have several parts: the plugin hands over what it has when a group grows
        // large.
        events_.resize(bytes / sizeof(SpooledEvent));
        auto* next = reinterpret_cast<char*>(events_.data());
        for (const auto& part : parts) {
            in_.seekg(static_cast<std::streamoff>(part.offset));
            in_.read(next, static_cast<std::streamsize>(part.bytes));
            next += part.bytes;
        }
        if (!in_) {
            throw bad_input("cannot be read back", file_, "check the disk, then capture again");
        }
        return events_;
    }

private:
    std::string file_;
    std::ifstream in_;
    std::vector<SpooledEvent> events_;
};

/// A hash of the accesses of a launch, by FNV-1a over 64-bit words. It only has to order host
/// threads: should two launches have the same hash by chance, they keep the order in which they
/// were read.
std::uint64_t hash_of(const SpooledLaunch& launch)
{
    EventReader reader(launch.file);
    std::uint64_t hash = 14695981039346656037U;
    const auto add = [&](std::uint64_t word) { hash = (hash ^ word) * 1099511628211U; };
    for (const auto& [group, parts] : launch.groups) {
        add(static_cast<std::uint64_t>(group));
        for (const SpooledEvent& event : reader.read(parts)) {
            std::uint64_t words[2];
            std::memcpy(words, &event, sizeof words);
            add(words[0]);
            add(words[1]);
        }
    }
    return hash;
}

void read_file(const std::string& path, std::vector<HostThread>& threads, CapturedSpool& out)
{
    // The plugin cannot count on being able to write when a disk is full, so it says that it has
    // given up by a bit of the file's permissions.
    if ((static_cast<unsigned>(std::filesystem::status(path).permissions()) & spool::given_up) !=
        0) {
        throw bad_input("what the program does could not be written there", path,
                        "make room on that disk, then capture again");
    }
    std::ifstream in(path, std::ios::binary);
    char magic[sizeof spool::magic];
    if (!in.read(magic, sizeof magic) || std::memcmp(magic, spool::magic, sizeof magic) != 0) {
        throw bad_input("is not what the capture plugin writes", path,
                        "use the plugin that belongs to this program");
    }
    const std::uint64_t size = std::filesystem::file_size(path);
    std::uint64_t position = sizeof magic;
    std::map<std::uint32_t, OpenLaunch> launches; // in the order of their beginnings
    RecordHeader header;
    while (in.seekg(static_cast<std::streamoff>(position)),
           in.read(reinterpret_cast<char*>(&header), sizeof header)) {
        position += sizeof header;
        if (header.bytes > size - position) {
            // A record that the file is too short for was being written when the program ended:
            // what is before it counts.
            break;
        }
        const auto text = [&] {
            std::string payload(header.bytes, '\0');
            in.read(payload.data(), static_cast<std::streamsize>(payload.size()));
            return payload;
        };
        // There is none where the launch was given up while other threads still wrote what they
        // had.
        const auto begun = launches.find(header.launch);
        switch (header.type) {
        case RecordType::launch:
            launches[header.launch] = {parse_launch(text(), path), header.group, false};
            break;
        case RecordType::group:
            if (header.bytes % sizeof(SpooledEvent) != 0 || header.group < 0) {
                damaged("a group has a part of an access, or no number", path);
            }
            if (begun != launches.end()) {
                begun->second.launch.groups[header.group].push_back({position, header.bytes});
            }
            break;
        case RecordType::end:
            if (header.bytes != 0 && header.bytes != sizeof(ExecutedOperations)) {
                damaged("what a launch executed is not what is counted", path);
            }
            if (begun != launches.end()) {
                begun->second.complete = true;
                begun->second.launch.launch.executed = executed(text(), path);
            }
            break;
        case RecordType::failed:
            out.failures.push_back(text());
            launches.erase(header.launch);
            break;
        case RecordType::skipped:
            ++out.skipped;
            break;
        default:
            damaged("a record is of no known type", path);
        }
        position += header.bytes;
    }
    if (in.bad()) {
        throw bad_input("cannot be read back", path, "check the disk, then capture again");
    }
    std::map<std::int64_t, HostThread> by_thread;
    for (auto& [number, open] : launches) {
        if (open.complete) {
            by_thread[open.thread].launches.push_back(std::move(open.launch));
        } else if (!open.launch.launch.kernel.empty()) {
            out.failures.push_back(open.launch.launch.kernel + ": it did not run to its end");
        }
    }
    for (auto& [number, thread] : by_thread) {
        threads.push_back(std::move(thread));
    }
}

TracedAccess access_of(const SpooledEvent& event)
{
    TracedAccess access;
    access.kind = static_cast<AccessKind>(event.kind);
    access.object = event.object;
    if (access.kind == AccessKind::image_read || access.kind == AccessKind::image_write) {
        access.x = event.x;
        access.y = event.y;
        access.z = static_cast<std::int16_t>(event.third);
    } else {
        access.bytes = event.y;
        access.offset = spool::offset_of(event);
    }
    return access;
}

/// The accesses of one group by work-item; items ascending.
class ItemSorter {
public:
    std::span<const TracedItem> sort(const std::vector<SpooledEvent>& events)
    {
        std::uint32_t items = 0;
        for (const SpooledEvent& event : events) {
            items = std::max(items, event.item + 1);
        }
        if (items_.size() < items) {
            items_.resize(items);
        }
        // Counted first, so that no item takes more memory than its accesses need.
        std::vector<std::size_t> counts(items);
        for (const SpooledEvent& event : events) {
            ++counts[event.item];
        }
        for (std::uint32_t i = 0; i < items; ++i) {
            items_[i].item = static_cast<std::int32_t>(i);
            items_[i].accesses.clear();
            items_[i].accesses.reserve(counts[i]);
        }
        for (const SpooledEvent& event : events) {
            items_[event.item].accesses.push_back(access_of(event));
        }
        return {items_.data(), items};
    }

private:
    std::vector<TracedItem> items_;
};

} // namespace

CapturedSpool read_spool(const std::string& folder)
{
    CapturedSpool out;
    std::vector<HostThread> threads;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        read_file(entry.path().string(), threads, out);
    }
    std::sort(out.failures.begin(), out.failures.end());
    // The order in which host threads got their numbers depends on the operating system. Their
    // launches are therefore ordered by what they are and do, so that the same program gives the
    // same trace.
    if (threads.size() > 1) {
        for (HostThread& thread : threads) {
            for (const SpooledLaunch& launch : thread.launches) {
                thread.key.emplace_back(description(launch), hash_of(launch));
            }
        }
        std::stable_sort(threads.begin(), threads.end(),
                         [](const HostThread& a, const HostThread& b) { return a.key < b.key; });
    }
    for (HostThread& thread : threads) {
        std::move(thread.launches.begin(), thread.launches.end(), std::back_inserter(out.launches));
    }
    return out;
}

std::vector<CapturedLaunch> write_captured_trace(const CapturedSpool& spool,
                                                 const std::string& path,
                                                 const std::string& program)
{
    std::vector<CapturedLaunch> out;
    TraceWriter writer(path, program);
    ItemSorter sorter;
    for (const SpooledLaunch& launch : spool.launches) {
        EventReader reader(launch.file);
        CapturedLaunch captured{launch.launch, launch.first_group, launch.last_group,
                                empty_totals(launch.launch)};
        writer.begin_launch(launch.launch);
        for (const auto& [group, parts] : launch.groups) {
            const std::vector<SpooledEvent>& events = reader.read(parts);
            for (const SpooledEvent& event : events) {
                check_event(event, launch);
                add(captured.totals,
                    row_of(static_cast<std::int32_t>(event.item), access_of(event)));
            }
            writer.add_group(group, sorter.sort(events));
        }
        writer.end_launch();
        out.push_back(std::move(captured));
    }
    writer.finish();
    return out;
}

} // namespace texelscope::traces
