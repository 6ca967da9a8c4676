#include "tests/codegen/golden.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

using namespace texelscope;

TEST_CASE("The texts of the golden kernels are the ones that were reviewed")
{
    const std::string folder = TEXELSCOPE_GOLDEN_FOLDER;
    std::set<std::string> names{"configurations.txt"};
    for (const test::GoldenKernel& kernel : test::golden_kernels(folder)) {
        std::ifstream file(folder + "/" + kernel.name + ".cl");
        std::stringstream kept;
        kept << file.rdbuf();
        INFO(kernel.name
             << ": if the change is meant, run cmake --build --preset dev --target golden_kernels");
        CHECK(kept.str() == kernel.text);
        names.insert(kernel.name + ".cl");
    }
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        // no kernel without a configuration
        CHECK(names.contains(entry.path().filename().string()));
    }
}
