// The index of a native trace, and what can be found where it is lost. The index is a u32 count and
// a column for each member of the places of chunks.

#include "traces/native/trace_index.hpp"

#include "traces/native/byte_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace texelscope::traces {

std::string encode_index(std::span<const ChunkPlace> places)
{
    const std::array<std::size_t, 1> next{1};
    ByteWriter out;
    const auto column = [&](auto get) {
        std::vector<std::int64_t> values;
        for (const ChunkPlace& place : places) {
            values.push_back(get(place));
        }
        out.column(values, next);
    };
    out.u32(static_cast<std::uint32_t>(places.size()));
    column([](const ChunkPlace& p) { return p.offset; });
    column([](const ChunkPlace& p) { return static_cast<std::int64_t>(p.header.type); });
    column([](const ChunkPlace& p) { return std::int64_t{p.header.launch}; });
    column([](const ChunkPlace& p) { return p.header.first_group; });
    column([](const ChunkPlace& p) { return p.header.last_group; });
    column([](const ChunkPlace& p) { return std::int64_t{p.header.first_step}; });
    column([](const ChunkPlace& p) { return p.accesses; });
    return out.take();
}

std::vector<ChunkPlace> decode_index(std::string_view payload, std::int64_t offset)
{
    ByteReader in(payload);
    const std::size_t count = in.u32();
    // A chunk takes at least its header, so a count beyond that is damage.
    require(count <= static_cast<std::size_t>(offset) / framing::chunk_header_size,
            "the index has more chunks than the file has room for");
    const auto offsets = in.column(count);
    const auto types = in.column(count);
    const auto launches = in.column(count);
    const auto first_groups = in.column(count);
    const auto last_groups = in.column(count);
    const auto first_steps = in.column(count);
    const auto accesses = in.column(count);
    std::vector<ChunkPlace> places;
    for (std::size_t i = 0; i < count; ++i) {
        // The index is written last: all chunks are in front of it.
        require(offsets[i] >= 0 && offsets[i] < offset,
                "the index names a chunk that is not there");
        ChunkPlace place{offsets[i], {}, accesses[i]};
        place.header.type = static_cast<framing::ChunkType>(types[i]);
        place.header.launch = static_cast<std::uint32_t>(launches[i]);
        place.header.first_group = first_groups[i];
        place.header.last_group = last_groups[i];
        place.header.first_step = static_cast<std::uint32_t>(first_steps[i]);
        places.push_back(place);
    }
    return places;
}

// Looks for the magic of chunks and believes those whose header has the right checksum.
ChunkScan scan_chunks(std::string_view file)
{
    ChunkScan found;
    std::size_t position = framing::file_header_size;
    std::size_t expected = position; // where the next chunk begins if nothing is damaged
    const auto note_gap = [&](std::size_t end) {
        if (end > expected) {
            found.damages.push_back(
                fmt::format("bytes {} to {} are no chunk and are left out", expected, end - 1));
        }
    };
    while ((position = file.find(framing::chunk_magic, position)) != std::string_view::npos) {
        try {
            const ChunkPlace place{static_cast<std::int64_t>(position),
                                   framing::parse_chunk_header(file.substr(position))};
            note_gap(position);
            found.places.push_back(place);
            const std::size_t begin = position + framing::chunk_header_size;
            const std::string_view stored = file.substr(begin).substr(0, place.header.stored_bytes);
            expected = begin + stored.size();
            // Where bytes are missing, the next chunk begins within what this one claims.
            position = framing::crc32(stored) == place.header.stored_crc ? expected : begin;
        } catch (const std::out_of_range&) {
            // the magic by chance, or a damaged header: the gap is noted when the next chunk is
            // found
            ++position;
        }
    }
    const bool whole =
        file.size() >= expected + framing::trailer_size && file.ends_with(framing::trailer_magic);
    note_gap(file.size() - (whole ? framing::trailer_size : 0));
    if (!whole) {
        found.damages.push_back(
            fmt::format("the file ends at byte {} without its index", file.size()));
    }
    return found;
}

} // namespace texelscope::traces
