#include "model/walks/walk_lines.hpp"

#include <bit>

namespace texelscope::model {
namespace {

/// Numbers distinct keys 0, 1, 2, .. in the order in which they are first seen.
class Numbering {
public:
    explicit Numbering(std::size_t most_keys)
        : mask_(std::bit_ceil(2 * most_keys + 2) - 1), slots_(mask_ + 1, {-1, 0})
    {}

    /// `key` >= 0.
    std::uint32_t operator()(std::int64_t key)
    {
        std::size_t at =
            static_cast<std::size_t>(hash_step(0, static_cast<std::uint64_t>(key))) & mask_;
        while (slots_[at].key != key) {
            if (slots_[at].key < 0) {
                slots_[at] = {key, count_};
                return count_++;
            }
            at = (at + 1) & mask_;
        }
        return slots_[at].number;
    }
    [[nodiscard]] std::uint32_t count() const { return count_; }

private:
    struct Slot {
        std::int64_t key;
        std::uint32_t number;
    };
    std::size_t mask_;
    std::vector<Slot> slots_;
    std::uint32_t count_ = 0;
};

} // namespace

WalkLines walk_lines(std::span<const Texel> texels, const TexelLayout& layout, Bytes line,
                     Bytes sector)
{
    WalkLines walk;
    walk.reads = static_cast<std::int64_t>(texels.size());
    walk.accesses.reserve(texels.size());
    const int line_shift = std::countr_zero(static_cast<std::uint64_t>(line.value));
    const int granule_shift =
        std::countr_zero(static_cast<std::uint64_t>(sector.value > 0 ? sector.value : line.value));
    const std::uint32_t sector_mask = (std::uint32_t{1} << (line_shift - granule_shift)) - 1;
    Numbering numbering(texels.size());
    std::int64_t last_granule = -1;
    for (const Texel texel : texels) {
        const std::int64_t granule = layout.offset(texel) >> granule_shift;
        if (granule == last_granule) {
            continue;
        }
        last_granule = granule;
        const std::int64_t number = granule >> (line_shift - granule_shift);
        const std::uint32_t index = numbering(number);
        if (index == walk.lines.size()) {
            walk.lines.push_back(number);
        }
        walk.accesses.push_back({index, static_cast<std::uint32_t>(granule) & sector_mask});
    }
    return walk;
}

std::uint64_t line_pattern(std::span<const Texel> texels, const TexelLayout& layout, Bytes line)
{
    const int shift = std::countr_zero(static_cast<std::uint64_t>(line.value));
    Numbering numbering(texels.size());
    std::int64_t last_line = -1;
    std::uint32_t last = 0;
    std::uint64_t hash = 0;
    for (const Texel texel : texels) {
        const std::int64_t number = layout.offset(texel) >> shift;
        if (number != last_line) {
            last_line = number;
            last = numbering(number);
        }
        hash = hash_step(hash, last);
    }
    return hash;
}

} // namespace texelscope::model
