#pragma once

#include "base/layers.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace texelscope::traces {

/// The outermost level of a native trace file (traces/FORMAT.md): a file header, chunks, a trailer.
namespace framing {

inline constexpr std::uint32_t version = 1;
inline constexpr std::size_t file_header_size = 16;
inline constexpr std::size_t chunk_header_size = 48;
inline constexpr std::size_t trailer_size = 16;
inline constexpr std::string_view file_magic = "TXSTRACE";
inline constexpr std::string_view chunk_magic = "TXCK";
inline constexpr std::string_view trailer_magic = "TXND";
inline constexpr std::uint32_t most_raw_bytes = std::uint32_t{1} << 27;

enum class ChunkType : std::uint32_t {
    program = 'P', ///< JSON
    launch = 'L',  ///< JSON
    reads = 'R',   ///< image reads by steps; step k is the k-th image read of a work-item
    others = 'O',  ///< the other accesses by steps; step k is the k-th access of any kind
    groups = 'G',  ///< which groups there are, and which of their items read images
    end = 'E',     ///< JSON: the launch is complete
    index = 'X',
};

struct ChunkHeader {
    ChunkType type = ChunkType::program;
    std::uint32_t launch = 0;
    std::uint32_t stored_bytes = 0;
    std::uint32_t raw_bytes = 0;
    std::uint32_t stored_crc = 0;
    std::int64_t first_group = 0;
    std::int64_t last_group = 0;
    std::uint32_t first_step = 0; ///< of the first group
};

[[nodiscard]] std::uint32_t crc32(std::string_view bytes);

[[nodiscard]] std::string file_header();
[[nodiscard]] std::string trailer(std::int64_t index_offset);
/// Header and compressed payload. `header` needs type, launch and the groups. At the `cuts`
/// (ascending) new statistics of the bytes begin.
[[nodiscard]] std::string chunk(const ChunkHeader& header, std::string_view payload, int level,
                                std::span<const std::size_t> cuts = {});

/// Empty where the bytes are no header, or a damaged one (std::out_of_range says which).
[[nodiscard]] ChunkHeader parse_chunk_header(std::string_view bytes);
/// The payload. Throws std::out_of_range where it is damaged.
[[nodiscard]] std::string payload(const ChunkHeader& header, std::string_view stored);

} // namespace framing
} // namespace texelscope::traces
