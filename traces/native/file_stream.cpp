// Streams of text files that may be packed: gzip, xz and zstd are recognised by their first bytes,
// whatever the file is called. Reading goes through Boost.Iostreams, writing through AtomicFile, so
// that a failure leaves no half a file.

#include "traces/native/file_stream.hpp"

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/file_bytes.hpp"
#include "base/zstd_stream.hpp"
#include "traces/native/trace_framing.hpp"

#include <boost/iostreams/concepts.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <boost/iostreams/read.hpp>
#include <fmt/format.h>

#include <cerrno>
#include <exception>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace texelscope::traces {
namespace {

namespace io = boost::iostreams;
using namespace std::string_view_literals;

constexpr std::streamsize buffer_size = std::streamsize{1} << 16;
constexpr std::size_t most_magic = 8; // bytes that are looked at to tell what a file is

/// Keeps what the sink throws: Boost closes streams in destructors, which swallow it.
class FunctionSink : public io::sink {
public:
    FunctionSink(const std::function<void(std::string_view)>& sink, std::exception_ptr& error)
        : sink_(&sink), error_(&error)
    {}
    std::streamsize write(const char* bytes, std::streamsize count)
    {
        try {
            (*sink_)({bytes, static_cast<std::size_t>(count)});
        } catch (...) {
            *error_ = std::current_exception();
            throw;
        }
        return count;
    }

private:
    const std::function<void(std::string_view)>* sink_;
    std::exception_ptr* error_;
};

/// What packs a file, by the end of its name (zstd is ZstdWriter's).
enum class Filter { none, gzip, xz };

void write_through(const std::function<void(std::string_view)>& sink, Filter filter,
                   const std::function<void(std::ostream&)>& write)
{
    std::exception_ptr error;
    {
        io::filtering_ostream out;
        if (filter == Filter::gzip) {
            out.push(io::gzip_compressor());
        } else if (filter == Filter::xz) {
            out.push(io::lzma_compressor());
        }
        out.push(FunctionSink(sink, error), buffer_size);
        out.exceptions(std::ios::badbit | std::ios::failbit); // what the sink throws comes through
        write(out);
        out.reset();
    }
    if (error != nullptr) {
        std::rethrow_exception(error);
    }
}

/// Packed bytes on their way to a filter, which are counted.
class CountedSource : public io::source {
public:
    CountedSource(std::istream& in, std::uint64_t& bytes) : in_(&in), bytes_(&bytes) {}
    std::streamsize read(char* bytes, std::streamsize count)
    {
        in_->read(bytes, count);
        *bytes_ += static_cast<std::uint64_t>(in_->gcount());
        return in_->gcount() == 0 ? -1 : in_->gcount();
    }

private:
    std::istream* in_;
    std::uint64_t* bytes_;
};

/// Passes on what is unpacked from `packed` bytes, as long as check_unpacked() allows: xz makes
/// next to nothing of a text of one letter.
class BoundedFilter {
public:
    using char_type = char;
    struct category : io::multichar_input_filter_tag {};

    BoundedFilter(const std::uint64_t& packed, std::string name)
        : packed_(&packed), name_(std::move(name))
    {}
    template <class Source>
    std::streamsize read(Source& source, char* bytes, std::streamsize count)
    {
        const std::streamsize got = io::read(source, bytes, count);
        unpacked_ += got > 0 ? static_cast<std::uint64_t>(got) : 0;
        base::check_unpacked(unpacked_, *packed_, name_, "xz");
        return got;
    }

private:
    const std::uint64_t* packed_;
    std::string name_;
    std::uint64_t unpacked_ = 0;
};

/// The first bytes, which are still to be read afterwards. Streams can take so many back.
std::string beginning(io::filtering_istream& in)
{
    std::string bytes(most_magic, '\0');
    in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(in.gcount()));
    if (!in.bad()) {
        in.clear();
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            in.unget();
        }
    }
    return bytes;
}

} // namespace

