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
int write_all(int descriptor, std::string_view bytes)
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
                file_.emplace(::open(path_.c_str(), O_WRONLY | O_CLOEXEC));
                if (file_->number() < 0) {
                    throw write_error(path_, errno);
                }
                return;
            }
            std::error_code error;
            target_ = fs::canonical(path_, error);
            if (error) {
                throw write_error(path_, error.value());
            }
            old_mode = old.st_mode & 07777U;
        }
        folder_ = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
        const Created created = create_unique(path_, folder_);
        temporary_.emplace(created.path);
        file_.emplace(created.descriptor);
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
        if (temporary_ && ::fsync(file_->number()) != 0) {
            throw write_error(path_, errno);
        }
        if (const int error = file_->close(); error != 0) {
            throw write_error(path_, error);
        }
        if (!temporary_) {
            return;
        }
        if (::rename(temporary_->path().c_str(), target_.c_str()) != 0) {
            throw write_error(path_, errno);
        }
        temporary_->renamed();

        // The new name itself is on the disk only when the folder is. Some file systems have no sync for folders
        // (EINVAL).
        const Descriptor parent(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (parent.number() < 0 || (::fsync(parent.number()) != 0 && errno != EINVAL)) {
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
    std::optional<Temporary> temporary_; ///< nothing where the file is no regular one
    std::optional<Descriptor> file_;
    std::int64_t written_ = 0;
};

AtomicFile::AtomicFile(std::string path) : implementation_(std::make_unique<Implementation>(std::move(path))) {}
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

} // namespace texelscope
