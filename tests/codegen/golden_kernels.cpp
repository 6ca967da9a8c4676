// Writes the golden kernels into the folder that is its argument: `cmake --build --preset dev
// --target golden_kernels`. The difference is then reviewed like any other.

#include "tests/codegen/golden.hpp"

#include <cstdio>
#include <exception>
#include <fstream>
#include <string>

using namespace texelscope;

int main(int argc, char** argv)
{
    if (argc != 2) {
        std::fputs("usage: write_golden_kernels FOLDER\n", stderr);
        return 2;
    }
    try {
        for (const auto& kernel : texelscope::test::golden_kernels(argv[1])) {
            std::ofstream(std::string(argv[1]) + "/" + kernel.name + ".cl") << kernel.text;
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "write_golden_kernels: %s\n", error.what());
        return 2;
    }
    return 0;
}
