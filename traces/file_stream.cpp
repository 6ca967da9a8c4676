#include "traces/file_stream.hpp"

#include "traces/atomic_file.hpp"
#include "traces/error.hpp"

#include <boost/iostreams/concepts.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_stream.hpp>

#include <filesystem>
#include <fstream>

namespace texelscope {
namespace {

namespace io = boost::iostreams;

class AtomicSink : public io::sink {
public:
    explicit AtomicSink(AtomicFile& file) : file_(&file) {}
    std::streamsize write(const char* bytes, std::streamsize count)
    {
        file_->write({bytes, static_cast<std::size_t>(count)});
        return count;
    }

private:
    AtomicFile* file_;
};

} // namespace

void read_stream(std::istream& in, const std::string& name, const std::function<void(std::istream&)>& read)
{
    constexpr int gzip_magic = 0x1f; // the first byte; no text begins with it, nor any format that is read here
    constexpr int zstd_magic = 0x28;
    const int first = in.peek();
    io::filtering_istream unpacked;
    if (first == gzip_magic) {
        unpacked.push(io::gzip_decompressor());
    } else if (first == zstd_magic) { // may be data that is not compressed: all four bytes tell
        std::string magic(4, '\0');
        in.read(magic.data(), 4);
        const auto got = in.gcount();
        in.clear();
        for (auto i = got; i > 0; --i) {
            in.unget();
        }
        if (magic != "\x28\xb5\x2f\xfd") {
            read(in);
            return;
        }
        unpacked.push(io::zstd_decompressor());
    } else {
        read(in);
        return;
    }
    unpacked.push(in);
    unpacked.exceptions(std::ios::badbit); // or damaged data would look like the end of the file
    try {
        read(unpacked);
    } catch (const std::ios_base::failure&) {
        throw bad_input("the compressed data is damaged or cut off", name, "copy the file again");
    }
}

void read_stream(const std::string& path, const std::function<void(std::istream&)>& read)
{
    if (std::filesystem::is_directory(path)) {
        throw bad_input("this is a folder", path, "name a trace file");
    }
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw bad_input("cannot open the file", path, "check the path");
    }
    read_stream(file, path, read);
}

void write_stream(const std::string& path, const std::function<void(std::ostream&)>& write)
{
    AtomicFile file(path);
    {
        io::filtering_ostream out;
        if (path.ends_with(".gz")) {
            out.push(io::gzip_compressor());
        } else if (path.ends_with(".zst")) {
            out.push(io::zstd_compressor());
        }
        out.push(AtomicSink(file), std::streamsize{1} << 16);
        out.exceptions(std::ios::badbit | std::ios::failbit); // what AtomicFile throws comes through
        write(out);
        out.reset();
    }
    file.commit();
}

} // namespace texelscope
