#pragma once

#include "base/layers.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace texelscope::sim {

/// An array of fixed size that is zero at first. The operating system hands out its pages when they
/// are touched, so a large array that is hardly used costs hardly anything.
template <class T>
class ZeroedArray {
    static_assert(std::is_trivial_v<T>);

public:
    ZeroedArray() = default;
    explicit ZeroedArray(std::size_t size)
        : data_(static_cast<T*>(std::calloc(size, sizeof(T)))), size_(size)
    {
        if (data_ == nullptr && size > 0) {
            throw std::bad_alloc();
        }
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] T* data() { return data_.get(); }
    T& operator[](std::size_t i) { return data_.get()[i]; }
    const T& operator[](std::size_t i) const { return data_.get()[i]; }

private:
    struct Free {
        void operator()(T* data) const { std::free(data); }
    };
    std::unique_ptr<T, Free> data_;
    std::size_t size_ = 0;
};

/// The index of a line's value in the array of a LineTable.
///
/// The rows of an image are often a power of two apart. Without a permutation, the entries of a
/// column of texels would all fall into the same few sets of the cache of the machine that runs the
/// simulation. So groups of 16 entries (64 B of 4-byte values) are permuted by the bits above them.
template <std::integral Line>
[[nodiscard]] constexpr Line line_place(Line line)
{
    return line ^ ((((line >> 10) ^ (line >> 16)) & 63) << 4);
}

/// A value for each line (or other unit of memory) of the images, zero at first.
template <class T>
class LineTable {
public:
    LineTable() = default;
    /// For line numbers below `count`.
    explicit LineTable(std::int64_t count)
        : values_(static_cast<std::size_t>((count / span + 1) * span))
    {}

    T& operator[](std::int64_t line) { return values_[static_cast<std::size_t>(line_place(line))]; }
    const T& operator[](std::int64_t line) const
    {
        return values_[static_cast<std::size_t>(line_place(line))];
    }
    void clear() { values_ = ZeroedArray<T>(values_.size()); }

    /// The array of values, indexed by line_place(), for fast loops.
    [[nodiscard]] T* data() { return values_.data(); }

private:
    static constexpr std::int64_t span = 1024; ///< line_place() permutes spans of this length

    ZeroedArray<T> values_;
};

} // namespace texelscope::sim
