#include "base/program_folder.hpp"

#include <dlfcn.h>

#include <filesystem>

namespace texelscope::base {

std::string program_folder()
{
    namespace fs = std::filesystem;
    const fs::path running = fs::read_symlink("/proc/self/exe");
    Dl_info code{};
    std::error_code none;
    // Of the running program the name is as it was called by, which may be no path.
    const bool loaded = dladdr(reinterpret_cast<const void*>(&program_folder), &code) != 0 &&
                        code.dli_fname != nullptr && fs::path(code.dli_fname).has_parent_path() &&
                        fs::exists(code.dli_fname, none) && !fs::equivalent(code.dli_fname, running, none);
    return loaded ? (fs::canonical(code.dli_fname).parent_path() / "bin").string() : running.parent_path().string();
}

} // namespace texelscope::base
