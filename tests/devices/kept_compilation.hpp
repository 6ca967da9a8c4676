#pragma once

#include "base/file_bytes.hpp"
#include "base/sha256.hpp"
#include "codegen/nest/kernel_launch.hpp"
#include "devices/compilers/compiler_resources.hpp"
#include "tests/base/temporary_folder.hpp"

#include <filesystem>
#include <fstream>
#include <string>

namespace texelscope::test {

/// What a compiler printed about a kernel, as tests/data/compilers has it.
inline std::string printed_by_compiler(const std::string& name)
{
    return std::string(
        base::map_file(TEXELSCOPE_SOURCE "/tests/data/compilers/" + name + ".txt")->view());
}

/// Makes `folder` one of a compiler for Adreno that has compiled `text` for the Adreno 740 before,
/// by these options and with this output. It has nothing else: whatever is not kept cannot be
/// compiled.
inline void keep_compilation(const std::string& folder, const std::string& text,
                             const std::string& output,
                             const std::string& options = codegen::kernel_build_options)
{
    namespace fs = std::filesystem;
    const auto write = [](const fs::path& file, const std::string& content) {
        fs::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary) << content;
    };
    write(fs::path(folder) / "amd64/kit/bytes", "1\n");
    write(fs::path(folder) / "amd64/kit/version", "26.1.6\n");
    write(fs::path(folder) / "amd64/kit/source", base::sha256(devices::build_kernel_c()));
    const std::string question = "adreno\n740\n26.1.6\n\n" + options + "\n" + text;
    write(fs::path(folder) / "results" / (base::sha256(question) + ".txt"), output);
}

} // namespace texelscope::test
