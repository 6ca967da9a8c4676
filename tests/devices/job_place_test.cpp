#include "base/error.hpp"
#include "devices/runners/job_runner.hpp"

#include <catch2/catch.hpp>

using namespace texelscope::devices;
using Kind = JobPlace::Kind;

TEST_CASE("places of jobs are read and written")
{
    struct Case {
        const char* text;
        Kind kind;
        const char* address;
        const char* device;
    };
    for (const auto& [text, kind, address, device] :
         {Case{"pocl", Kind::here, "", "pocl"}, Case{"0", Kind::here, "", "0"},
          Case{"", Kind::here, "", ""}, Case{"agent:", Kind::agent, "", ""},
          Case{"agent:pocl/x", Kind::agent, "", "pocl/x"}, Case{"adb:", Kind::adb, "", ""},
          Case{"adb:/pocl", Kind::adb, "", "pocl"},
          Case{"adb:R58M12ABCDE", Kind::adb, "R58M12ABCDE", ""},
          Case{"adb:192.168.1.5:5555/1", Kind::adb, "192.168.1.5:5555", "1"},
          Case{"adb:emulator-5554/Adreno (TM) 740", Kind::adb, "emulator-5554", "Adreno (TM) 740"},
          Case{"ssh:me@board.local", Kind::ssh, "me@board.local", ""},
          Case{"ssh:board/mali", Kind::ssh, "board", "mali"}}) {
        INFO(text);
        const JobPlace place = parse_job_place(text);
        CHECK(place.kind == kind);
        CHECK(place.address == address);
        CHECK(place.device == device);
        CHECK(to_string(place) == text);
    }
}

TEST_CASE("an address that is none, or that a tool could take for an option, is bad input")
{
    for (const char* text : {"ssh:", "ssh:/0", "ssh:-oProxyCommand=x", "adb:-a", "ssh:host name",
                             "ssh:a;b", "adb:$(x)", "ssh:a'b"}) {
        INFO(text);
        CHECK_THROWS_AS(parse_job_place(text), Error);
    }
}
