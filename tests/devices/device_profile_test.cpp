#include "base/error.hpp"
#include "devices/profile/device_profile.hpp"

#include <catch2/catch.hpp>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

using namespace texelscope::devices;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

const std::string good = R"(<device name="toy">
    <description>A device
        for tests.</description>
    <!-- comments may stand anywhere -->
    <value key="cores" from="measured" source="a query">3</value>
    <value key="l1.capacity" unit="B" from="assumed" source="because &lt;it&gt; &amp; &quot;that&quot;">2048</value>
    <value key="layout" from="driver" source="some
           driver">4x4:morton,row</value>
    <value key="latency.l1" unit="cycles" from="inferred" source="130.1 ns at 585 MHz">76</value>
    <value key="limits.image_width" unit="texels" from="datasheet" source="page 7">4096</value>
    <value key="limits.work_group_size" unit="work-items" from="identified" source="a fit">512</value>
</device>
)";

/// `good` with the first occurrence of a part replaced.
std::string with(const std::string& part, const std::string& replacement)
{
    std::string xml = good;
    const std::size_t at = xml.find(part);
    REQUIRE(at != std::string::npos);
    return xml.replace(at, part.size(), replacement);
}

std::string message_of(const std::string& xml)
{
    try {
        (void)parse_profile(xml, "toy.xml");
    } catch (const Error& error) {
        CHECK(error.kind() == Error::Kind::bad_input);
        return error.what();
    }
    return "no error";
}

} // namespace

TEST_CASE("a profile sets options and limits, and keeps where each value is from")
{
    const DeviceProfile profile = parse_profile(good, "toy.xml");
    CHECK(profile.name == "toy");
    CHECK(profile.description == "A device for tests.");
    CHECK(profile.simulation.machine.cores == 3);
    CHECK(profile.simulation.machine.l1().geometry.capacity == Bytes{2048});
    CHECK(to_string(profile.simulation.machine.layout) == "4x4:morton,row");
    CHECK(profile.simulation.machine.l1().latency == Cycles{76});
    CHECK(profile.limits.image_width == 4096);
    CHECK(profile.limits.image_height == DeviceLimits{}.image_height);
    CHECK(profile.limits.work_group_size == 512);

    CHECK(profile.values.size() == 6);
    const ProfileValue expected{"2048", "B", Provenance::assumed, "because <it> & \"that\""};
    CHECK(profile.values.at("l1.capacity") == expected);
    CHECK(profile.values.at("layout").source == "some driver");
    CHECK(profile.values.at("cores").provenance == Provenance::measured);
}

TEST_CASE("a profile survives being written and read again")
{
    const DeviceProfile profile = parse_profile(good, "toy.xml");
    const std::string xml = to_xml(profile);
    CHECK(parse_profile(xml, "again.xml") == profile);
    CHECK(to_xml(parse_profile(xml, "again.xml")) == xml);
    CHECK(xml.find("key=\"cores\"") < xml.find("key=\"layout\""));
    CHECK(xml.find("key=\"layout\"") < xml.find("key=\"limits.image_width\""));
}

TEST_CASE("a profile's layout may be the name of a published one, or bits")
{
    for (const std::string layout : {"adreno-a6xx-a7xx-tile3-8ch", "bits:2x2:x0^y0,y0,pad64x16"}) {
        const DeviceProfile profile = parse_profile(with("4x4:morton,row", layout), "toy.xml");
        CHECK(to_string(profile.simulation.machine.layout) == layout);
        CHECK(profile.values.at("layout").text == layout);
        CHECK(parse_profile(to_xml(profile), "again.xml") == profile);
    }
    CHECK_THAT(message_of(with("4x4:morton,row", "adreno-a6xx-tile4")),
               StartsWith("toy.xml:7: ") && Contains("did you mean 'adreno-a6xx-tile3'?"));
}

TEST_CASE("random subsets of the keys survive being written and read again")
{
    const std::uint64_t seed = 7;
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    const std::string characters = "ab<>&\"';%é 0";
    for (int round = 0; round < 50; ++round) {
        DeviceProfile profile;
        profile.name = "p" + std::to_string(round);
        for (const Setting& setting : profile_keys()) {
            if (random() % 2 == 0) {
                continue;
            }
            const bool limit = setting.key.starts_with("limits.");
            const bool word = setting.about.starts_with("yes or no") && limit;
            std::string source = "s";
            for (std::uint64_t n = random() % 10; n > 0; --n) {
                const char c = characters[random() % characters.size()];
                source += c == ' ' && source.back() == ' ' ? 'x' : c;
            }
            source += "e";
            set_value(profile, setting.key,
                      {word                                ? (random() % 2 == 0 ? "yes" : "no")
                       : limit                             ? std::to_string(1 + random() % 1000)
                       : setting.key.starts_with("model.") ? get(ModelOptions{}, setting.key)
                                                           : get(SimulationOptions{}, setting.key),
                       setting.unit, static_cast<Provenance>(random() % 6), source});
        }
        REQUIRE(parse_profile(to_xml(profile), "p.xml") == profile);
    }
}

TEST_CASE("every provenance has a word of its own")
{
    for (const Provenance provenance :
         {Provenance::measured, Provenance::datasheet, Provenance::driver, Provenance::identified,
          Provenance::inferred, Provenance::assumed}) {
        CHECK(parse_provenance(to_string(provenance)) == provenance);
    }
    CHECK_THROWS_WITH(parse_provenance("guessed"),
                      Contains("guessed") && Contains("measured, datasheet, driver"));
}

