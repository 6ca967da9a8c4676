#pragma once

#include <catch2/catch.hpp>
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace texelscope::test {

/// A shared library compiled from C text, and its functions.
class CompiledC {
public:
    explicit CompiledC(const std::string& text)
    {
        std::string folder = (std::filesystem::temp_directory_path() / "texelscope-c-XXXXXX").string();
        REQUIRE(mkdtemp(folder.data()) != nullptr);
        folder_ = folder;
        std::ofstream(folder_ / "text.c") << text;
        const std::string command =
            fmt::format("'{}' -std=c99 -pedantic -Wall -Wextra -Werror -shared -fPIC '{}' -o '{}' -lm",
                        TEXELSCOPE_C_COMPILER, (folder_ / "text.c").string(), (folder_ / "text.so").string());
        REQUIRE(std::system(command.c_str()) == 0); // NOLINT: compilers are programs
        library_ = dlopen((folder_ / "text.so").c_str(), RTLD_NOW);
        REQUIRE(library_ != nullptr);
    }
    ~CompiledC()
    {
        if (library_ != nullptr) {
            dlclose(library_);
        }
        std::filesystem::remove_all(folder_);
    }
    CompiledC(const CompiledC&) = delete;
    CompiledC& operator=(const CompiledC&) = delete;

    template <class Function>
    [[nodiscard]] Function function(const std::string& name) const
    {
        void* const symbol = dlsym(library_, name.c_str());
        REQUIRE(symbol != nullptr);
        return reinterpret_cast<Function>(symbol); // NOLINT: what dlsym is for
    }

private:
    std::filesystem::path folder_;
    void* library_ = nullptr;
};

} // namespace texelscope::test
