#include "experiments/render/html.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

namespace texelscope::experiments {
namespace {

constexpr std::string_view replacement = "\uFFFD";

/// Length of the well-formed UTF-8 sequence at the start of `text` that XML allows; 0 where there is none.
std::size_t sequence_length(std::string_view text)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(text[i])); };
    const unsigned first = byte(0);
    if (first < 0x80) {
        return first >= 0x20 || first == '\t' || first == '\n' || first == '\r' ? (first == 0x7F ? 0 : 1) : 0;
    }
    const std::size_t length = first >= 0xF0 ? 4 : (first >= 0xE0 ? 3 : 2);
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
    const bool forbidden = (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF || code == 0xFFFE || code == 0xFFFF;
    return overlong || forbidden ? 0 : length;
}

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
    constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const std::string_view group = bytes.substr(at, 3);
        std::uint32_t bits = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            bits = bits << 8U | (i < group.size() ? static_cast<unsigned char>(group[i]) : 0U);
        }
        for (std::size_t i = 0; i < 4; ++i) {
            out += i <= group.size() ? alphabet[bits >> (18U - 6U * static_cast<unsigned>(i)) & 0x3FU] : '=';
        }
    }
    return out;
}

std::string to_html(const HtmlTable& table)
{
    const auto style = [&](std::size_t column) {
        return column < table.columns.size() && table.columns[column].number ? R"( class="number")" : "";
    };
    // Wide tables scroll inside of this box, not the page.
    std::string out = "<div class=\"table\"><table>\n<thead><tr>";
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
        out += fmt::format("<th scope=\"col\"{}>{}</th>", style(column), table.columns[column].heading);
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

} // namespace texelscope::experiments
