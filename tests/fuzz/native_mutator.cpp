#include "tests/fuzz/mutation.hpp"
#include "traces/native/byte_columns.hpp"
#include "traces/native/trace_framing.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <vector>

namespace texelscope::fuzz {
using namespace traces;

namespace {

struct Chunk {
    framing::ChunkHeader header;
    std::string payload;
};

/// The chunks of a trace but for its index, one behind the other, as far as they are whole.
std::vector<Chunk> chunks_of(std::string_view bytes)
{
    std::vector<Chunk> chunks;
    std::size_t at = framing::file_header_size;
    try {
        while (bytes.size() > at) {
            const framing::ChunkHeader header = framing::parse_chunk_header(bytes.substr(at));
            at += framing::chunk_header_size;
            if (header.type != framing::ChunkType::index) {
                chunks.push_back(
                    {header, framing::payload(header, bytes.substr(std::min(at, bytes.size()),
                                                                   header.stored_bytes))});
            }
            at += header.stored_bytes;
        }
    } catch (const std::out_of_range&) { // the trailer, or damage
    }
    return chunks;
}

std::string file_of(const std::vector<Chunk>& chunks)
{
    std::string file = framing::file_header();
    std::vector<std::vector<std::int64_t>> columns(7);
    for (const Chunk& chunk : chunks) {
        const framing::ChunkHeader& header = chunk.header;
        const bool steps =
            header.type == framing::ChunkType::reads || header.type == framing::ChunkType::others;
        const std::int64_t row[] = {static_cast<std::int64_t>(file.size()),
                                    static_cast<std::int64_t>(header.type),
                                    header.launch,
                                    header.first_group,
                                    header.last_group,
                                    header.first_step,
                                    steps ? 1 : 0};
        for (std::size_t i = 0; i < columns.size(); ++i) {
            columns[i].push_back(row[i]);
        }
        file += framing::chunk(header, chunk.payload, 1);
    }
    ByteWriter index;
    index.u32(static_cast<std::uint32_t>(chunks.size()));
    for (const auto& column : columns) {
        index.column(column, {});
    }
    const auto place = static_cast<std::int64_t>(file.size());
    framing::ChunkHeader header;
    header.type = framing::ChunkType::index;
    return file + framing::chunk(header, index.take(), 1) + framing::trailer(place);
}

/// One number of the columns of a payload, where there are such: the rest of the payload stays as
/// it is.
std::string with_changed_column(const std::string& payload, Mutation& mutation)
{
    // A column begins with its distance and planes; a change there or in a plane moves whole
    // numbers, which bytes alone seldom do.
    std::string changed = payload;
    if (changed.size() < 8) {
        return mutation.changed(payload);
    }
    const std::size_t at = mutation.below(changed.size());
    switch (mutation.below(4)) {
    case 0: // a count of the head, which are numbers of 32 bits
        for (std::size_t i = 0, place = 4 * mutation.below(4); i < 4 && place + i < changed.size();
             ++i) {
            changed[place + i] = static_cast<char>(mutation.number() >> (8 * i));
        }
        return changed;
    case 1:
        changed[at] = static_cast<char>(mutation.number());
        return changed;
    case 2: // the same number of bytes, some of them others
        for (std::size_t i = at; i < std::min(changed.size(), at + 1 + mutation.below(8)); ++i) {
            changed[i] = static_cast<char>(changed[i] + static_cast<char>(mutation.below(5)) - 2);
        }
        return changed;
    default:
        return mutation.changed(payload);
    }
}

void change_header(framing::ChunkHeader& header, Mutation& mutation)
{
    constexpr std::string_view types = "PLROGEX";
    switch (mutation.below(5)) {
    case 0:
        header.type = static_cast<framing::ChunkType>(types[mutation.below(types.size())]);
        break;
    case 1:
        header.launch = static_cast<std::uint32_t>(mutation.number());
        break;
    case 2:
        header.first_group = static_cast<std::int64_t>(mutation.number());
        break;
    case 3:
        header.last_group = static_cast<std::int64_t>(mutation.number());
        break;
    default:
        header.first_step = static_cast<std::uint32_t>(mutation.number());
    }
}

} // namespace

std::string mutate_native(const std::string& input, Mutation& mutation)
{
    std::vector<Chunk> chunks = chunks_of(input);
    if (chunks.empty()) {
        return mutation.bytes(input, mutation.most);
    }
    const std::size_t at = mutation.below(chunks.size());
    switch (mutation.below(12)) {
    case 0:
        change_header(chunks[at].header, mutation);
        break;
    case 1:
        chunks.erase(chunks.begin() + static_cast<std::ptrdiff_t>(at));
        break;
    case 2:
        chunks.push_back(chunks[at]);
        break;
    case 3:
        std::swap(chunks[at], chunks[mutation.below(chunks.size())]);
        break;
    case 4: // of another launch behind it
        chunks[at].header.launch += 1;
        break;
    case 5: { // two at once, such as a launch and its totals
        Chunk& other = chunks[mutation.below(chunks.size())];
        other.payload = mutation.changed(other.payload);
        chunks[at].payload = mutation.changed(chunks[at].payload);
        break;
    }
    default: {
        const auto type = chunks[at].header.type;
        const bool columns = type == framing::ChunkType::reads ||
                             type == framing::ChunkType::others ||
                             type == framing::ChunkType::groups;
        chunks[at].payload = columns ? with_changed_column(chunks[at].payload, mutation)
                                     : mutation.changed(chunks[at].payload);
    }
    }
    return file_of(chunks);
}

} // namespace texelscope::fuzz
