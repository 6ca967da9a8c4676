#include "gui/widgets/controls.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace texelscope::gui;

TEST_CASE("numbers are written for people")
{
    CHECK(texelscope::gui::count_text(0) == "0");
    CHECK(texelscope::gui::count_text(1234567) == "1,234,567");
    CHECK(share_text(1, 8) == "12.5 %");
    CHECK(share_text(0, 0) == "0.0 %");
    CHECK(texelscope::gui::time_text({0.5}) == "0.5 ns");
    CHECK(texelscope::gui::time_text({12345}) == u"12.35 µs");
    CHECK(texelscope::gui::time_text({3e9}) == "3 s");
    CHECK(texelscope::gui::bytes_text(Bytes{96}) == "96 B");
    CHECK(texelscope::gui::bytes_text(Bytes{1024}) == "1 KiB");
    CHECK(texelscope::gui::bytes_text(Bytes{3 * 1024 * 1024 + 512 * 1024}) == "3.5 MiB");
}

TEST_CASE("logarithmic ticks are the powers of ten and the end of the scale")
{
    CHECK(logarithmic_ticks(0) == std::vector<std::int64_t>{0});
    CHECK(logarithmic_ticks(1) == std::vector<std::int64_t>{0, 1});
    CHECK(logarithmic_ticks(64) == std::vector<std::int64_t>{0, 1, 10, 64});
    CHECK(logarithmic_ticks(100) == std::vector<std::int64_t>{0, 1, 10, 100});
    CHECK(logarithmic_ticks(150) == std::vector<std::int64_t>{0, 1, 10, 100});
}
