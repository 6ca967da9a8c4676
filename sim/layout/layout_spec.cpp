#include "sim/layout/layout_spec.hpp"

#include "base/edit_distance.hpp"
#include "base/error.hpp"
#include "sim/layout/named_layouts.hpp"

#include <algorithm>

namespace texelscope::sim {
namespace {

/// A lone word that is no order of the outermost level.
NamedLayout parse_name(const std::string& name, const std::string& where)
{
    const auto& known = named_layouts();
    if (std::any_of(known.begin(), known.end(), [&](const auto& layout) { return layout.name == name; })) {
        return {name};
    }
    std::vector<std::string> words{"row", "column"};
    std::string list = "row, column";
    for (const NamedLayoutInfo& layout : known) {
        words.push_back(layout.name);
        list += ", " + layout.name;
    }
    const auto nearest = std::min_element(words.begin(), words.end(), [&](const auto& a, const auto& b) {
        return edit_distance(a, name) < edit_distance(b, name);
    });
    constexpr std::size_t likely_slip = 3;
    throw bad_input("there is no layout of that name", where,
                    !name.empty() && name.size() <= 100 && edit_distance(*nearest, name) <= likely_slip
                        ? "did you mean '" + *nearest + "'?"
                        : "give levels (4x4:row,row), bits (bits:2x2:x0,y0) or one of " + list);
}

} // namespace

LayoutSpec parse_layout(const std::string& text)
{
    const std::string where = "layout '" + text + "'";
    const std::string bits = "bits:";
    if (text.starts_with(bits)) {
        return parse_bit_layout(text.substr(bits.size()), where);
    }
    const bool order = text == "row" || text == "column" || text == "morton" || text == "hilbert";
    if (!order && text.find_first_of(":,") == std::string::npos) {
        return parse_name(text, where);
    }
    return parse_nested_layout(text, where);
}

std::string to_string(const LayoutSpec& spec)
{
    if (const auto* named = std::get_if<NamedLayout>(&spec)) {
        return named->name;
    }
    if (const auto* bits = std::get_if<BitLayout>(&spec)) {
        return to_string(*bits);
    }
    return to_string(std::get<NestedLayout>(spec));
}

} // namespace texelscope::sim