void read_stream(std::istream& in, const std::string& name,
                 const std::function<void(std::istream&)>& read)
{
    io::filtering_istream raw;
    raw.push(in, buffer_size, most_magic);
    const std::string begin = beginning(raw);
    if (begin == framing::file_magic) {
        throw bad_input("a native trace cannot be read through a pipe", name,
                        "write it to a file, and give its name");
    }
    std::uint64_t packed = 0;
    io::filtering_istream unpacked;
    if (begin.starts_with("\x1f\x8b\x08")) {
        unpacked.push(io::gzip_decompressor(), buffer_size, most_magic);
        unpacked.push(raw);
    } else if (begin.starts_with("\xfd"
                                 "7zXZ\0"sv)) {
        unpacked.push(BoundedFilter(packed, name), buffer_size, most_magic);
        unpacked.push(io::lzma_decompressor());
        unpacked.push(CountedSource(raw, packed));
    } else if (begin.starts_with("\x28\xb5\x2f\xfd")) {
        unpacked.push(ZstdSource(raw, name), buffer_size, most_magic);
    } else {
        read(raw);
        return;
    }
    unpacked.exceptions(std::ios::badbit); // or damaged data would look like the end of the file
    // A native trace compresses its chunks by itself and is read at random offsets.
    try {
        if (beginning(unpacked) == framing::file_magic) {
            throw bad_input(
                "this is a native trace that was compressed once more", name,
                "unpack it with gzip -d, xz -d or zstd -d; native traces are compressed within");
        }
        read(unpacked);
    } catch (const std::ios_base::failure&) {
        throw bad_input("the compressed data is damaged or cut off", name, "copy the file again");
    }
}

void read_stream(const std::string& path, const std::function<void(std::istream&)>& read)
{
    if (std::filesystem::is_directory(path)) {
        throw bad_input("this is a folder", path, "name a file");
    }
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw bad_input(
            fmt::format("cannot open the file: {}", std::generic_category().message(errno)), path,
            "check the path");
    }
    try {
        read_stream(file, path, read);
    } catch (const std::ios_base::failure& failure) {
        throw bad_input(fmt::format("cannot be read: {}", failure.code().message()), path,
                        "check the disk");
    }
}

std::string read_text(const std::string& path)
{
    std::string text;
    read_stream(path, [&](std::istream& in) { text = base::rest_of(in); });
    return text;
}

std::int64_t
for_each_line(std::istream& in, const std::string& name,
              const std::function<void(std::string_view line, std::int64_t number)>& visit)
{
    std::int64_t number = 0;
    for (std::string text; std::getline(in, text);) {
        std::string_view line = text;
        if (++number == 1 && line.starts_with(byte_order_mark)) {
            line.remove_prefix(byte_order_mark.size());
        }
        line.remove_suffix(line.ends_with('\r') ? 1 : 0);
        visit(line, number);
    }
    if (in.bad()) {
        throw bad_input("reading failed", fmt::format("{}:{}", name, number),
                        "check the disk: is the file complete?");
    }
    return number;
}

void write_stream(const std::string& path, const std::function<void(std::ostream&)>& write)
{
    AtomicFile file(path);
    const auto to_file = [&](std::string_view bytes) { file.write(bytes); };
    if (path.ends_with(".zst")) {
        ZstdWriter packed(to_file);
        write_through([&](std::string_view bytes) { packed.write(bytes); }, Filter::none, write);
        packed.finish();
    } else {
        write_through(to_file,
                      path.ends_with(".gz")   ? Filter::gzip
                      : path.ends_with(".xz") ? Filter::xz
                                              : Filter::none,
                      write);
    }
    file.commit();
}

void write_stream(const std::function<void(std::string_view)>& sink,
                  const std::function<void(std::ostream&)>& write)
{
    write_through(sink, Filter::none, write);
}

} // namespace texelscope::traces
