#pragma once

#include <catch2/catch.hpp>
#include <pugixml.hpp>

#include <string>

namespace texelscope::test {

/// The page as XML; fails the test where it is not well-formed.
inline pugi::xml_document parse_page(const std::string& page)
{
    pugi::xml_document document;
    const pugi::xml_parse_result result = document.load_string(
        page.c_str(), pugi::parse_full | pugi::parse_ws_pcdata | pugi::parse_declaration);
    CAPTURE(result.description(), page.substr(static_cast<std::size_t>(result.offset), 200));
    REQUIRE(result);
    return document;
}

} // namespace texelscope::test
