#pragma once

#include "tests/base/temporary_folder.hpp"

#include <catch2/catch.hpp>
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string>

namespace texelscope::test {

/// A shared library compiled from C text, and its functions.
class CompiledC {
public:
    explicit CompiledC(const std::string& text)
    {
        const std::string source = folder_.write("text.c", text);
        const std::string library = folder_.file("text.so");
        const std::string command = fmt::format(
            "'{}' -std=c99 -pedantic -Wall -Wextra -Werror -shared -fPIC '{}' -o '{}' -lm",
            TEXELSCOPE_C_COMPILER, source, library);
        REQUIRE(std::system(command.c_str()) == 0); // NOLINT: compilers are programs
        library_ = dlopen(library.c_str(), RTLD_NOW);
        REQUIRE(library_ != nullptr);
    }
    ~CompiledC()
    {
        if (library_ != nullptr) {
            dlclose(library_);
        }
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
    TemporaryFolder folder_;
    void* library_ = nullptr;
};

} // namespace texelscope::test
