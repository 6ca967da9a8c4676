#pragma once

#include "base/scratch_folder.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace texelscope::test {

/// A folder of its own that goes away with it.
class TemporaryFolder : public base::ScratchFolder {
public:
    TemporaryFolder() : ScratchFolder(base::temporary_path("texelscope-test")) {}

    /// Writes a file of that name; returns its path.
    [[nodiscard]] std::string write(const std::string& name, const std::string& text) const
    {
        std::ofstream(file(name), std::ios::binary) << text;
        return file(name);
    }
    /// Names of what is in it, ascending.
    [[nodiscard]] std::vector<std::string> entries() const
    {
        std::vector<std::string> names;
        for (const std::filesystem::directory_entry& entry :
             std::filesystem::directory_iterator(path())) {
            names.push_back(entry.path().filename().string());
        }
        std::sort(names.begin(), names.end());
        return names;
    }
    [[nodiscard]] std::size_t files() const { return entries().size(); }
};

} // namespace texelscope::test
