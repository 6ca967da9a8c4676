#pragma once

#include "base/layers.hpp"

#include <cstddef>
#include <cstdint>
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

} // namespace texelscope::sim
