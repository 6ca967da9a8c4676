#include "tests/cli/killed_program.hpp"
#include "tests/cli/program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>

using namespace texelscope::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

Words sweep(const std::string& store, const Words& more = {})
{
    Words words{
        "sweep",    store,        "--op",     "matmul 24,20,12", "--op",  "dwconv2d 1,8,8,8,3,3,1",
        "--device", "adreno-640", "--device", "mali-g77",        "--json"};
    if (std::find(more.begin(), more.end(), "--budget") == more.end()) {
        words = words + Words{"--budget", "6"};
    }
    return words + more;
}

/// So many that it is killed before it has judged them.
const Words many{"--budget", "150"};

/// Where there is no MPI, that is said.
bool has_mpi()
{
    const bool found = TEXELSCOPE_HAS_MPI != 0 && run_words({"mpirun", "--version"}).exit_code == 0;
    if (!found) {
        WARN("not tested: there is no MPI");
    }
    return found;
}

/// The program over three ranks; `env` lets root start them.
const Words ranks{"env",
                  "OMPI_ALLOW_RUN_AS_ROOT=1",
                  "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                  "OMPI_MCA_btl=self,vader",
                  "mpirun",
                  "--oversubscribe",
                  "-n",
                  "3",
                  TEXELSCOPE_PROGRAM};

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
    CHECK(one["judged"].get<int>() + one["illegal"].get<int>() == one["tasks"].get<int>());
    CHECK(one["illegal"] == 1); // a split whose work-groups are too large for a core
    CHECK(one["from_store"] == 0);

    const json again = swept(folder.file("one.sqlite"));
    CHECK(again["judged"] == 0);
    CHECK(again["from_store"] == one["judged"]);
    CHECK(again["digest"] == one["digest"]);

    CHECK(swept(folder.file("two.sqlite"), {"--jobs", "2"})["digest"] == one["digest"]);
    CHECK(swept(folder.file("three.sqlite"), {"--seed", "2"})["digest"] != one["digest"]);
    CHECK(swept(folder.file("four.sqlite"), {"--choose", "shortlist"})["digest"] != one["digest"]);
}

TEST_CASE("A sweep goes on from what a shorter one left")
{
    const TemporaryFolder folder;
    const std::string store = folder.file("results.sqlite");
    CHECK(swept(store, {})["judged"] == 23); // and one is illegal
    const ProgramResult more = run_program({"sweep", store, "--op", "matmul 24,20,12", "--device",
                                            "adreno-640", "--budget", "10", "--json"});
    REQUIRE(more.exit_code == 0);
    CHECK(json::parse(more.output)["from_store"] == 6);
    CHECK(json::parse(more.output)["judged"] == 4);
}

TEST_CASE("A sweep over MPI gives what one process gives")
{
    if (!has_mpi()) {
        return;
    }
    const TemporaryFolder folder;
    const json one = swept(folder.file("one.sqlite"));
    const ProgramResult result = run_words(ranks + sweep(folder.file("two.sqlite")));
    INFO(result.errors);
    REQUIRE(result.exit_code == 0);
    const json two = json::parse(result.output);
    CHECK(two["digest"] == one["digest"]);
    CHECK(two["judged"] == one["judged"]);
}

TEST_CASE("A sweep that is killed goes on from its store, and judges nothing twice")
{
    const TemporaryFolder folder;
    const std::string store = folder.file("killed.sqlite");
    const json whole = swept(folder.file("whole.sqlite"), many);
    const auto begun = [&] { return rows_of_store(store) >= 5; };
    REQUIRE(kill_when(Words{TEXELSCOPE_PROGRAM} + sweep(store, many), begun));
    const int kept = rows_of_store(store);
    REQUIRE(kept >= 5);
    REQUIRE(kept < whole["tasks"]);
    const json rest = swept(store, many);
    CHECK(rest["from_store"] == kept);
    CHECK(rest["judged"] == whole["judged"].get<int>() - kept);
    CHECK(rest["digest"] == whole["digest"]);
}

