#include "base/error.hpp"
#include "base/scratch_folder.hpp"
#include "tests/base/temporary_folder.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>

using namespace texelscope::base;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

TEST_CASE("a scratch folder is new, for its owner alone, and goes away with what is in it")
{
    const texelscope::test::TemporaryFolder outside;
    std::string path;
    {
        const ScratchFolder one(outside.file("it"));
        const ScratchFolder other(outside.file("it"));
        CHECK(one.path() != other.path());
        CHECK_THAT(one.path(), Catch::Matchers::StartsWith(outside.file("it-")));
        CHECK(fs::status(one.path()).permissions() == fs::perms::owner_all);
        fs::create_directories(one.file("a/b"));
        std::ofstream(one.file("a/b/file")) << "text";
        path = one.path();
        CHECK(fs::exists(path + "/a/b/file"));
    }
    CHECK_FALSE(fs::exists(path));
    CHECK(outside.files() == 0);
    CHECK_THROWS_WITH(ScratchFolder(outside.file("none/it")),
                      Contains("no folder can be made there: No such file"));
}