TEST_CASE("a bad profile is refused in one line that names file and line")
{
    const auto refused = [](const std::string& xml, int line, const std::string& part) {
        const std::string message = message_of(xml);
        CHECK_THAT(message, StartsWith("toy.xml:" + std::to_string(line) + ": ") && Contains(part));
        CHECK(message.find('\n') == std::string::npos);
    };
    SECTION("malformed XML")
    {
        refused(with("</description>", "</descr>"), 3, "malformed XML");
    }
    SECTION("cut off")
    {
        refused(good.substr(0, good.size() - 12), 11, "malformed XML");
    }
    SECTION("no root")
    {
        refused("<!-- nothing -->\n", 1, "no element <device>");
    }
    SECTION("empty")
    {
        refused("", 1, "no element <device>");
    }
    SECTION("another root")
    {
        refused("\n<gadget name=\"toy\"/>", 2, "<device>");
    }
    SECTION("two roots")
    {
        refused(good + "<device name=\"b\"/>", 13, "<device>");
    }
    SECTION("text beside the root")
    {
        refused(good + "tail", 13, "nothing beside it");
    }
    SECTION("no name")
    {
        refused(with(" name=\"toy\"", ""), 1, "no name");
    }
    SECTION("unknown key")
    {
        refused(with("\"cores\"", "\"coers\""), 5, "'cores'");
    }
    SECTION("unknown limit")
    {
        refused(with("limits.image_width", "limits.image_widht"), 10, "limits.image_widht");
    }
    SECTION("no key")
    {
        refused(with("key=\"cores\" ", ""), 5, "no key");
    }
    SECTION("repeated key")
    {
        refused(with("key=\"layout\"", "key=\"cores\""), 7, "cores is given twice");
    }
    SECTION("wrong unit")
    {
        refused(with("unit=\"B\"", "unit=\"KB\""), 6, "takes unit \"B\"");
    }
    SECTION("missing unit")
    {
        refused(with(" unit=\"B\"", ""), 6, "takes unit \"B\"");
    }
    SECTION("unit where there is none")
    {
        refused(with("\"cores\"", "\"cores\" unit=\"B\""), 5, "takes no unit");
    }
    SECTION("missing source")
    {
        refused(with(" source=\"a query\"", ""), 5, "cores has no source");
    }
    SECTION("blank source")
    {
        refused(with("source=\"a query\"", "source=\"  \""), 5, "cores has no source");
    }
    SECTION("missing from")
    {
        refused(with(" from=\"measured\"", ""), 5, "where it is from");
    }
    SECTION("unknown from")
    {
        refused(with("\"measured\"", "\"guessed\""), 5, "guessed");
    }
    SECTION("not a number")
    {
        refused(with(">3<", ">three<"), 5, "three");
    }
    SECTION("number with a tail")
    {
        refused(with(">2048<", ">2048B<"), 6, "2048B");
    }
    SECTION("empty value")
    {
        refused(with(">3<", "><"), 5, "cores");
    }
    SECTION("limit below one")
    {
        refused(with(">512<", ">0<"), 11, "limits.work_group_size");
    }
    SECTION("limit beyond its type")
    {
        refused(with(">4096<", ">4294967296<"), 10, "limits.image_width");
    }
    SECTION("not a layout")
    {
        refused(with("4x4:morton,row", "4x4:mortal,row"), 7, "mortal");
    }
    SECTION("unknown attribute")
    {
        refused(with("from=", "form="), 5, "no attribute \"form\"");
    }
    SECTION("repeated attribute")
    {
        refused(with("from=", "source=\"b\" from="), 5, "given twice");
    }
    SECTION("unknown element")
    {
        refused(with("<description>", "<note/><description>"), 2, "<note>");
    }
    SECTION("second description")
    {
        refused(with("<!--", "<description/><!--"), 4, "<description>");
    }
    SECTION("text between values")
    {
        refused(with("<!--", "stray <!--"), 4, "stray");
    }
    SECTION("element in a value")
    {
        refused(with(">3<", "><b/>3<"), 5, "holds text alone");
    }
    SECTION("values that do not fit together")
    {
        refused(with(">2048<", ">2050<"), 1, "l1.");
    }
}

TEST_CASE("setting a value refuses what a file could not say, and leaves the profile alone")
{
    DeviceProfile profile = parse_profile(good, "toy.xml");
    const DeviceProfile before = profile;
    CHECK_THROWS_AS(set_value(profile, "cores", {"4", "", Provenance::measured, ""}), Error);
    CHECK_THROWS_AS(set_value(profile, "cores", {"4", "B", Provenance::measured, "x"}), Error);
    CHECK_THROWS_AS(set_value(profile, "cores", {"many", "", Provenance::measured, "x"}), Error);
    CHECK_THROWS_AS(
        set_value(profile, "limits.image_width", {"-1", "texels", Provenance::measured, "x"}),
        Error);
    CHECK_THROWS_AS(set_value(profile, "no.such.key", {"4", "", Provenance::measured, "x"}), Error);
    CHECK(profile == before);
    set_value(profile, "cores", {"4", "", Provenance::measured, "x"});
    CHECK(profile.simulation.machine.cores == 4);
}

TEST_CASE("a profile is read from a file, and a file that is not there is named")
{
    const std::string name = "texelscope-profile-test-" + std::to_string(getpid()) + ".xml";
    const std::string path = std::filesystem::temp_directory_path() / name;
    std::ofstream(path) << good;
    CHECK(read_profile(path) == parse_profile(good, "toy.xml"));
    CHECK(find_profile(path) == parse_profile(good, "toy.xml"));
    std::filesystem::remove(path);
    CHECK_THROWS_WITH(read_profile(path), StartsWith(path));
    CHECK_THROWS_WITH(find_profile("no/such/profile.xml"), StartsWith("no/such/profile.xml"));
    CHECK_THROWS_AS(read_profile("."), Error);
}
