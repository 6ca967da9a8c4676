#include "workbench/kernel_logs/packed_text.hpp"

#include "base/error.hpp"
#include "base/file_bytes.hpp"
#include "base/zstd_stream.hpp"

#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filtering_stream.hpp>

#include <sstream>
#include <string_view>

namespace texelscope::workbench::kernel_logs {
namespace {

namespace io = boost::iostreams;
using namespace std::string_view_literals;

constexpr std::size_t always_unpacked = std::size_t{64} << 20;
constexpr std::size_t most_times = 4096;

/// Everything of a stream, as long as it is not out of proportion to `packed` bytes.
std::string bounded_text(std::istream& in, std::size_t packed, const std::string& where)
{
    std::string text;
    std::string piece(std::size_t{1} << 16, '\0');
    while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())) || in.gcount() > 0) {
        text.append(piece, 0, static_cast<std::size_t>(in.gcount()));
        if (text.size() > always_unpacked && text.size() / most_times > packed) {
            throw bad_input("it unpacks to more than any log would", where,
                            "give the log as it was written");
        }
    }
    return text;
}

} // namespace

std::string unpacked_text(const std::string& bytes, const std::string& where)
{
    const std::string_view begin(bytes);
    const bool gzip = begin.starts_with("\x1f\x8b\x08"sv);
    const bool xz = begin.starts_with("\xfd"
                                      "7zXZ\0"sv);
    const bool zstd = begin.starts_with("\x28\xb5\x2f\xfd"sv);
    if (!gzip && !xz && !zstd) {
        return bytes;
    }
    try {
        std::istringstream raw(bytes);
        io::filtering_istream in;
        if (gzip) {
            in.push(io::gzip_decompressor());
            in.push(raw);
        } else if (xz) {
            in.push(io::lzma_decompressor());
            in.push(raw);
        } else {
            in.push(ZstdSource(raw, where));
        }
        in.exceptions(std::ios::badbit); // or damaged data would look like the end of the file
        return bounded_text(in, bytes.size(), where);
    } catch (const std::ios_base::failure&) {
        throw bad_input("the compressed data is damaged or cut off", where, "copy the file again");
    }
}

std::string read_packed_text(const std::string& path)
{
    return unpacked_text(std::string(base::map_file(path)->view()), path);
}

} // namespace texelscope::workbench::kernel_logs
