// Text of others on a terminal.

#include "base/control_characters.hpp"
#include "base/error.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace texelscope::base;

TEST_CASE("control characters are found and replaced, ASCII's and Latin-1's")
{
    for (const char* plain :
         {"", "conv_1/x:0", "\u00B5s \u03C4 \u00E9\u00A0\u00BF", "\U0001F600"}) {
        CHECK_FALSE(has_controls(plain));
        CHECK(without_controls(plain) == plain);
    }
    CHECK(has_controls("a\nb"));
    CHECK(has_controls("a\tb"));
    CHECK(has_controls("\x7F"));
    CHECK(has_controls("\u009B31m"));
    CHECK(has_controls(std::string(1, '\0')));
    CHECK(without_controls("\x1b[2Ja\u009Bb\x7F") == "\uFFFD[2Ja\uFFFDb\uFFFD");
    CHECK(without_controls("a\tb\r\nc\rd\n") == "a\tb\r\nc\uFFFDd\n");
    CHECK(without_controls("\xC2") == "\xC2");
}

TEST_CASE("an error's line has no control characters, wherever its text comes from")
{
    CHECK(std::string(bad_input("no '\x1b]0;x\x07'", "f\x1b").what()) ==
          "f\uFFFD: no '\uFFFD]0;x\uFFFD'");
    CHECK(std::string(missing("a\rb").what()) == "a\uFFFDb");
}
