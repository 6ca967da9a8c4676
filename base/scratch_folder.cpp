#include "base/scratch_folder.hpp"

#include "base/error.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace texelscope::base {

namespace fs = std::filesystem;

ScratchFolder::ScratchFolder(const std::string& prefix)
{
    std::error_code error;
    std::string name = fs::absolute(prefix, error).string() + "-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) {
        throw bad_input("no folder can be made there: " + std::generic_category().message(errno),
                        prefix, "free space, or see to the permissions of its folder");
    }
    path_ = name;
}

ScratchFolder::~ScratchFolder()
{
    std::error_code error;
    fs::remove_all(path_, error);
    if (error) { // a disk may fail once
        fs::remove_all(path_, error);
    }
}

std::string temporary_path(const std::string& name)
{
    std::error_code error;
    const fs::path folder = fs::temp_directory_path(error);
    if (error) {
        throw bad_input("there is no folder for temporary files", {}, "set TMPDIR");
    }
    return (folder / name).string();
}

} // namespace texelscope::base