TEST_CASE("A sweep that loses a rank goes on from its store")
{
    if (!has_mpi()) {
        return;
    }
    const TemporaryFolder folder;
    const std::string store = folder.file("lost.sqlite");
    const json whole = swept(folder.file("whole.sqlite"), many);
    // env has become mpirun, whose children are the ranks in their order.
    const auto last_rank = [](pid_t mpirun) {
        const std::vector<pid_t> ranks_of = children_of(mpirun);
        REQUIRE(ranks_of.size() == 3);
        return ranks_of.back();
    };
    REQUIRE(kill_when(
        ranks + sweep(store, many), [&] { return rows_of_store(store) >= 5; }, last_rank));
    const int kept = rows_of_store(store);
    REQUIRE(kept >= 5);
    const json rest = swept(store, many);
    CHECK(rest["from_store"] == kept);
    CHECK(rest["digest"] == whole["digest"]);
    CHECK(rows_of_store(store) == whole["judged"]);
}

TEST_CASE("A sweep on a device keeps what its runs took, by an agent too")
{
    const TemporaryFolder folder;
    const Words words{"sweep",     folder.file("a.sqlite"),
                      "--op",      "matmul 12,8,20",
                      "--op",      "softmax 6,10",
                      "--on",      "agent:",
                      "--samples", "2",
                      "--budget",  "3",
                      "--json"};
    const auto run = [&] {
        const ProgramResult result = run_program(words);
        INFO(result.errors);
        REQUIRE(result.exit_code == 0);
        return json::parse(result.output);
    };
    const json first = run();
    CHECK(first["judge"] == "device");
    CHECK(first["tasks"] == 6);
    CHECK(first["judged"] == 6);
    const json again = run();
    CHECK(again["judged"] == 0);
    CHECK(again["from_store"] == 6);
    CHECK(again["digest"] == first["digest"]);
    const json rows =
        json::parse(run_program({"results", "list", folder.file("a.sqlite"), "--json"}).output);
    CHECK(rows.dump().find("\"device\"") != std::string::npos);
    CHECK(rows.dump().find("\"simulator\"") == std::string::npos);
    const auto refused = [&](const Words& more, const std::string& what) {
        const ProgramResult result = run_program(words + more);
        CHECK(result.exit_code == 2);
        CHECK_THAT(result.errors, Contains(what));
    };
    refused({"--jobs", "2"}, "--jobs does not apply");
    refused({"--sample", "2"}, "--sample does not apply");
    refused({"--device", "adreno-640", "--device", "mali-g77"}, "--device names several profiles");
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
    refused({"sweep", folder.file("a.sqlite"), "--op", "matmul 8,8,8", "--choose", "best"},
            "--choose");
    const Words threads{"sweep", folder.file("a.sqlite"), "--op", "matmul 8,8,8", "--jobs", "2"};
    const std::string line =
        "texelscope: --jobs does not apply under mpirun, whose ranks judge; leave it out\n";
    for (const char* rank : {"0", "1"}) { // as mpirun starts them
        for (const std::string name : {"OMPI_COMM_WORLD", "PMI"}) {
            const ProgramResult result =
                run_program(threads, name + "_SIZE=2 " + name + "_RANK=" + rank);
            CHECK(result.exit_code == 2);
            CHECK(result.errors == (std::string(rank) == "0" ? line : ""));
        }
    }
    refused({"sweep", folder.file("no/folder.sqlite"), "--op", "matmul 8,8,8"}, "no/folder.sqlite");
}

TEST_CASE("a sweep takes formulas beside built-in operators, and finds their answers again")
{
    const TemporaryFolder folder;
    const Words command{"sweep",    folder.file("store.sqlite"),
                        "--op",     "C[m,n] = sum(k) A[m,k] * B[k,n] m=24,n=20,k=12",
                        "--op",     "matmul 24,20,12",
                        "--device", "adreno-640",
                        "--budget", "4"};
    CHECK_THAT(run_program(command).output, Contains("8 configurations (2 operators"));
    CHECK_THAT(run_program(command).output, Contains("8 from the store"));
}
