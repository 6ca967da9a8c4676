#include "base/program_folder.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <optional>

namespace texelscope::base {
namespace {

namespace fs = std::filesystem;

fs::path running_program()
{
    return fs::read_symlink("/proc/self/exe");
}

/// The file that this code was loaded from into another program; nothing where it is part of the
/// program.
std::optional<fs::path> loaded_file()
{
    Dl_info code{};
    std::error_code none;
    // Of the running program the name is as it was called by, which may be no path.
    const bool loaded = dladdr(reinterpret_cast<const void*>(&program_folder), &code) != 0 &&
                        code.dli_fname != nullptr && fs::path(code.dli_fname).has_parent_path() &&
                        fs::exists(code.dli_fname, none) &&
                        !fs::equivalent(code.dli_fname, running_program(), none);
    return loaded ? std::optional(fs::canonical(code.dli_fname)) : std::nullopt;
}

} // namespace

std::string program_folder()
{
    const std::optional<fs::path> loaded = loaded_file();
    return loaded ? (loaded->parent_path() / "bin").string()
                  : running_program().parent_path().string();
}

std::string program_stamp()
{
    const fs::path file = loaded_file().value_or(running_program());
    std::error_code none;
    return file.string() + " " + std::to_string(fs::file_size(file, none)) + " " +
           std::to_string(fs::last_write_time(file, none).time_since_epoch().count());
}

} // namespace texelscope::base
