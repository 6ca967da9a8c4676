#pragma once

#include "base/layers.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace texelscope::sim {

/// A fixed array of zeros. The operating system hands out the pages as they are touched, so a large array that is
/// hardly used costs hardly anything.
template <class T>
class ZeroedArray {
    static_assert(std::is_trivial_v<T>);

public:
    ZeroedArray() = default;
    explicit ZeroedArray(std::size_t size) : data_(static_cast<T*>(std::calloc(size, sizeof(T)))), size_(size)
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
