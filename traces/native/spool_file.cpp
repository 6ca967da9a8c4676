#include "traces/native/spool_file.hpp"

#include "base/error.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h> // mkostemp
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace texelscope::traces {
namespace {

Error spool_error(const std::string& path, int code)
{
    return bad_input(fmt::format("a temporary file beside it fails: {}", std::generic_category().message(code)), path);
}

int open_unnamed(const std::string& beside)
{
    const std::filesystem::path path(beside);
    std::string name = ((path.has_parent_path() ? path.parent_path() : ".") / ".texelscope-XXXXXX").string();
    const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor < 0) {
        throw spool_error(beside, errno);
    }
    ::unlink(name.c_str());
    return descriptor;
}

} // namespace

SpoolFile::SpoolFile(const std::string& beside) : descriptor_(open_unnamed(beside)), shown_(beside) {}

SpoolFile::~SpoolFile()
{
    ::close(descriptor_);
}

std::int64_t SpoolFile::append(std::string_view bytes)
{
    const std::int64_t begin = size_;
    while (!bytes.empty()) {
        const ssize_t count = ::pwrite(descriptor_, bytes.data(), bytes.size(), size_);
        if (count < 0) {
            if (errno == EINTR) {
                continue;
            }
            throw spool_error(shown_, errno);
        }
        size_ += count;
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return begin;
}

std::string SpoolFile::read(std::int64_t position, std::size_t count) const
{
    std::string bytes(count, '\0');
    std::size_t done = 0;
    while (done < count) {
        const ssize_t now =
            ::pread(descriptor_, bytes.data() + done, count - done, position + static_cast<std::int64_t>(done));
        if (now == 0 || (now < 0 && errno != EINTR)) {
            throw spool_error(shown_, now == 0 ? EIO : errno);
        }
        done += now > 0 ? static_cast<std::size_t>(now) : 0;
    }
    return bytes;
}

void SpoolFile::clear()
{
    size_ = 0;
    if (::ftruncate(descriptor_, 0) != 0) {
        throw spool_error(shown_, errno);
    }
}

} // namespace texelscope::traces
