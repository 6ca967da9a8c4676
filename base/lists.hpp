#pragma once

#include "base/layers.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace texelscope::base {

/// The results of calling `make`, a function or a member, with each element, in order.
template <class Range, class Make>
[[nodiscard]] auto mapped(const Range& range, const Make& make)
{
    std::vector<std::decay_t<decltype(std::invoke(make, *std::begin(range)))>> made;
    for (const auto& element : range) {
        made.push_back(std::invoke(make, element));
    }
    return made;
}

/// The texts that `text` makes of each element, joined with the separator between them.
template <class Range, class Text>
[[nodiscard]] std::string joined(const Range& range, const Text& text,
                                 std::string_view separator = ", ")
{
    std::string all;
    bool first = true;
    for (const auto& element : range) {
        all += first ? "" : separator;
        all += std::invoke(text, element);
        first = false;
    }
    return all;
}

} // namespace texelscope::base
