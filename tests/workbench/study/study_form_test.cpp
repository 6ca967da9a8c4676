// Studies as files.

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "devices/profile/device_profile.hpp"
#include "tests/base/temporary_folder.hpp"
#include "workbench/study/study_form.hpp"

#include <catch2/catch.hpp>
#include <sys/stat.h>

#include <random>
#include <string>
#include <string_view>

using namespace texelscope;
using namespace texelscope::workbench::study;
using Catch::Matchers::Contains;

TEST_CASE("A study that is written and read is the same, whatever its texts")
{
    std::mt19937_64 random(7);
    const auto text = [&](std::size_t least) {
        static constexpr std::string_view letters = "abcXYZ019,;=<>&'\"* /-_.";
        std::string result(least, 'x');
        for (int n = static_cast<int>(random() % 12); n > 0; --n) {
            result += letters[random() % letters.size()];
        }
        return result + 'z'; // white space at the ends is none of a text
    };
    for (int i = 0; i < 200; ++i) {
        StudyForm form{"a" + text(0),
                       "1" + text(0),
                       i % 2 == 0 ? "" : "v" + text(0),
                       i % 3 == 0 ? "" : "A" + text(0),
                       "d" + text(0),
                       {},
                       text(1),
                       i % 5 != 0,
                       i % 2 == 0 ? "estimated" : text(1)};
        for (int n = i % 4; n > 0; --n) {
            form.overrides.push_back("key" + std::to_string(n) + "=v" + text(0));
        }
        CAPTURE(to_xml(form));
        CHECK(parse_study_form(to_xml(form), "study.xml") == form);
    }
}

TEST_CASE("What is no study is refused with its line")
{
    const auto error_of = [](const std::string& xml) -> std::string {
        try {
            (void)parse_study_form(xml, "s.xml");
        } catch (const Error& error) {
            return error.what();
        }
        return "nothing";
    };
    CHECK_THAT(error_of("<study>\n<operator"), Contains("malformed XML") && Contains("s.xml:"));
    CHECK_THAT(error_of("<device name='x'/>"), Contains("no element <study>"));
    CHECK_THAT(error_of("<study>\n  <device name='x'/>\n</study>"), Contains("no <operator"));
    CHECK_THAT(error_of("<study><operator name='matmul' shape='8,8,8'/></study>"),
               Contains("no <device"));
    CHECK_THAT(error_of("<study>\n  <operator name='matmul' size='8'/>\n</study>"),
               Contains("s.xml:2") && Contains("no attribute \"size\""));
    CHECK_THAT(error_of("<study>\n\n  <colour>red</colour>\n</study>"),
               Contains("s.xml:3") && Contains("<colour>"));
    CHECK_THAT(error_of(""), Contains("s.xml"));
    CHECK_THROWS_WITH(read_study_form("/nowhere/s.xml"),
                      Contains("cannot be read") && Contains("/nowhere/s.xml"));
}

TEST_CASE("A study names a profile, and no pipe or device file that would be read without end")
{
    const test::TemporaryFolder folder;
    REQUIRE(mkfifo(folder.file("pipe.xml").c_str(), 0600) == 0);
    REQUIRE(mkfifo(folder.file("pipe").c_str(), 0600) == 0);
    const auto study = [&](const std::string& device) {
        return folder.write("s.xml",
                            "<study><operator name='matmul' shape='8,8,8'/><device name='" +
                                device + "'/></study>");
    };
    for (const std::string& device : {std::string("/dev/zero"), std::string("pipe.xml"),
                                      folder.file("pipe.xml"), folder.file("pipe")}) {
        CAPTURE(device);
        CHECK_THROWS_WITH(read_study_form(study(device)),
                          Contains("s.xml") && Contains("is no file"));
    }
    CHECK(read_study_form(study("adreno-740")).device == "adreno-740");
    CHECK(read_study_form(study("elsewhere/p.xml")).device == "elsewhere/p.xml");
    const std::string beside = folder.write("p.xml", "");
    CHECK(read_study_form(study("p.xml")).device == beside);
    CHECK(read_study_form(study(beside)).device == beside);
}

TEST_CASE("A file says by itself whether it is a study")
{
    const test::TemporaryFolder folder;
    const auto is_study = [&](const std::string& text) {
        write_file_atomically(folder.file("x.xml"), text);
        return is_study_file(folder.file("x.xml"));
    };
    CHECK(is_study(to_xml(StudyForm{})));
    CHECK(is_study("<study>\n<operator"));
    CHECK_FALSE(is_study("<device name='x'/>"));
    CHECK_FALSE(is_study("no XML at all"));
    CHECK_FALSE(is_study_file(folder.file("none.xml")));
}
