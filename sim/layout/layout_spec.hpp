#pragma once

#include "sim/layout/bit_layout.hpp"
#include "sim/layout/nested_layout.hpp"

#include <string>
#include <variant>

namespace texelscope::sim {

/// A published layout by its name, one of named_layouts().
struct NamedLayout {
    std::string name;

    bool operator==(const NamedLayout&) const = default;
};

/// How texels are stored. By default in rows, without padding.
using LayoutSpec = std::variant<NestedLayout, BitLayout, NamedLayout>;

/// Reads any of the three: levels ("4x4:row,row"), bits ("bits:2x2:x0^y0,y0") or a name ("mali-u-interleaved").
/// Throws bad_input, saying what is wrong in one line, for text that is none of them.
[[nodiscard]] LayoutSpec parse_layout(const std::string& text);
[[nodiscard]] std::string to_string(const LayoutSpec& spec);

} // namespace texelscope::sim
