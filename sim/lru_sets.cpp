#include "sim/lru_sets.hpp"

#include <algorithm>
#include <bit>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace texelscope {
namespace {

constexpr std::int32_t hit = -2; ///< beside a tag, and -1 for an empty way

/// Puts the line in front of the tags of its set. Returns `hit` where it was among them, else the tag that fell out.
template <int Ways>
std::int32_t use(std::int32_t* tags, std::int32_t line)
{
    const std::int32_t last = tags[Ways - 1];
#if defined(__SSE2__)
    if constexpr (Ways % 4 == 0) {
        constexpr std::size_t vectors = Ways / 4;
        const __m128i key = _mm_set1_epi32(line);
        __m128i old[vectors];
        unsigned found = 0;
        for (std::size_t v = 0; v < vectors; ++v) {
            old[v] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(tags + 4 * v));
            const __m128i equal = _mm_cmpeq_epi32(old[v], key);
            found |= static_cast<unsigned>(_mm_movemask_ps(_mm_castsi128_ps(equal))) << (4 * v);
        }
        if ((found & 1U) != 0) {
            return hit;
        }
        // The tags in front of the line move back by one; where the line is new, all do.
        const int place = found != 0 ? std::countr_zero(found) : Ways - 1;
        const __m128i end = _mm_set1_epi32(place + 1);
        const __m128i four = _mm_set1_epi32(4);
        __m128i position = _mm_setr_epi32(0, 1, 2, 3);
        __m128i carry = _mm_cvtsi32_si128(line);
        for (std::size_t v = 0; v < vectors; ++v) {
            const __m128i moved = _mm_or_si128(_mm_slli_si128(old[v], 4), carry);
            carry = _mm_srli_si128(old[v], 12);
            const __m128i moves = _mm_cmplt_epi32(position, end);
            _mm_storeu_si128(reinterpret_cast<__m128i*>(tags + 4 * v),
                             _mm_or_si128(_mm_and_si128(moves, moved), _mm_andnot_si128(moves, old[v])));
            position = _mm_add_epi32(position, four);
        }
        return found != 0 ? hit : last;
    }
#endif
    int place = 0;
    while (place < Ways && tags[place] != line) {
        ++place;
    }
    const bool present = place < Ways;
    std::move_backward(tags, tags + (present ? place : Ways - 1), tags + (present ? place + 1 : Ways));
    tags[0] = line;
    return present ? hit : last;
}

} // namespace

SetOfLine::SetOfLine(std::int64_t sets, bool xor_folded) : sets_(sets), xor_folded_(xor_folded)
{
    if (std::has_single_bit(static_cast<std::uint64_t>(sets))) {
        mask_ = sets - 1;
        bits_ = std::countr_zero(static_cast<std::uint64_t>(sets));
    }
}

std::optional<std::int64_t> SetOfLine::rotation(const LineShift& shift) const
{
    if (xor_folded_ && sets_ > 1) {
        return shift.is_identity() ? std::optional<std::int64_t>(0) : std::nullopt;
    }
    return shift.rotation(sets_);
}

LruSets::LruSets(SetOfLine set_of, int ways, bool sectored)
    : set_of_(set_of), ways_(ways), tags_(static_cast<std::size_t>(set_of.sets() * ways), -1),
      sectors_(sectored ? tags_.size() : 0, 0)
{}

bool LruSets::contains(std::int64_t line, std::uint64_t sector_mask) const
{
    const auto first = static_cast<std::size_t>(set_of_(line) * ways_);
    for (std::size_t way = first; way < first + static_cast<std::size_t>(ways_); ++way) {
        if (tags_[way] == line) {
            return sectors_.empty() || (sectors_[way] & sector_mask) == sector_mask;
        }
    }
    return false;
}

FillOutcome LruSets::access(std::int64_t line, std::uint64_t sector_mask)
{
    const auto first = static_cast<std::ptrdiff_t>(set_of_(line) * ways_);
    const auto tags = tags_.begin() + first;
    const auto found = std::find(tags, tags + ways_, static_cast<std::int32_t>(line));
    FillOutcome outcome;
    outcome.line_present = found != tags + ways_;
    const auto place = outcome.line_present ? found : tags + ways_ - 1;
    if (!outcome.line_present) {
        outcome.evicted_line = *place;
        *place = static_cast<std::int32_t>(line);
    }
    std::rotate(tags, place, place + 1);
    if (sectors_.empty()) {
        outcome.sector_present = outcome.line_present;
        return outcome;
    }
    const auto sectors = sectors_.begin() + first;
    std::uint64_t& mask = sectors[place - tags];
    outcome.sector_present = outcome.line_present && (mask & sector_mask) == sector_mask;
    mask = (outcome.line_present ? mask : 0) | sector_mask;
    std::rotate(sectors, sectors + (place - tags), sectors + (place - tags) + 1);
    return outcome;
}

