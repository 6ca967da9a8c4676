#include "traces/atomic_file.hpp"

#include "traces/error.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

namespace texelscope {
namespace {

namespace fs = std::filesystem;

Error write_error(const std::string& path, int code)
{
    // std::strerror is not safe to call from several threads; this says the same.
    return bad_input(fmt::format("cannot write the file: {}", std::generic_category().message(code)), path);
}

/// An open descriptor; closed on every way out.
class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor()
    {
        if (number_ >= 0) {
            ::close(number_);
        }
    }

    [[nodiscard]] int number() const { return number_; }
    /// 0 or the error. Some file systems report a full disk only here.
    [[nodiscard]] int close()
    {
        const int result = ::close(number_);
        number_ = -1;
        return result == 0 ? 0 : errno;
    }

private:
    int number_;
};

/// Removes the file on every way out, unless it got its final name.
class Temporary {
public:
    explicit Temporary(std::string path) : path_(std::move(path)) {}
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;
    ~Temporary()
    {
        if (!renamed_) {
            ::unlink(path_.c_str());
        }
    }

    [[nodiscard]] const std::string& path() const { return path_; }
    void renamed() { renamed_ = true; }

private:
    std::string path_;
    bool renamed_ = false;
};

/// 0 or the error.
int write_all(int descriptor, const std::string& bytes)
{
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t count = ::write(descriptor, bytes.data() + done, bytes.size() - done);
        if (count >= 0) {
            done += static_cast<std::size_t>(count);
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

void write_in_place(const std::string& path, const std::string& bytes)
{
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (file.number() < 0) {
        throw write_error(path, errno);
    }
    if (const int error = write_all(file.number(), bytes); error != 0) {
        throw write_error(path, error);
    }
    if (const int error = file.close(); error != 0) {
        throw write_error(path, error);
    }
}

/// Creates a file of a name that nobody else has, in `folder`; its path goes into the first member.
struct Created {
    std::string path;
    int descriptor = -1;
};
Created create_unique(const std::string& shown_path, const fs::path& folder)
{
    // The name says nothing of the file's own, which may be as long as a name can be.
    for (int attempt = 0;; ++attempt) {
        const std::string path = (folder / fmt::format(".texelscope-{}-{}.tmp", ::getpid(), attempt)).string();
        const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0) {
            return {path, descriptor};
        }
        if (errno != EEXIST || attempt == 10000) {
            throw write_error(shown_path, errno);
        }
    }
}

struct Target {
    fs::path path;              ///< what is to be replaced, links followed
    std::optional<mode_t> mode; ///< of the file that is there
    bool replaceable = true;    ///< false: no regular file

    [[nodiscard]] fs::path folder() const { return path.has_parent_path() ? path.parent_path() : fs::path("."); }
};

Target find_target(const std::string& path)
{
    if (path.empty()) {
        throw bad_input("cannot write a file without a name");
    }
    Target target{path, std::nullopt, true};
    struct stat old {};
    if (::stat(path.c_str(), &old) == 0) {
        if (S_ISDIR(old.st_mode)) {
            throw write_error(path, EISDIR);
        }
        if (!S_ISREG(old.st_mode)) {
            target.replaceable = false;
            return target;
        }
        std::error_code error;
        target.path = fs::canonical(path, error);
        if (error) {
            throw write_error(path, error.value());
        }
        target.mode = old.st_mode & 07777U;
    }
    return target;
}

} // namespace

void check_writable(const std::string& path)
{
    const Target target = find_target(path);
    if (target.replaceable) {
        const Created created = create_unique(path, target.folder());
        const Temporary removed_again(created.path);
        const Descriptor closed(created.descriptor);
    }
}

void write_file_atomically(const std::string& path, const std::string& bytes)
{
    const Target found = find_target(path);
    if (!found.replaceable) {
        write_in_place(path, bytes);
        return;
    }
    const fs::path& target = found.path;
    const std::optional<mode_t> old_mode = found.mode;
    const fs::path folder = found.folder();

    const Created created = create_unique(path, folder);
    Temporary temporary(created.path);
    Descriptor file(created.descriptor);
    if (old_mode && ::fchmod(file.number(), *old_mode) != 0) {
        throw write_error(path, errno);
    }
    if (const int error = write_all(file.number(), bytes); error != 0) {
        throw write_error(path, error);
    }
    if (::fsync(file.number()) != 0) {
        throw write_error(path, errno);
    }
    if (const int error = file.close(); error != 0) {
        throw write_error(path, error);
    }
    if (::rename(temporary.path().c_str(), target.c_str()) != 0) {
        throw write_error(path, errno);
    }
    temporary.renamed();

    // The new name itself is on the disk only when the folder is. Some file systems have no sync for folders (EINVAL).
    const Descriptor parent(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (parent.number() < 0 || (::fsync(parent.number()) != 0 && errno != EINVAL)) {
        // A folder may be writable without being readable: then there is no way to sync it.
        if (errno != EACCES) {
            throw write_error(path, errno);
        }
    }
}

} // namespace texelscope
