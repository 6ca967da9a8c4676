// The outermost level of a native trace file: header, chunks, trailer, and their checksums.
// Everything is little-endian; traces/FORMAT.md has the offsets.

#include "traces/native/trace_framing.hpp"

#include "base/zstd_result.hpp"
#include "traces/native/byte_columns.hpp"

#include <boost/crc.hpp>
#include <zstd.h>

#include <new>
#include <stdexcept>

namespace texelscope::traces::framing {

std::uint32_t crc32(std::string_view bytes)
{
    boost::crc_32_type crc;
    crc.process_bytes(bytes.data(), bytes.size());
    return crc.checksum();
}

std::string file_header()
{
    ByteWriter out;
    out.append(file_magic);
    out.u32(version);
    out.u32(crc32(out.bytes()));
    return out.take();
}

std::string trailer(std::int64_t index_offset)
{
    ByteWriter out;
    out.u64(static_cast<std::uint64_t>(index_offset));
    out.u32(crc32(out.bytes()));
    out.append(trailer_magic);
    return out.take();
}

namespace {

constexpr auto checked = base::checked_zstd<std::runtime_error>;

/// One zstd frame, which has its own size in its header. A block ends at every cut: blocks have
/// codes of their own, and bytes of different planes are distributed differently.
std::string compressed(std::string_view payload, int level, std::span<const std::size_t> cuts)
{
    const auto context = base::zstd_context(ZSTD_createCCtx(), &ZSTD_freeCCtx);
    (void)checked(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level));
    (void)checked(ZSTD_CCtx_setPledgedSrcSize(context.get(), payload.size()));
    // A block that cannot be compressed is stored with a header; this leaves room for one at every
    // cut.
    constexpr std::size_t block_overhead = 16;
    std::string stored(ZSTD_compressBound(payload.size()) + block_overhead * (cuts.size() + 1),
                       '\0');
    ZSTD_outBuffer out{stored.data(), stored.size(), 0};
    ZSTD_inBuffer in{payload.data(), 0, 0};
    for (std::size_t i = 0; i <= cuts.size(); ++i) {
        in.size = i < cuts.size() ? cuts[i] : payload.size();
        if (checked(ZSTD_compressStream2(context.get(), &out, &in,
                                         i < cuts.size() ? ZSTD_e_flush : ZSTD_e_end)) != 0) {
            throw std::runtime_error("zstd wrote more than it said it would");
        }
    }
    stored.resize(out.pos);
    return stored;
}

} // namespace

std::string chunk(const ChunkHeader& header, std::string_view payload, int level,
                  std::span<const std::size_t> cuts)
{
    if (payload.size() > most_raw_bytes) {
        throw std::length_error("a chunk of a trace is too large");
    }
    const std::string stored = compressed(payload, level, cuts);
    ByteWriter out;
    out.append(chunk_magic);
    out.u32(static_cast<std::uint32_t>(header.type));
    out.u32(header.launch);
    out.u32(static_cast<std::uint32_t>(stored.size()));
    out.u32(static_cast<std::uint32_t>(payload.size()));
    out.u32(crc32(stored));
    out.u64(static_cast<std::uint64_t>(header.first_group));
    out.u64(static_cast<std::uint64_t>(header.last_group));
    out.u32(header.first_step);
    out.u32(crc32(out.bytes()));
    out.append(stored);
    return out.take();
}

ChunkHeader parse_chunk_header(std::string_view bytes)
{
    require(bytes.size() >= chunk_header_size && bytes.starts_with(chunk_magic),
            "there is no chunk header");
    bytes = bytes.substr(0, chunk_header_size);
    ByteReader in(bytes.substr(chunk_magic.size()));
    ChunkHeader header;
    const std::uint32_t type = in.u32();
    header.launch = in.u32();
    header.stored_bytes = in.u32();
    header.raw_bytes = in.u32();
    header.stored_crc = in.u32();
    header.first_group = static_cast<std::int64_t>(in.u64());
    header.last_group = static_cast<std::int64_t>(in.u64());
    header.first_step = in.u32();
    require(in.u32() == crc32(bytes.substr(0, chunk_header_size - 4)),
            "the checksum of a chunk's header is wrong");
    // The types are letters: P, L, R, O, G, E and X.
    require(type <= 0x7f &&
                std::string_view("PLROGEX").find(static_cast<char>(type)) != std::string_view::npos,
            "a chunk is of no known type");
    header.type = static_cast<ChunkType>(type);
    return header;
}

std::string payload(const ChunkHeader& header, std::string_view stored)
{
    require(stored.size() == header.stored_bytes, "the chunk is cut off");
    require(crc32(stored) == header.stored_crc, "the checksum of a chunk is wrong");
    // Checked before memory is taken for what the header claims.
    require(header.raw_bytes <= most_raw_bytes &&
                ZSTD_getFrameContentSize(stored.data(), stored.size()) == header.raw_bytes,
            "the size of a chunk is wrong");
    std::string raw(header.raw_bytes, '\0');
    const std::size_t size = ZSTD_decompress(raw.data(), raw.size(), stored.data(), stored.size());
    if (ZSTD_getErrorCode(size) == ZSTD_error_memory_allocation) {
        throw std::bad_alloc(); // the chunk may be good
    }
    require(ZSTD_isError(size) == 0 && size == raw.size(), "a chunk cannot be decompressed");
    return raw;
}

} // namespace texelscope::traces::framing
