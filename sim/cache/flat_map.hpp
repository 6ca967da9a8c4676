#pragma once

#include "base/layers.hpp"

#include <tsl/robin_map.h>

#include <cstddef>
#include <cstdint>

namespace texelscope::sim {

/// Hash function for addresses: multiplies by 2^64 over the golden ratio (Knuth, 6.4) and keeps the
/// high bits. Addresses have powers of two in common, and the table's size is a power of two, so
/// their low bits alone would not spread them.
struct SpreadHash {
    [[nodiscard]] std::size_t operator()(std::int64_t key) const
    {
        return static_cast<std::size_t>(static_cast<std::uint64_t>(key) * 0x9E3779B97F4A7C15U >>
                                        32U);
    }
};

/// A hash map from numbers to small values that lie in one array. For tables that are used for
/// every lookup.
template <class Value>
using FlatMap = tsl::robin_map<std::int64_t, Value, SpreadHash>;

} // namespace texelscope::sim
