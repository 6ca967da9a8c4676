#include "program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace texelscope::test;
using Catch::Matchers::Contains;
using nlohmann::json;
using Words = std::vector<std::string>;

namespace {

Words sweep(const std::string& store, const Words& more = {})
{
    Words words{"sweep",    store,        "--op",     "matmul 24,20,12", "--op",     "dwconv2d 1,8,8,8,3,3,1",
                "--device", "adreno-640", "--device", "mali-g77",        "--budget", "6",
                "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

json swept(const std::string& store, const Words& more = {})
{
    const ProgramResult result = run_program(sweep(store, more));
    INFO(result.errors);
    REQUIRE(result.exit_code == 0);
    return json::parse(result.output);
}

} // namespace

TEST_CASE("A sweep judges everything once, whoever works")
{
    const TemporaryFolder folder;
    const json one = swept(folder.file("one.sqlite"));
    CHECK(one["schema"] == "texelscope.sweep/1");
    CHECK(one["tasks"] == 2 * 2 * 6);
    CHECK(one["judged"] == one["tasks"]);
    CHECK(one["from_store"] == 0);

    const json again = swept(folder.file("one.sqlite"));
    CHECK(again["judged"] == 0);
    CHECK(again["from_store"] == again["tasks"]);
    CHECK(again["digest"] == one["digest"]);

    CHECK(swept(folder.file("two.sqlite"), {"--jobs", "2"})["digest"] == one["digest"]);
    CHECK(swept(folder.file("three.sqlite"), {"--seed", "2"})["digest"] != one["digest"]);
    CHECK(swept(folder.file("four.sqlite"), {"--choose", "shortlist"})["digest"] != one["digest"]);
}

TEST_CASE("A sweep goes on from what a shorter one left")
{
    const TemporaryFolder folder;
    const std::string store = folder.file("results.sqlite");
    CHECK(swept(store, {})["judged"] == 24);
    const ProgramResult more =
        run_program({"sweep", store, "--op", "matmul 24,20,12", "--device", "adreno-640", "--budget", "10", "--json"});
    REQUIRE(more.exit_code == 0);
    CHECK(json::parse(more.output)["from_store"] == 6);
    CHECK(json::parse(more.output)["judged"] == 4);
}

TEST_CASE("A sweep over MPI gives what one process gives")
{
    const ProgramResult version = run_words({"mpirun", "--version"});
    if (version.exit_code != 0 || TEXELSCOPE_HAS_MPI == 0) {
        WARN("not tested: there is no MPI");
        return;
    }
    const TemporaryFolder folder;
    const json one = swept(folder.file("one.sqlite"));
    Words words{"mpirun", "--oversubscribe", "-n", "3", TEXELSCOPE_PROGRAM};
    const Words arguments = sweep(folder.file("two.sqlite"));
    words.insert(words.end(), arguments.begin(), arguments.end());
    const ProgramResult ranks =
        run_words(words, "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader");
    INFO(ranks.errors);
    REQUIRE(ranks.exit_code == 0);
    const json two = json::parse(ranks.output);
    CHECK(two["digest"] == one["digest"]);
    CHECK(two["judged"] == one["judged"]);
}

TEST_CASE("A sweep says on one line what is wrong with it")
{
    const TemporaryFolder folder;
    const auto refused = [](const Words& words, const std::string& what) {
        const ProgramResult result = run_program(words);
        CHECK(result.exit_code == 2);
        CHECK_THAT(result.errors, Contains(what));
    };
    refused({"sweep", folder.file("a.sqlite"), "--op", "matmul"}, "\"matmul 64,64,64\"");
    refused({"sweep", folder.file("a.sqlite"), "--op", "matmul 1,2"}, "matmul");
    refused({"sweep", folder.file("a.sqlite"), "--op", "matmul 8,8,8", "--choose", "best"}, "--choose");
    const Words threads{"sweep", folder.file("a.sqlite"), "--op", "matmul 8,8,8", "--jobs", "2"};
    const std::string line = "texelscope: --jobs does not apply under mpirun, whose ranks judge; leave it out\n";
    for (const char* rank : {"0", "1"}) { // as mpirun starts them
        for (const std::string name : {"OMPI_COMM_WORLD", "PMI"}) {
            const ProgramResult result = run_program(threads, name + "_SIZE=2 " + name + "_RANK=" + rank);
            CHECK(result.exit_code == 2);
            CHECK(result.errors == (std::string(rank) == "0" ? line : ""));
        }
    }
    refused({"sweep", folder.file("no/folder.sqlite"), "--op", "matmul 8,8,8"}, "no/folder.sqlite");
}
