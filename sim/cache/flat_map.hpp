#pragma once

#include "base/layers.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace texelscope::sim {

/// A hash map from numbers >= 0 to small values, in one array: for tables that are asked for every lookup. Open addressing
/// with linear probing, at most half full; what is erased is filled up from behind, so nothing is left to step over.
template <class Value>
class FlatMap {
public:
    FlatMap() : slots_(least_slots) {}

    [[nodiscard]] bool empty() const { return size_ == 0; }
    /// Null where there is none. Valid until the next insertion or removal.
    [[nodiscard]] Value* find(std::int64_t key)
    {
        const std::size_t at = place(key);
        return slots_[at].key == key ? &slots_[at].value : nullptr;
    }
    /// The value of that key; a new one where there is none yet.
    Value& operator[](std::int64_t key)
    {
        std::size_t at = place(key);
        if (slots_[at].key == key) {
            return slots_[at].value;
        }
        if (2 * (size_ + 1) > slots_.size()) {
            grow();
            at = place(key);
        }
        ++size_;
        slots_[at] = {key, Value{}};
        return slots_[at].value;
    }
    void erase(std::int64_t key)
    {
        std::size_t hole = place(key);
        if (slots_[hole].key != key) {
            return;
        }
        --size_;
        // Whatever follows without a gap, and does not belong behind the hole, moves into it.
        for (std::size_t at = next(hole); slots_[at].key != none; at = next(at)) {
            const std::size_t home = home_of(slots_[at].key);
            if (((at - home) & mask()) >= ((at - hole) & mask())) {
                slots_[hole] = slots_[at];
                hole = at;
            }
        }
        slots_[hole].key = none;
    }

private:
    static constexpr std::int64_t none = -1;
    static constexpr std::size_t least_slots = 64;
    struct Slot {
        std::int64_t key = none;
        Value value{};
    };

    [[nodiscard]] std::size_t mask() const { return slots_.size() - 1; }
    [[nodiscard]] std::size_t next(std::size_t at) const { return (at + 1) & mask(); }
    [[nodiscard]] std::size_t home_of(std::int64_t key) const
    {
        constexpr std::uint64_t golden = 0x9E3779B97F4A7C15U; // 2^64 over the golden ratio (Knuth, 6.4)
        return static_cast<std::size_t>(static_cast<std::uint64_t>(key) * golden >> 32U) & mask();
    }
    /// Where the key is, or would be.
    [[nodiscard]] std::size_t place(std::int64_t key) const
    {
        std::size_t at = home_of(key);
        while (slots_[at].key != key && slots_[at].key != none) {
            at = next(at);
        }
        return at;
    }
    void grow()
    {
        std::vector<Slot> old(2 * slots_.size());
        std::swap(old, slots_);
        for (const Slot& slot : old) {
            if (slot.key != none) {
                slots_[place(slot.key)] = slot;
            }
        }
    }

    std::vector<Slot> slots_; ///< a power of two of them
    std::size_t size_ = 0;
};

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
