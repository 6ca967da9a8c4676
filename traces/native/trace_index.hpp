#pragma once

#include "traces/native/trace_framing.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace texelscope::traces {

/// A chunk of a native trace file and where it is.
struct ChunkPlace {
    std::int64_t offset = 0;
    framing::ChunkHeader header;
    std::int64_t accesses = 0; ///< in the chunk; of a chunk with steps
};

/// The payload of the index chunk.
[[nodiscard]] std::string encode_index(std::span<const ChunkPlace> places);
/// The places that the index at `offset` in a file names; of their headers it has type, launch,
/// groups and first step. Throws std::out_of_range, with words, for anything that encode_index()
/// cannot have written.
[[nodiscard]] std::vector<ChunkPlace> decode_index(std::string_view payload, std::int64_t offset);

/// What can be found in a file without its index.
struct ChunkScan {
    std::vector<ChunkPlace> places;
    std::vector<std::string> damages; ///< what is between them, in words
};
[[nodiscard]] ChunkScan scan_chunks(std::string_view file);

} // namespace texelscope::traces
