// Findings of probes as a profile: sources, layouts made of lines and sectors, what the base keeps.

#include "base/error.hpp"
#include "sim/layout/texel_layout.hpp"
#include "workbench/probes/profile/measured_profile.hpp"

#include <catch2/catch.hpp>

using namespace texelscope::workbench::probes;
using Catch::Matchers::Contains;

namespace {

TargetInfo device()
{
    TargetInfo info;
    info.name = "a GPU";
    info.driver = "1.2";
    info.compute_units = 7;
    info.max_work_group = 512;
    info.largest_image = {4096, 2048};
    info.clock_mhz = 850;
    return info;
}

std::vector<ProbeFinding> cache_findings()
{
    return {{"l1.line", 128, "B", "pairs"},
            {"l1.sector", 32, "B", "pairs"},
            {"l1.tag.width", 2, "texels", ""},
            {"l1.tag.height", 4, "texels", ""},
            {"l1.line.width", 1, "texels", ""},
            {"l1.line.height", 2, "texels", ""},
            {"l1.capacity", 52428800, "B", "a fit"},
            {"l1.ways", 4, "", "a fit"},
            {"bandwidth.lookups", 1.23456, "1/cycle", "two launches"},
            {"latency.l1", 121.77, "cycles", "a chase"},
            {"latency.l1.ns", 50, "ns", "no key of profiles"}};
}

} // namespace

TEST_CASE("findings become values with their source")
{
    const DeviceProfile profile =
        measured_profile({}, device(), cache_findings(), "probe on a GPU");
    CHECK(profile.simulation.machine.cores == 7);
    CHECK(profile.simulation.machine.timing.clock_mhz == 850);
    CHECK(profile.limits.work_group_size == 512);
    CHECK(profile.limits.image_width == 4096);
    CHECK(profile.limits.image_height == 2048);
    CHECK(profile.simulation.machine.l1().geometry.capacity.value == 52428800);
    CHECK(profile.values.at("l1.capacity").text == "52428800");
    CHECK(profile.values.at("l1.capacity").provenance == Provenance::measured);
    CHECK(profile.values.at("l1.capacity").source == "probe on a GPU: a fit");
    CHECK(profile.values.at("bandwidth.lookups").text == "1.235");
    CHECK(profile.simulation.machine.l1().latency.value == 122);
    CHECK(profile.values.at("cores").provenance == Provenance::datasheet);
    CHECK_FALSE(profile.values.contains("latency.l1.ns"));
    CHECK_FALSE(profile.values.contains("l2.capacity"));

    // It is a file that can be read.
    DeviceProfile named = profile;
    named.name = "measured";
    CHECK(parse_profile(to_xml(named), "measured.xml") == named);
}

TEST_CASE("texels of one sector and of one line lie together in the layout that is made of them")
{
    const DeviceProfile profile = measured_profile({}, device(), cache_findings(), "probe");
    CHECK(profile.values.at("layout").provenance == Provenance::inferred);
    const TexelLayout layout(profile.simulation.machine.layout, {64, 64}, Bytes{16});
    const auto line = [&](std::int32_t x, std::int32_t y, std::int64_t bytes) {
        return layout.offset({x, y}) / bytes;
    };
    for (std::int32_t y = 0; y < 64; ++y) {
        for (std::int32_t x = 0; x < 64; ++x) {
            CHECK(line(x, y, 32) == line(x, y / 2 * 2, 32));
            CHECK(line(x, y, 128) == line(x / 2 * 2, y / 4 * 4, 128));
        }
    }
}

TEST_CASE("a base keeps what nobody found, its layout among it")
{
    DeviceProfile base;
    set_value(base, "layout", {"4x4:morton,row", "", Provenance::identified, "walks"});
    set_value(base, "l2.capacity", {"65536", "B", Provenance::datasheet, "a table"});
    set_value(base, "l1.capacity", {"4096", "B", Provenance::assumed, "a guess"});
    const DeviceProfile profile = measured_profile(base, device(), cache_findings(), "probe");
    CHECK(profile.values.at("layout").text == "4x4:morton,row");
    CHECK(profile.values.at("l2.capacity").source == "a table");
    CHECK(profile.values.at("l1.capacity").text == "52428800");
}

TEST_CASE("findings that fit no cache make no profile")
{
    const std::vector<ProbeFinding> findings{{"l1.capacity", 100, "B", "a fit"},
                                             {"l1.line", 64, "B", "pairs"}};
    CHECK_THROWS_WITH(measured_profile({}, device(), findings, "probe"),
                      Contains("makes no profile"));
}
