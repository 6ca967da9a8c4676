#include "base/error.hpp"

#include <catch2/catch.hpp>

using texelscope::base::bad_input;
using texelscope::base::Error;
using texelscope::base::missing;

TEST_CASE("an error says where, what and the remedy on one line")
{
    CHECK(std::string(bad_input("7 is too many", "a.csv:3", "use 6").what()) ==
          "a.csv:3: 7 is too many; use 6");
    CHECK(std::string(bad_input("7 is too many").what()) == "7 is too many");
    CHECK(std::string(bad_input("7 is too many", "a.csv:3").what()) == "a.csv:3: 7 is too many");
    CHECK(std::string(missing("no device", "", "install one").what()) == "no device; install one");
    CHECK(bad_input("x").kind() == Error::Kind::bad_input);
    CHECK(missing("x").kind() == Error::Kind::missing);
}
