#include "base/child_process.hpp"
#include "tests/base/temporary_folder.hpp"

#include <catch2/catch.hpp>

#include <csignal>
#include <fstream>
#include <string>

using namespace texelscope::base;
using texelscope::test::TemporaryFolder;

TEST_CASE("a program runs to its end, or to its limit of time")
{
    const ProcessOutcome whole = run_process({"sh", "-c", "echo one; echo two >&2; exit 3"});
    CHECK(whole.exit_code == 3);
    CHECK(whole.output == "one\ntwo\n");
    CHECK_FALSE(whole.timed_out);
    const ProcessOutcome slow = run_process({"sh", "-c", "echo begun; exec sleep 600"}, 0.5);
    CHECK(slow.timed_out);
    CHECK(slow.exit_code == -1);
    CHECK(slow.output == "begun\n");
    // With somebody to ask, and nobody who wants it to stop.
    CHECK(run_process({"sh", "-c", "sleep 0.3; echo end"}, 0, [] { return false; }).output ==
          "end\n");
}

TEST_CASE("a program that is stopped is gone")
{
    const TemporaryFolder folder;
    const std::string file = folder.file("process");
    const auto process = [&] {
        pid_t number = 0;
        std::ifstream(file) >> number;
        return number;
    };
    CHECK_THROWS_AS(run_process({"sh", "-c", "echo $$ > " + file + "; exec sleep 600"}, 0,
                                [&] { return process() > 0; }),
                    Interrupted);
    REQUIRE(process() > 0);
    CHECK(kill(process(), 0) != 0);
}
