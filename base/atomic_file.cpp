#include "base/atomic_file.hpp"

#include "base/error.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

namespace texelscope::base {
namespace {

namespace fs = std::filesystem;

const char* write_remedy(int code)
{
    switch (code) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return "make room there, or give another folder";
    case EIO:
        return "check the disk, or give another folder";
    case ENOENT:
    case ENOTDIR:
    case EISDIR:
    case ENAMETOOLONG:
        return "give another name, in a folder that is there";
    default:
        return "check the permissions of file and folder, or give another folder";
    }
}

Error write_error(const std::string& path, int code)
{
    // std::strerror is not safe to call from several threads; this says the same.
    return bad_input(
        fmt::format("cannot write the file: {}", std::generic_category().message(code)), path,
        write_remedy(code));
}

/// Calls again what a signal has interrupted.
template <class Call>
auto uninterrupted(Call call)
{
    auto result = call();
    while (result < 0 && errno == EINTR) {
        result = call();
    }
    return result;
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
        return result == 0 || errno == EINTR ? 0 : errno; // Linux has closed it then, too
    }

private:
    int number_;
};

int sync_file(const Descriptor& file)
{
    return uninterrupted([&] { return ::fsync(file.number()); });
}

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

/// Another name of an open file.
std::string path_of(int descriptor)
{
    return fmt::format("/proc/self/fd/{}", descriptor);
}

/// 0 or the error.
int write_all(int descriptor, std::string_view bytes)
{
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t count = uninterrupted(
            [&] { return ::write(descriptor, bytes.data() + done, bytes.size() - done); });
        if (count < 0) {
            return errno;
        }
        done += static_cast<std::size_t>(count);
    }
    return 0;
}

/// A file without a name, which goes away with the process however that ends; -1 where the file
/// system has none.
int create_unnamed(const fs::path& folder)
{
    const int descriptor = uninterrupted(
        [&] { return ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666); });
    // Without /proc the file could not get a name later.
    if (descriptor >= 0 && ::access(path_of(descriptor).c_str(), F_OK) != 0) {
        ::close(descriptor);
        return -1;
    }
    return descriptor;
}

/// Calls `create` with names in `folder` until there is one that nobody else has, and returns that.
/// `create` returns whether it succeeded and sets errno.
template <class Create>
std::string with_unique_name(const std::string& shown_path, const fs::path& folder, Create create)
{
    // The name says nothing of the file's own, which may be as long as a name can be.
    for (int attempt = 0;; ++attempt) {
        std::string path =
            (folder / fmt::format(".texelscope-{}-{}.tmp", ::getpid(), attempt)).string();
        if (create(path.c_str())) {
            return path;
        }
        if (errno != EEXIST || attempt == 10000) {
            throw write_error(shown_path, errno);
        }
    }
}

} // namespace

class AtomicFile::Implementation {
public:
    explicit Implementation(std::string path) : path_(std::move(path))
    {
        if (path_.empty()) {
            throw bad_input("cannot write a file without a name");
        }
        target_ = path_;
        std::optional<mode_t> old_mode;
        struct stat old {};
        if (::stat(path_.c_str(), &old) == 0) {
            if (S_ISDIR(old.st_mode)) {
                throw write_error(path_, EISDIR);
            }
            if (!S_ISREG(old.st_mode)) {
                file_.emplace(
                    uninterrupted([&] { return ::open(path_.c_str(), O_WRONLY | O_CLOEXEC); }));
                if (file_->number() < 0) {
                    throw write_error(path_, errno);
                }
                return;
            }
            // A symbolic link stays: the file that it points to is replaced.
            std::error_code error;
            target_ = fs::canonical(path_, error);
            if (error) {
                throw write_error(path_, error.value());
            }
            old_mode = old.st_mode & 07777U;
        }
        folder_ = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
        is_replacement_ = true;
        int descriptor = create_unnamed(folder_);
        if (descriptor < 0) {
            temporary_.emplace(with_unique_name(path_, folder_, [&](const char* name) {
                descriptor = uninterrupted(
                    [&] { return ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); });
                return descriptor >= 0;
            }));
        }
        file_.emplace(descriptor);
        if (old_mode && ::fchmod(file_->number(), *old_mode) != 0) {
            throw write_error(path_, errno);
        }
    }

    void write(std::string_view bytes)
    {
        if (const int error = write_all(file_->number(), bytes); error != 0) {
            throw write_error(path_, error);
        }
        written_ += static_cast<std::int64_t>(bytes.size());
    }

    [[nodiscard]] std::int64_t written() const { return written_; }

    void commit()
    {
        if (is_replacement_ && sync_file(*file_) != 0) {
            throw write_error(path_, errno);
        }
        // Only a file with a name can take the place of another one, so one without gets a
        // temporary name first.
        if (is_replacement_ && !temporary_) {
            temporary_.emplace(with_unique_name(path_, folder_, [&](const char* name) {
                return ::linkat(AT_FDCWD, path_of(file_->number()).c_str(), AT_FDCWD, name,
                                AT_SYMLINK_FOLLOW) == 0;
            }));
        }
        if (const int error = file_->close(); error != 0) {
            throw write_error(path_, error);
        }
        if (!is_replacement_) {
            return;
        }
        if (::rename(temporary_->path().c_str(), target_.c_str()) != 0) {
            throw write_error(path_, errno);
        }
        temporary_->renamed();

        // The new name itself is on the disk only when the folder is. Some file systems have no
        // sync for folders (EINVAL).
        const Descriptor parent(uninterrupted(
            [&] { return ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
        if (parent.number() < 0 || (sync_file(parent) != 0 && errno != EINVAL)) {
            // A folder may be writable without being readable: then there is no way to sync it.
            if (errno != EACCES) {
                throw write_error(path_, errno);
            }
        }
    }

private:
    std::string path_;
    fs::path target_;
    fs::path folder_;
    bool is_replacement_ = false;        ///< false where the file is no regular one
    std::optional<Temporary> temporary_; ///< nothing while the file has no name
    std::optional<Descriptor> file_;
    std::int64_t written_ = 0;
};

AtomicFile::AtomicFile(std::string path)
    : implementation_(std::make_unique<Implementation>(std::move(path)))
{}
AtomicFile::~AtomicFile() = default;

void AtomicFile::write(std::string_view bytes)
{
    implementation_->write(bytes);
}

std::int64_t AtomicFile::written() const
{
    return implementation_->written();
}

void AtomicFile::commit()
{
    implementation_->commit();
}

void write_file_atomically(const std::string& path, const std::string& bytes)
{
    AtomicFile file(path);
    file.write(bytes);
    file.commit();
}

void check_writable(const std::string& path)
{
    struct stat old {};
    if (::stat(path.c_str(), &old) == 0 && !S_ISREG(old.st_mode) && !S_ISDIR(old.st_mode)) {
        return; // a pipe would take what is opened for its input
    }
    const AtomicFile dropped(path);
}

} // namespace texelscope::base
