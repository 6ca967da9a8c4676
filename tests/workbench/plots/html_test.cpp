// Text, bytes and numbers as the pages have them.

#include "base/number_text.hpp"
#include "tests/workbench/report/decode_base64.hpp"
#include "tests/workbench/report/parse_page.hpp"
#include "workbench/plots/html.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace texelscope;
using namespace texelscope::workbench::plots;
using test::decode_base64;
using test::parse_page;

namespace {

constexpr double missing_value = std::numeric_limits<double>::quiet_NaN();

} // namespace

TEST_CASE("text is escaped so that an XML parser gives it back")
{
    CHECK(escape_html("a<b>&\"'") == "a&lt;b&gt;&amp;&quot;&#39;");
    CHECK(escape_html("\u00B5\u03B2\U0001F600\n") == "\u00B5\u03B2\U0001F600\n");
    const std::vector<std::string> broken{
        "\x01",         "\x7F",         "\xFF",         "\xC3",
        "\xC0\x80",     "\xED\xA0\x80", "\xE2\x82",     "\xF5\x80\x80\x80",
        "\xEF\xBF\xBF", "\x80",         "\xE0\x80\x80", std::string(1, '\0')};
    for (const std::string& text : broken) {
        CAPTURE(text.size());
        const std::string escaped = escape_html("a" + text + "b");
        CHECK(escaped.starts_with("a\uFFFD"));
        CHECK(escaped.ends_with("b"));
    }
    std::mt19937_64 random(19);
    for (int i = 0; i < 200; ++i) {
        std::string text;
        for (int n = 0; n < 30; ++n) {
            text += static_cast<char>(32 + random() % 95);
        }
        const pugi::xml_document document =
            parse_page("<p title=\"" + escape_html(text) + "\">" + escape_html(text) + "</p>");
        CHECK(std::string(document.child("p").text().get()) == text);
        CHECK(std::string(document.child("p").attribute("title").value()) == text);
    }
}

TEST_CASE("a page runs and loads nothing, whatever is in it")
{
    const pugi::xml_document page = parse_page(html_page("<t>", "<p>b</p>"));
    const pugi::xml_node policy = page.child("html").child("head").find_child_by_attribute(
        "meta", "http-equiv", "Content-Security-Policy");
    const std::string content = policy.attribute("content").value();
    CHECK(content.find("default-src 'none'") != std::string::npos);
    CHECK(content.find("script-src") == std::string::npos);
    CHECK(content.find("img-src data:") != std::string::npos);
    CHECK(policy.next_sibling("style")); // what comes before a policy is not held to it
}

TEST_CASE("base64 has the values of RFC 4648, and decodes to what it was given")
{
    CHECK(base64("").empty());
    CHECK(base64("f") == "Zg==");
    CHECK(base64("fo") == "Zm8=");
    CHECK(base64("foo") == "Zm9v");
    CHECK(base64("foob") == "Zm9vYg==");
    CHECK(base64("fooba") == "Zm9vYmE=");
    CHECK(base64("foobar") == "Zm9vYmFy");
    std::mt19937_64 random(23);
    for (std::size_t length = 0; length < 70; ++length) {
        std::string bytes;
        for (std::size_t i = 0; i < length; ++i) {
            bytes += static_cast<char>(random() & 0xFFU);
        }
        CHECK(decode_base64(base64(bytes)) == bytes);
    }
}

TEST_CASE("numbers are written for readers")
{
    CHECK(count_text(0) == "0");
    CHECK(count_text(999) == "999");
    CHECK(count_text(1000) == "1,000");
    CHECK(count_text(-123456) == "-123,456");
    CHECK(count_text(1234567890) == "1,234,567,890");
    CHECK(number_text(1234.56) == "1235");
    CHECK(number_text(-0.0) == "0");
    CHECK(number_text(12345.6) == "12,346");
    CHECK(number_text(1e20) == "1e+20");
    CHECK(number_text(missing_value) == dash);
    CHECK(number_text(std::nullopt) == dash);
    CHECK(percent_text(0.12345) == "12.3 %");
    CHECK(percent_text(14.73) == "1,473 %");
    CHECK(percent_text(2.0 / 3 * 1.5 - 1) == "0 %");
    CHECK(percent_text(1e-17) == "0 %");
    CHECK(percent_text(HUGE_VAL) == dash);
    CHECK(time_text(Nanoseconds{12.5}) == "12.5 ns");
    CHECK(time_text(Nanoseconds{1250}) == "1.25 \u00B5s");
    CHECK(time_text(Nanoseconds{3.5e6}) == "3.5 ms");
    CHECK(time_text(Nanoseconds{2e9}) == "2 s");
    CHECK(time_text(std::nullopt) == dash);
    CHECK(time_text(Nanoseconds{-HUGE_VAL}) == dash);
    CHECK(bytes_text(Bytes{1023}) == "1023 B");
    CHECK(bytes_text(Bytes{1536}) == "1.5 KiB");
    CHECK(bytes_text(Bytes{std::int64_t{3} << 30}) == "3 GiB");
}
