#pragma once

#include "base/child_process.hpp"
#include "devices/compilers/compiler_gpu.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace texelscope::devices {

/// Where the compiler of a family works, and how it is called there.
struct CompilerPlace {
    std::filesystem::path root; ///< in which it sees its files; empty: this system
    Words environment;          ///< "NAME=VALUE", without the GPU
    Words start;                ///< what runs texelscope-build-kernel in it
    std::string version;        ///< tells one compiler from another
    /// Folder in the root with the compiled built-in functions of each GPU; empty: they are not
    /// kept. They take Mali's compiler most of a minute.
    std::filesystem::path built_ins;
};

/// texelscope/compilers in the user's cache folder. Throws missing where there is none.
[[nodiscard]] std::string default_compilers_folder();

/// The compiler in the folder that setup_compilers.sh has filled, else that of this system; nothing
/// where there is none. `programs`: folder with texelscope-build-kernel.
[[nodiscard]] std::optional<CompilerPlace> compiler_place(CompilerFamily family,
                                                          const std::filesystem::path& folder,
                                                          const std::filesystem::path& programs);

} // namespace texelscope::devices
