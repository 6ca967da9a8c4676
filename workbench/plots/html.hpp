#pragma once

#include "base/layers.hpp"
#include "base/units.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace texelscope::workbench::plots {

/// Text for the body or a quoted attribute of HTML and XML: & < > " ' become entities. What XML
/// does not allow at all (control characters, broken UTF-8) becomes U+FFFD.
[[nodiscard]] std::string escape_html(std::string_view text);

/// The bytes in Base64 (RFC 4648, section 4), with padding.
[[nodiscard]] std::string base64(std::string_view bytes);

/// A table whose cells and headings are HTML already, so they are not escaped.
struct HtmlTable {
    struct Column {
        std::string heading;
        bool number = false; ///< aligned to the right, digits of one width
    };
    std::vector<Column> columns;
    std::vector<std::vector<std::string>> rows;
    std::optional<std::size_t> emphasised; ///< number of the row that stands out
};
[[nodiscard]] std::string to_html(const HtmlTable& table);

/// A whole page that needs no other file and has a light and a dark style. It is well-formed XML as
/// well. `title` is plain text, `body` is HTML.
[[nodiscard]] std::string html_page(const std::string& title, const std::string& body);

} // namespace texelscope::workbench::plots
