// The reference names every key that a user can set.

#include "codegen/nest/schedule_parts.hpp"
#include "devices/profile/device_profile.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <iterator>

using namespace texelscope::devices;

TEST_CASE("docs/reference/simulator.md lists every key with its unit and meaning")
{
    std::ifstream file(TEXELSCOPE_SOURCE "/docs/reference/simulator.md");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    REQUIRE_FALSE(text.empty());
    for (const Setting& key : profile_keys()) {
        CAPTURE(key.key);
        CHECK(text.find("| `" + key.key + "` | " + key.unit + " | " + key.about + " |") !=
              std::string::npos);
    }
}

TEST_CASE("docs/reference/configurations.md lists every part of a schedule")
{
    std::ifstream file(TEXELSCOPE_SOURCE "/docs/reference/configurations.md");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (const SchedulePart& part : schedule_parts()) {
        CAPTURE(part.key);
        CHECK(text.find(std::string("\n| `") + part.key + "=") != std::string::npos);
    }
}
