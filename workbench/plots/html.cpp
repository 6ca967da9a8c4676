#include "workbench/plots/html.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>

namespace texelscope::workbench::plots {
namespace {

constexpr std::string_view replacement = "\uFFFD";

/// Length of the well-formed UTF-8 sequence at the start of `text`, if XML allows its character;
/// else 0. Overlong sequences, surrogates and control characters are not allowed.
std::size_t sequence_length(std::string_view text)
{
    const auto byte = [&](std::size_t i) {
        return static_cast<unsigned>(static_cast<unsigned char>(text[i]));
    };
    const unsigned first = byte(0);
    if (first < 0x80) {
        return first >= 0x20 || first == '\t' || first == '\n' || first == '\r'
                   ? (first == 0x7F ? 0 : 1)
                   : 0;
    }
    const std::size_t length = first >= 0xF0 ? 4 : (first >= 0xE0 ? 3 : 2);
    // first > 0xF4| 0xC0 and 0xC1 would begin overlong sequences; beyond 0xF4 there is no
    // character.
    if (first < 0xC2 || first > 0xF4 || text.size() < length) {
        return 0;
    }
    unsigned code = first & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0U) != 0x80U) {
            return 0;
        }
        code = code << 6U | (byte(i) & 0x3FU);
    }
    const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    const bool forbidden =
        (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF || code == 0xFFFE || code == 0xFFFF;
    return overlong || forbidden ? 0 : length;
}

// The page needs nothing from elsewhere, and this policy forbids it: should the name of a file ever
// get into the page as HTML, it can neither run a script nor load anything.
constexpr std::string_view policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

// The text has no ampersand and no "less than", so the page is HTML and well-formed XML at once.
constexpr std::string_view style = R"css(
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1d2129; --soft: #5b6470; --line: #d9dde3; --card: #f5f6f8;
  --accent: #0072b2; --this: #fff3d6; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14171c; --ink: #e4e7ec; --soft: #9aa4b2; --line: #343b46; --card: #1d222a; --accent: #56b4e9;
    --this: #3a3219; }
  [fill="#0072b2"] { fill: #56b4e9; }
  [stroke="#0072b2"] { stroke: #56b4e9; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto,
  "Helvetica Neue", Arial, sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 32px 24px 64px; }
h1 { font-size: 28px; line-height: 1.2; margin: 0 0 6px; }
h2 { font-size: 20px; margin: 48px 0 8px; padding-top: 12px; border-top: 1px solid var(--line); }
h3 { font-size: 16px; margin: 24px 0 8px; }
h3 small { font-weight: 400; color: var(--soft); margin-left: 8px; }
p { margin: 6px 0 12px; max-width: 80ch; }
section p, figcaption { color: var(--soft); }
code, pre { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 13px; }
pre { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 14px 16px; overflow: auto;
  max-height: 640px; line-height: 1.45; tab-size: 4; }
nav { display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 16px 0 0; font-size: 14px; }
a { color: var(--accent); text-decoration: none; }
a:hover, a:focus { text-decoration: underline; }
.facts { color: var(--soft); margin: 0; }
.facts code { color: var(--ink); }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(168px, 1fr)); gap: 12px; margin: 24px 0 0; }
.figures div { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 10px 14px; }
.figures dt { color: var(--soft); font-size: 13px; }
.figures dd { margin: 0; font-size: 20px; font-weight: 600; font-variant-numeric: tabular-nums; }
.figures dd small { display: block; font-size: 12px; overflow-wrap: anywhere; font-weight: 400; color: var(--soft); }
.row { display: flex; flex-wrap: wrap; gap: 16px 24px; align-items: flex-start; }
figure { margin: 0; max-width: 100%; }
figure img { max-width: 100%; height: auto; box-sizing: content-box; image-rendering: pixelated; border: 1px solid var(--line); border-radius: 8px; display: block; }
figure svg { max-width: 100%; height: auto; display: block; }
figcaption { font-size: 13px; margin-top: 4px; }
.row + .table { margin-top: 20px; }
.table { overflow-x: auto; max-width: 100%; margin: 8px 0 16px; }
table { border-collapse: collapse; font-size: 14px; }
th, td { text-align: left; vertical-align: top; padding: 4px 14px 4px 0; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
tr.this td { background: var(--this); }
.name { white-space: nowrap; }
summary { font-weight: 600; cursor: pointer; margin: 1em 0 0.5em; }
@media print { pre { max-height: none; } nav { display: none; } section { break-inside: avoid-page; } }
)css";

} // namespace

std::string escape_html(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = sequence_length(text);
        switch (text.front()) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        case '\'':
            out += "&#39;";
            break;
        default:
            out += length == 0 ? replacement : text.substr(0, length);
        }
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return out;
}

std::string base64(std::string_view bytes)
{
    constexpr std::string_view alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const std::string_view group = bytes.substr(at, 3);
        std::uint32_t bits = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            // A group of three bytes becomes four letters; "=" stands for those that a short last
            // group lacks.
            bits = bits << 8U | (i < group.size() ? static_cast<unsigned char>(group[i]) : 0U);
        }
        for (std::size_t i = 0; i < 4; ++i) {
            out += i <= group.size()
                       ? alphabet[bits >> (18U - 6U * static_cast<unsigned>(i)) & 0x3FU]
                       : '=';
        }
    }
    return out;
}

std::string to_html(const HtmlTable& table)
{
    const auto style = [&](std::size_t column) {
        return column < table.columns.size() && table.columns[column].number ? R"( class="number")"
                                                                             : "";
    };
    // The box scrolls if the table is wider than the page.
    std::string out = "<div class=\"table\"><table>\n<thead><tr>";
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
        out += fmt::format("<th scope=\"col\"{}>{}</th>", style(column),
                           table.columns[column].heading);
    }
    out += "</tr></thead>\n<tbody>\n";
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        out += table.emphasised == row ? "<tr class=\"this\">" : "<tr>";
        for (std::size_t column = 0; column < table.rows[row].size(); ++column) {
            out += fmt::format("<td{}>{}</td>", style(column), table.rows[row][column]);
        }
        out += "</tr>\n";
    }
    return out + "</tbody>\n</table></div>\n";
}

std::string html_page(const std::string& title, const std::string& body)
{
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\"/>\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{}: "
        "Texelscope</title>\n"
        "<style>{}</style>\n</head>\n<body>\n<main>\n{}</main>\n</body>\n</html>\n",
        policy, escape_html(title), style, body);
}

} // namespace texelscope::workbench::plots
