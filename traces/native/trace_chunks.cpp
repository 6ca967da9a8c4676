#include "traces/native/trace_chunks.hpp"

#include "base/error.hpp"
#include "traces/native/byte_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

namespace texelscope::traces {
namespace {

using framing::ChunkHeader;
using framing::ChunkType;

constexpr std::size_t chunks_kept = 16;
// Most bytes of decoded chunks that are kept (512 MiB), because a small file may unpack to very
// much. The chunk that was read last is kept whatever its size.
constexpr std::size_t bytes_kept = std::size_t{512} << 20;
constexpr const char* salvage_hint = "trace import --salvage reads what is intact";

} // namespace

TraceChunks::TraceChunks(std::string name, std::unique_ptr<FileBytes> bytes, bool salvage)
    : name_(std::move(name)), bytes_(std::move(bytes))
{
    check_file_header();
    std::vector<Place> places;
    if (salvage) {
        ChunkScan found = scan_chunks(this->bytes());
        places = std::move(found.places);
        damages_ = std::move(found.damages);
    } else {
        places = read_index();
    }
    for (const Place& place : places) {
        try {
            add(place, salvage);
        } catch (const std::out_of_range& error) {
            if (!salvage) {
                damaged(error.what(), place.offset);
            }
            damages_.push_back(
                fmt::format("the chunk at byte {} is left out: {}", place.offset, error.what()));
        } catch (const Error& error) {
            if (!salvage) {
                throw;
            }
            damages_.push_back(error.what());
        }
    }
    for (std::size_t i = 0; i < launches_.size(); ++i) {
        // Without the index and the end of a launch, its totals are counted again from the chunks.
        if (salvage) {
            Counted counted = count(static_cast<int>(i));
            launches_[i].totals = std::move(counted.totals);
            launches_[i].groups = std::move(counted.groups);
        } else if (!ended_[i]) {
            damaged(fmt::format("launch {} has no end", i),
                    static_cast<std::int64_t>(this->bytes().size()));
        }
    }
}

void TraceChunks::damaged(const std::string& what, std::int64_t offset) const
{
    throw bad_input(fmt::format("the trace is damaged at byte {}: {}", offset, what), name_,
                    salvage_hint);
}

void TraceChunks::check_file_header() const
{
    const std::string_view all = bytes();
    if (!all.starts_with(framing::file_magic)) {
        throw bad_input("this is no native trace: it does not begin with TXSTRACE at byte 0", name_,
                        "trace import reads other formats");
    }
    if (all.size() < framing::file_header_size) {
        throw bad_input(
            fmt::format("the trace is cut off at byte {}, within its header", all.size()), name_,
            "copy the file again");
    }
    ByteReader in(all.substr(framing::file_magic.size()));
    const std::uint32_t version = in.u32();
    if (in.u32() != framing::crc32(all.substr(0, framing::file_header_size - 4))) {
        throw bad_input("the trace is damaged at byte 0: the checksum of its header is wrong",
                        name_, "copy the file again");
    }
    if (version != framing::version) {
        throw bad_input(
            fmt::format(
                "the trace has version {} of the format (byte 8); this program reads version {}",
                version, framing::version),
            name_, "use the program that wrote it, or a newer one");
    }
}

std::vector<TraceChunks::Place> TraceChunks::read_index() const
{
    const std::string_view all = bytes();
    const auto size = static_cast<std::int64_t>(all.size());
    const std::string_view trailer = all.size() >= framing::file_header_size + framing::trailer_size
                                         ? all.substr(all.size() - framing::trailer_size)
                                         : std::string_view{};
    if (!trailer.ends_with(framing::trailer_magic)) {
        throw bad_input(fmt::format("the trace is cut off at byte {}: it has no index", size),
                        name_, salvage_hint);
    }
    ByteReader tail(trailer);
    const std::uint64_t offset = tail.u64();
    if (tail.u32() != framing::crc32(trailer.substr(0, 8))) {
        damaged("the checksum of the trailer is wrong",
                size - static_cast<std::int64_t>(framing::trailer_size));
    }
    if (offset > all.size() - framing::trailer_size) {
        damaged("the trailer points behind the end",
                size - static_cast<std::int64_t>(framing::trailer_size));
    }
    try {
        const Place index{static_cast<std::int64_t>(offset),
                          framing::parse_chunk_header(all.substr(offset))};
        require(index.header.type == ChunkType::index, "this is not the index");
        return decode_index(payload(index), index.offset);
    } catch (const std::out_of_range& error) {
        damaged(error.what(), static_cast<std::int64_t>(offset));
    }
}

void TraceChunks::add(const Place& place, bool salvage)
{
    const std::size_t number = place.header.launch;
    if (place.header.type == ChunkType::program) {
        program_ = parse_program(payload(place));
        return;
    }
    if (place.header.type == ChunkType::launch) {
        const TracedLaunch launch = parse_launch(payload(place));
        require(number == launches_.size() || (salvage && number > launches_.size()),
                "its launch is out of order");
        // Launches are numbered without gaps in a good file. In a damaged one, a number that is
        // larger than the file has bytes cannot be right, and would take as much memory.
        require(number - launches_.size() <= bytes().size(), "its launch has an impossible number");
        // the descriptions of these are lost, and what they did with them
        while (launches_.size() < number) {
            launches_.push_back({});
            ended_.push_back(true);
        }
        launches_.push_back({launch, empty_totals(launch), {}, {}, {}});
        ended_.push_back(false);
        return;
    }
    if (place.header.type == ChunkType::index) {
        return;
    }
    require(number < launches_.size(), "the description of its launch is not there");
    LaunchChunks& launch = launches_[number];
    switch (place.header.type) {
    case ChunkType::reads:
    case ChunkType::others: {
        auto& places = place.header.type == ChunkType::reads ? launch.reads : launch.others;
        require(place.header.first_group <= place.header.last_group &&
                    (places.empty() || place.header.first_group >= places.back().header.last_group),
                "its groups are out of order");
        if (salvage) {
            (void)steps(static_cast<int>(number), place);
        }
        places.push_back(place);
        break;
    }
    case ChunkType::groups:
        launch.groups.append(decode_groups(payload(place)));
        break;
    case ChunkType::end:
        launch.totals = parse_totals(payload(place), launch.launch);
        ended_[number] = true;
        break;
    default:
        throw std::out_of_range("it is of no known type");
    }
}

std::string TraceChunks::payload(const Place& place) const
{
    const std::string_view all = bytes();
    const auto offset = static_cast<std::size_t>(place.offset);
    // The header is read again beside its payload, and must be the one that the index promised.
    require(offset <= all.size(), "there is no chunk header");
    const ChunkHeader header = framing::parse_chunk_header(all.substr(offset));
    require(header.type == place.header.type && header.launch == place.header.launch &&
                header.first_group == place.header.first_group &&
                header.last_group == place.header.last_group,
            "the chunk is another one than the index says");
    return framing::payload(
        header, all.substr(offset + framing::chunk_header_size).substr(0, header.stored_bytes));
}

std::shared_ptr<const StepChunk> TraceChunks::steps(int launch, const Place& place) const
{
    {
        const std::scoped_lock lock(mutex_);
        const auto known = std::find_if(recent_.begin(), recent_.end(), [&](const auto& entry) {
            return entry.first == place.offset;
        });
        if (known != recent_.end()) {
            std::rotate(recent_.begin(), known, known + 1);
            return recent_.front().second;
        }
    }
    StepChunk read;
    try {
        const TracedLaunch& described = launches_[static_cast<std::size_t>(launch)].launch;
        const std::size_t images = described.images.size();
        const std::size_t buffers = described.buffers.size();
        // Reads only name images; other accesses are image writes, buffer reads and buffer writes,
        // in the order of AccessKind.
        read = decode_steps(payload(place), place.header.type == ChunkType::reads
                                                ? ObjectCounts{images, 0, 0, 0}
                                                : ObjectCounts{0, images, buffers, buffers});
        require(!read.segments.empty() && read.segments.front().group == place.header.first_group &&
                    read.segments.back().group == place.header.last_group,
                "the chunk has other groups than its header says");
    } catch (const std::out_of_range& error) {
        damaged(error.what(), place.offset);
    }
    auto chunk = std::make_shared<const StepChunk>(std::move(read));
    const std::scoped_lock lock(mutex_);
    recent_.emplace_front(place.offset, chunk);
    const auto bytes = [](const auto& kept) {
        return kept.second->rows.size() * sizeof(StepRow) +
               kept.second->steps.size() * sizeof(StepChunk::Step);
    };
    std::size_t all = 0;
    for (const auto& kept : recent_) {
        all += bytes(kept);
    }
    while (recent_.size() > chunks_kept || (recent_.size() > 1 && all > bytes_kept)) {
        all -= bytes(recent_.back());
        recent_.pop_back();
    }
    return chunk;
}

TraceChunks::Counted TraceChunks::count(int number) const
{
    const LaunchChunks& launch = launches_[static_cast<std::size_t>(number)];
    Counted counted{empty_totals(launch.launch), {}};
    TraceTotals& totals = counted.totals;
    std::map<std::int64_t, std::set<std::int32_t>> readers;
    for (const std::vector<Place>* places : {&launch.reads, &launch.others}) {
        for (const Place& place : *places) {
            const auto chunk = steps(number, place);
            std::size_t step = 0;
            for (const StepChunk::Segment& segment : chunk->segments) {
                std::set<std::int32_t>& items = readers[segment.group];
                // A shape has the same items wherever it is, so it adds items only when it comes up
                // first.
                std::set<std::uint32_t> seen; // shapes
                for (std::uint32_t i = 0; i < segment.steps; ++i, ++step) {
                    const std::uint32_t shape = chunk->steps[step].shape;
                    const bool is_new = seen.insert(shape).second;
                    for (const StepRow& row : chunk->shape(shape)) {
                        traces::add(totals, row);
                        if (is_new && row.kind == AccessKind::image_read) {
                            items.insert(row.item);
                        }
                    }
                }
            }
        }
    }
    for (const auto& [group, items] : readers) {
        counted.groups.add(group, std::vector<std::int32_t>(items.begin(), items.end()));
    }
    totals.groups = static_cast<std::int64_t>(readers.size());
    return counted;
}

void TraceChunks::verify() const
{
    for (std::size_t i = 0; i < launches_.size(); ++i) {
        const Counted counted = count(static_cast<int>(i));
        if (counted.totals != launches_[i].totals || !(counted.groups == launches_[i].groups)) {
            throw bad_input(
                fmt::format("the trace is damaged: launch {} has other accesses than its end says",
                            i),
                name_, salvage_hint);
        }
    }
}

// Chunks are in ascending order of groups, and a group may continue in the next one, so those of a
// group are neighbours.
std::span<const TraceChunks::Place> chunks_of(const std::vector<TraceChunks::Place>& places,
                                              std::int64_t group)
{
    const auto begin =
        std::partition_point(places.begin(), places.end(), [&](const TraceChunks::Place& p) {
            return p.header.last_group < group;
        });
    const auto end = std::partition_point(begin, places.end(), [&](const TraceChunks::Place& p) {
        return p.header.first_group <= group;
    });
    return {begin, end};
}

StepRange steps_of(const StepChunk& chunk, std::int64_t group)
{
    const auto found =
        std::ranges::lower_bound(chunk.segments, group, {}, &StepChunk::Segment::group);
    if (found == chunk.segments.end() || found->group != group) {
        return {};
    }
    return {found->begin, std::size_t{found->begin} + found->steps};
}

} // namespace texelscope::traces
