#include "base/error.hpp"
#include "devices/profile/device_profile.hpp"
#include "gui/study/study_panel.hpp"
#include "sim/options/options.hpp"
#include "workbench/study/study.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace texelscope::gui;
using Catch::Matchers::Contains;

TEST_CASE("a form becomes the request that it describes")
{
    StudyForm form;
    form.shape = "32,48,64";
    form.config = "A=block4,column;T=4x2;W=8x8;G=16x8x1";
    form.overrides = {"l1.capacity=2048", "", "occupancy=3", "limits.image_width=4096"};
    form.seed = "18446744073709551615";
    form.rank = false;
    const StudyRequest request = to_request(form);
    CHECK(to_string(request.op) == "matmul 32,48,64");
    CHECK(to_string(request.schedule) == form.config);
    CHECK(request.device.name == "adreno-740");
    CHECK(request.device.simulation.machine.l1().geometry.capacity == Bytes{2048});
    CHECK(request.device.simulation.kernel.occupancy == 3);
    CHECK(request.device.limits.image_width == 4096);
    CHECK(request.seed == 18446744073709551615U);
    CHECK_FALSE(request.rank);
}

TEST_CASE("without a configuration it is the operator's default")
{
    const StudyRequest request = to_request({});
    CHECK(request.schedule == request.op.default_schedule);
}

TEST_CASE("what is wrong with a form is said in one line")
{
    const auto error_of = [](auto change) -> std::string {
        StudyForm form;
        change(form);
        try {
            (void)to_request(form);
        } catch (const Error& error) {
            return error.what();
        }
        return "nothing";
    };
    CHECK_THAT(error_of([](StudyForm& f) { f.op = "sort"; }), Contains("sort"));
    CHECK_THAT(error_of([](StudyForm& f) { f.shape = "1,2"; }), Contains("1,2"));
    CHECK_THAT(error_of([](StudyForm& f) { f.config = "A=block3,row;T=4x4;G=8x8"; }),
               Contains("block3"));
    CHECK_THAT(error_of([](StudyForm& f) { f.config = "A=row;T=4x4;G=8x8"; }),
               Contains("access pattern"));
    CHECK_THAT(error_of([](StudyForm& f) { f.config = "A=row,row;T=4x4;W=3x3;G=8x8"; }),
               Contains("3x3"));
    CHECK_THAT(error_of([](StudyForm& f) { f.config = "A=row,row;T=4x4;G=64x64"; }),
               Contains("4096"));
    CHECK_THAT(error_of([](StudyForm& f) { f.device = "pdp-11"; }), Contains("pdp-11"));
    CHECK_THAT(error_of([](StudyForm& f) { f.device = "/nowhere/at/all.xml"; }),
               Contains("/nowhere/at/all.xml"));
    CHECK_THAT(error_of([](StudyForm& f) { f.overrides = {"l1.capacity"}; }),
               Contains("KEY=VALUE"));
    CHECK_THAT(error_of([](StudyForm& f) { f.overrides = {"l1.capacty=1024"}; }),
               Contains("l1.capacty"));
    CHECK_THAT(error_of([](StudyForm& f) { f.overrides = {"l1.capacity=1000"}; }), Contains("l1"));
    CHECK_THAT(error_of([](StudyForm& f) { f.seed = "-1"; }), Contains("-1"));
}

TEST_CASE("a pattern is replaced in the text of a configuration")
{
    const std::string config = "A=row,column;T=4x4;W=8x8;G=8x8x1";
    CHECK(with_pattern(config, 0, AccessPattern::block8) == "A=block8,column;T=4x4;W=8x8;G=8x8x1");
    CHECK(with_pattern(config, 1, AccessPattern::row) == "A=row,row;T=4x4;W=8x8;G=8x8x1");
    CHECK_THROWS_AS(with_pattern(config, 2, AccessPattern::row), Error);
    CHECK_THROWS_AS(with_pattern("A=row", 0, AccessPattern::row), Error);
}

TEST_CASE("Every operator can be chosen, and its example and first configuration make a study")
{
    for (const OperatorInfo& info : operators()) {
        StudyForm form;
        form.op = info.name;
        form.shape = info.example;
        INFO(info.name);
        CHECK(to_request(form).op.name == info.name);
        form.padding = "valid";
        if (info.takes_padding) {
            CHECK(to_request(form).op.padding == "valid");
        } else {
            CHECK_THROWS_AS(to_request(form), Error);
        }
    }
}