template <int Ways>
LookupCount LruSets::access_distinct(const LineList& lines, std::uint8_t* missed)
{
    LookupCount count;
    const std::int32_t* const deltas = lines.deltas.data();
    const std::size_t size = lines.deltas.size();
    std::size_t next_run = 0;
    for (std::size_t begin = 0; begin < size;) {
        const std::int64_t set = set_of_(lines.first + deltas[begin]);
        std::size_t end = begin + 1;
        if (!lines.runs.empty()) {
            end = begin + static_cast<std::size_t>(lines.runs[next_run++]);
        } else {
            while (end < size && set_of_(lines.first + deltas[end]) == set) {
                ++end;
            }
        }
        std::int32_t* const tags = tags_.data() + set * Ways;
        std::size_t i = begin;
        for (; i < std::min(end, begin + Ways); ++i) {
            const std::int32_t out = use<Ways>(tags, static_cast<std::int32_t>(lines.first + deltas[i]));
            count.misses += out != hit ? 1 : 0;
            count.evictions += out >= 0 ? 1 : 0;
            if (missed != nullptr) {
                missed[i] = out != hit ? 1 : 0;
            }
        }
        if (i < end) {
            // As many other lines as there are ways have just filled the set, so none of the rest is there, and the
            // last of them remain.
            count.misses += static_cast<std::int64_t>(end - i);
            count.evictions += static_cast<std::int64_t>(end - i);
            if (missed != nullptr) {
                std::fill(missed + i, missed + end, std::uint8_t{1});
            }
            for (std::size_t way = 0; way < Ways; ++way) {
                tags[way] = static_cast<std::int32_t>(lines.first + deltas[end - 1 - way]);
            }
        }
        begin = end;
    }
    return count;
}

LookupCount LruSets::access_all(const LineList& lines, std::uint8_t* missed)
{
    if (lines.distinct) {
        switch (ways_) {
        case 1:
            return access_distinct<1>(lines, missed);
        case 2:
            return access_distinct<2>(lines, missed);
        case 4:
            return access_distinct<4>(lines, missed);
        case 8:
            return access_distinct<8>(lines, missed);
        case 16:
            return access_distinct<16>(lines, missed);
        default:
            break;
        }
    }
    return access_each(*this, lines, missed);
}

bool LruSets::is_shifted(const Snapshot& snapshot, const LineShift& shift) const
{
    const auto turn = set_of_.rotation(shift);
    if (!turn) {
        return false;
    }
    const auto ways = static_cast<std::size_t>(ways_);
    for (std::int64_t set = 0; set < set_of_.sets(); ++set) {
        const std::size_t from = static_cast<std::size_t>(set) * ways;
        const std::size_t to = static_cast<std::size_t>((set + *turn) % set_of_.sets()) * ways;
        for (std::size_t way = 0; way < ways; ++way) {
            const std::int32_t tag = snapshot.tags[from + way];
            if ((tag < 0 ? tag : shift(tag)) != tags_[to + way]) {
                return false;
            }
            if (tag >= 0 && !sectors_.empty() && snapshot.sectors[from + way] != sectors_[to + way]) {
                return false;
            }
        }
    }
    return true;
}

void LruSets::shift(const LineShift& shift)
{
    const std::int64_t turn = set_of_.rotation(shift).value();
    const Snapshot old = save();
    const auto ways = static_cast<std::size_t>(ways_);
    for (std::int64_t set = 0; set < set_of_.sets(); ++set) {
        const std::size_t from = static_cast<std::size_t>(set) * ways;
        const std::size_t to = static_cast<std::size_t>((set + turn) % set_of_.sets()) * ways;
        for (std::size_t way = 0; way < ways; ++way) {
            const std::int32_t tag = old.tags[from + way];
            tags_[to + way] = tag < 0 ? tag : static_cast<std::int32_t>(shift(tag));
            if (!sectors_.empty()) {
                sectors_[to + way] = old.sectors[from + way];
            }
        }
    }
}

} // namespace texelscope
