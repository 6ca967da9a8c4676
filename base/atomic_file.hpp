#pragma once

#include "base/layers.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace texelscope::base {

/// Replaces the file at `path` by what is written: written to a file without a name in the same
/// folder (a temporary name where the file system has no such files), synced, renamed, and the
/// folder synced, all in commit(). An interrupted or failed write leaves the old file; a failed
/// one, and one without commit(), leave no temporary file either. The new file has the permissions
/// of the old one. A symbolic link stays, and the file that it names is replaced. What is no
/// regular file (/dev/stdout, a pipe) cannot be replaced and is written as it is. "-" is not
/// special. Everything throws bad_input, naming path and reason.
class AtomicFile {
public:
    explicit AtomicFile(std::string path);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    void write(std::string_view bytes);
    [[nodiscard]] std::int64_t written() const; ///< bytes so far
    void commit();

private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

/// Replaces a file by these bytes, as AtomicFile does.
void write_file_atomically(const std::string& path, const std::string& bytes);

/// Throws what write_file_atomically() would throw where no file can be created in the folder of
/// `path`. Call it before the work for the file's contents begins.
void check_writable(const std::string& path);

} // namespace texelscope::base
