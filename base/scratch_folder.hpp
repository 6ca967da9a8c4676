#pragma once

#include "base/layers.hpp"

#include <string>

namespace texelscope::base {

/// A new folder that goes away with its owner, and all that is in it. Its name ends in six
/// characters that nobody can guess; only this user can enter it (mkdtemp).
class ScratchFolder {
public:
    /// Its path is `prefix`, made absolute, a hyphen and those characters. Throws bad_input where
    /// it cannot be made.
    explicit ScratchFolder(const std::string& prefix);
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

/// The path of a name in the folder for temporary files: TMPDIR, or /tmp. Throws bad_input where
/// there is no such folder.
[[nodiscard]] std::string temporary_path(const std::string& name);

} // namespace texelscope::base
