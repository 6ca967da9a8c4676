#pragma once

#include "base/layers.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace texelscope::base {

// nlohmann::json converts any number to any type, even where it does not fit. These functions throw
// instead.

/// The value of a JSON number as a `Number`. Throws nlohmann::json::type_error where it is no whole
/// number, or does not fit into `Number`.
template <std::integral Number>
[[nodiscard]] Number integer_of(const nlohmann::ordered_json& json)
{
    constexpr double exact = 9007199254740992.0; // 2^53
    if (json.is_number_unsigned() && std::in_range<Number>(json.get<std::uint64_t>())) {
        return static_cast<Number>(json.get<std::uint64_t>());
    }
    if (json.is_number_integer() && !json.is_number_unsigned() &&
        std::in_range<Number>(json.get<std::int64_t>())) {
        return static_cast<Number>(json.get<std::int64_t>());
    }
    if (json.is_number_float()) {
        const auto number = json.get<double>();
        if (std::abs(number) <= exact && number == std::floor(number) &&
            std::in_range<Number>(static_cast<std::int64_t>(number))) {
            return static_cast<Number>(number);
        }
    }
    throw nlohmann::json::type_error::create(302, "not a whole number, or too large a one", &json);
}

/// The values of a JSON array of numbers, each as integer_of().
template <std::integral Number>
[[nodiscard]] std::vector<Number> integers_of(const nlohmann::ordered_json& json)
{
    std::vector<Number> numbers;
    for (std::size_t i = 0; i < json.size(); ++i) {
        numbers.push_back(integer_of<Number>(json.at(i)));
    }
    return numbers;
}

} // namespace texelscope::base
