// Files of OpenCL C with what they include, against the C preprocessor.

#include "base/child_process.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "devices/compilers/program_text.hpp"
#include "tests/base/temporary_folder.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

using Catch::Matchers::Contains;
using texelscope::devices::program_options;
using texelscope::devices::program_text;
using texelscope::test::TemporaryFolder;

namespace {

void put(const std::string& path, const std::string& text)
{
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << text;
}

/// What the preprocessor makes of a file, without blank lines: it leaves some of its own.
std::string preprocessed(const std::string& path, const std::vector<std::string>& folders)
{
    std::vector<std::string> words{"cpp", "-P", "-nostdinc"};
    for (const std::string& folder : folders) {
        words.insert(words.end(), {"-I", folder});
    }
    words.push_back(path);
    const auto outcome = texelscope::base::run_process(words, 60);
    INFO(outcome.output);
    REQUIRE(outcome.exit_code == 0);
    std::istringstream in(outcome.output);
    std::string lines;
    for (std::string line; std::getline(in, line);) {
        lines += line.find_first_not_of(' ') == std::string::npos ? "" : line + "\n";
    }
    return lines;
}

/// A tree of files that include each other at random: guarded by names, by "once", or not at all
/// (those include only what is below them); under conditions, in comments, twice.
std::string random_tree(const TemporaryFolder& folder, std::mt19937_64& random)
{
    const auto draw = [&](int most) {
        return static_cast<int>(
            texelscope::base::uniform_below(random, static_cast<std::uint64_t>(most) + 1));
    };
    const int files = 2 + draw(7);
    std::vector<int> guards;
    for (int i = 0; i < files; ++i) {
        guards.push_back(i == 0 ? 2 : draw(2));
    }
    const auto name = [&](int i) { return fmt::format("{}f{}.h", i % 3 == 2 ? "sub/" : "", i); };
    for (int i = 0; i < files; ++i) {
        std::string text = "// a comment in front\n";
        text += guards[static_cast<std::size_t>(i)] == 0 ? "#pragma once\n"
                : guards[static_cast<std::size_t>(i)] == 1
                    ? fmt::format("#ifndef F{0}\n# define F{0}\n", i)
                    : "";
        for (int line = 0, lines = draw(6); line < lines; ++line) {
            // What is below alone, unless all that is guarded may come again.
            const int other = guards[static_cast<std::size_t>(i)] == 2 ? i + 1 + draw(files - i)
                                                                       : draw(files - 1);
            const bool safe =
                other < files && (other > i || guards[static_cast<std::size_t>(other)] != 2);
            switch (draw(5)) {
            case 0:
                text += fmt::format("int line_{}_{} = __LINE__;\n", i, line);
                break;
            case 1:
                text += "/* #include \"nowhere.h\"\n#include \"nowhere.h\" */ int c;\n";
                break;
            case 2:
                text += "char *s = \"/*\"; // /*\n";
                break;
            case 3:
                text += "#if 0\n#include \"nowhere.h\"\n#endif\n";
                break;
            default:
                if (safe) {
                    text += draw(1) == 0 ? "#include \"" + name(other) + "\"\n"
                                         : "  #  include <" + name(other) + "> // x\n";
                }
            }
        }
        text += guards[static_cast<std::size_t>(i)] == 1 ? "#endif\n" : "";
        put(folder.file(name(i)), text);
    }
    return folder.file(name(0));
}

} // namespace

TEST_CASE("A program with its includes written in is what the preprocessor makes of its files")
{
    for (int seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(static_cast<std::uint64_t>(seed));
        const TemporaryFolder folder;
        const std::string path = random_tree(folder, random);
        const std::vector<std::string> folders{folder.file("."), folder.file("sub")};
        put(folder.file("whole/whole.c"), program_text(path, folders));
        // Where it is compiled there is no other file.
        CHECK(preprocessed(folder.file("whole/whole.c"), {}) == preprocessed(path, folders));
    }
}

TEST_CASE("Lines of a program keep the names of the user's files, and theirs numbers")
{
    const TemporaryFolder folder;
    put(folder.file("inc/part.h"), "int p;\n");
    put(folder.file("k.cl"), "int a;\n#include \"part.h\"\nint b;\n");
    const std::vector<std::string> folders{folder.file("inc")};
    const std::string at = folder.file("k.cl");
    CHECK(program_text(at, folders) ==
          fmt::format("#line 1 \"{0}\"\nint a;\n#line 1 \"{1}/part.h\"\nint p;\n#line 3 \"{0}\"\n"
                      "int b;\n",
                      at, folders[0]));
    // What is not there is the compiler's to say.
    CHECK_THAT(program_text(at, {}), Contains("#include \"part.h\"\nint b;"));
}

TEST_CASE("A program that cannot be read, is empty or includes itself without end is refused")
{
    const TemporaryFolder folder;
    CHECK_THROWS_WITH(program_text(folder.file("none.cl"), {}), Contains("cannot be read"));
    put(folder.file("empty.cl"), " \n\n");
    CHECK_THROWS_WITH(program_text(folder.file("empty.cl"), {}), Contains("holds nothing"));
    put(folder.file("own.cl"), "int a;\n#include \"own.cl\"\n");
    CHECK_THROWS_WITH(program_text(folder.file("own.cl"), {}), Contains("have no end"));
    // Doubles with each file.
    for (int i = 0; i < 40; ++i) {
        put(folder.file(fmt::format("b{}.h", i)),
            i == 39 ? "int a;\n"
                    : fmt::format("#include \"b{0}.h\"\n#include \"b{0}.h\"\n", i + 1));
    }
    CHECK_THROWS_WITH(program_text(folder.file("b0.h"), {}), Contains("more than 10000 files"));
}

TEST_CASE("Folders for includes are taken out of build options")
{
    const auto parted = program_options("-DA=1 -I inc  -I'my folder' -cl-mad-enable -D\"B=1 + 2\"");
    CHECK(parted.options == "-DA=1 -cl-mad-enable \"-DB=1 + 2\"");
    CHECK(parted.folders == std::vector<std::string>{"inc", "my folder"});
    CHECK_THROWS_WITH(program_options("-DA -I"), Contains("-I has no folder"));
    CHECK_THROWS_WITH(program_options("-D'A"), Contains("quote"));
}
