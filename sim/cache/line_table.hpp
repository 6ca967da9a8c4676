#pragma once

#include "sim/cache/zeroed_array.hpp"

#include <cstddef>
#include <cstdint>

namespace texelscope::sim {

/// A value for each line (or other unit of memory) of the images, zero at first.
///
/// The rows of an image are often a power of two apart, and the entries of a column of texels would all fall into the
/// same few sets of the cache of the machine that simulates: so groups of 16 entries (64 B of 4-byte values) are permuted
/// by the bits above them.
template <class T>
class LineTable {
public:
    LineTable() = default;
    /// For line numbers below `count`.
    explicit LineTable(std::int64_t count) : values_(static_cast<std::size_t>((count / span + 1) * span)) {}

    T& operator[](std::int64_t line) { return values_[place(line)]; }
    const T& operator[](std::int64_t line) const { return values_[place(line)]; }
    void clear() { values_ = ZeroedArray<T>(values_.size()); }

    /// For loops: the values, and where in them that of a line is.
    [[nodiscard]] T* data() { return values_.data(); }
    [[nodiscard]] static std::size_t place(std::int64_t line)
    {
        const std::int64_t above = (line >> 10) ^ (line >> 16);
        return static_cast<std::size_t>(line ^ ((above & 63) << 4));
    }

private:
    static constexpr std::int64_t span = 1024; ///< numbers that are permuted among themselves

    ZeroedArray<T> values_;
};

} // namespace texelscope::sim
