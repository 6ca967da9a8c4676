// Sets of an LRU cache, the tags of each in order of use; a tag of -1 is an empty way, and empty
// ways are last. Common numbers of ways are template parameters, so that a set is moved with a few
// vector instructions.

#include "sim/cache/lru_sets.hpp"

#include "sim/cache/full_sets.hpp"

#include <algorithm>
#include <bit>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace texelscope::sim {
namespace {

/// What a use of a line found in its set.
struct Use {
    bool present;      ///< the line was there before
    std::int32_t last; ///< the least recent tag, which falls out where the line was absent
};

#if defined(__SSE2__)

__m128i load(const std::int32_t* tags)
{
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(tags));
}

void store(std::int32_t* tags, __m128i value)
{
    _mm_storeu_si128(reinterpret_cast<__m128i*>(tags), value);
}

/// A set of four ways in a register.
struct FourTags {
    __m128i tags;

    /// As use() below. The new tags are made with vector instructions alone, because the next
    /// lookup in the set waits for them.
    Use use(std::int32_t line)
    {
        const __m128i old = tags;
        const __m128i equal = _mm_cmpeq_epi32(old, _mm_set1_epi32(line));
        const __m128i behind =
            _mm_or_si128(_mm_or_si128(_mm_slli_si128(equal, 4), _mm_slli_si128(equal, 8)),
                         _mm_slli_si128(equal, 12));
        const __m128i moved = _mm_or_si128(_mm_slli_si128(old, 4), _mm_cvtsi32_si128(line));
        tags = _mm_or_si128(_mm_andnot_si128(behind, moved), _mm_and_si128(behind, old));
        return {_mm_movemask_ps(_mm_castsi128_ps(equal)) != 0,
                _mm_cvtsi128_si32(_mm_shuffle_epi32(old, _MM_SHUFFLE(3, 3, 3, 3)))};
    }
};

/// The masks of two or four vectors of a set as one number, with one bit per tag.
template <std::size_t Vectors>
unsigned bits(const __m128i (&masks)[Vectors])
{
    const __m128i low = _mm_packs_epi32(masks[0], masks[1]);
    const __m128i high = Vectors == 4 ? _mm_packs_epi32(masks[Vectors - 2], masks[Vectors - 1])
                                      : _mm_setzero_si128();
    return static_cast<unsigned>(_mm_movemask_epi8(_mm_packs_epi16(low, high)));
}

#endif

/// Moves a line to the front of the tags of its set. The tags that were in front of it move back by
/// one position; where the line was absent, all do.
template <int Ways>
[[gnu::always_inline]] inline Use use(std::int32_t* tags, std::int32_t line)
{
#if defined(__SSE2__)
    // There is no branch on whether the line is present, because it would often be mispredicted.
    if constexpr (Ways == 4) {
        FourTags four{load(tags)};
        const Use used = four.use(line);
        store(tags, four.tags);
        return used;
    } else if constexpr (Ways % 4 == 0) {
        constexpr std::size_t vectors = Ways / 4;
        const std::int32_t last = tags[Ways - 1];
        const __m128i key = _mm_set1_epi32(line);
        __m128i old[vectors];
        __m128i equal[vectors];
        for (std::size_t v = 0; v < vectors; ++v) {
            old[v] = load(tags + 4 * v);
            equal[v] = _mm_cmpeq_epi32(old[v], key);
        }
        const unsigned found = bits(equal);
        const __m128i place = _mm_set1_epi32(std::countr_zero(found | 1U << (Ways - 1)));
        __m128i position = _mm_setr_epi32(0, 1, 2, 3);
        __m128i carry = _mm_cvtsi32_si128(line);
        for (std::size_t v = 0; v < vectors; ++v) {
            const __m128i moved = _mm_or_si128(_mm_slli_si128(old[v], 4), carry);
            const __m128i stays = _mm_cmpgt_epi32(position, place);
            store(tags + 4 * v,
                  _mm_or_si128(_mm_andnot_si128(stays, moved), _mm_and_si128(stays, old[v])));
            carry = _mm_srli_si128(old[v], 12);
            position = _mm_add_epi32(position, _mm_set1_epi32(4));
        }
        return {found != 0, last};
    }
#endif
    const std::int32_t last = tags[Ways - 1];
    int place = 0;
    while (place < Ways && tags[place] != line) {
        ++place;
    }
    const bool present = place < Ways;
    std::move_backward(tags, tags + (present ? place : Ways - 1),
                       tags + (present ? place + 1 : Ways));
    tags[0] = line;
    return {present, last};
}

/// Looks up lines one by one. All arguments are passed by value, so that the compiler knows that
/// they do not change when a tag is written.
template <int Ways, bool Flags, class SetOf>
LookupCount look_up_all(std::int32_t* tags, SetOf set_of, LineList lines, std::uint8_t* missed)
{
    std::int64_t misses = 0;
    std::int64_t evictions = 0;
    const std::int32_t* const deltas = lines.deltas.data();
    const std::size_t size = lines.deltas.size();
    for (std::size_t i = 0; i < size; ++i) {
        const std::int64_t line = lines.first + deltas[i];
        const Use used = use<Ways>(tags + set_of(line) * Ways, static_cast<std::int32_t>(line));
        const auto absent = static_cast<std::int64_t>(!used.present);
        misses += absent;
        // The shifted tag is -1 for an empty way (tag -1) and 0 for a line that falls out.
        evictions += absent & ~std::int64_t{used.last >> 31};
        if constexpr (Flags) {
            missed[i] = static_cast<std::uint8_t>(absent);
        }
    }
    return {misses, evictions};
}

/// Looks up lines that all go to one set.
template <int Ways>
LookupCount look_up_run(std::int32_t* tags, LineList lines, std::uint8_t* missed)
{
#if defined(__SSE2__)
    if constexpr (Ways == 4) {
        LookupCount count;
        FourTags four{load(tags)};
        for (std::size_t i = 0; i < lines.deltas.size(); ++i) {
            const Use used = four.use(static_cast<std::int32_t>(lines.first + lines.deltas[i]));
            count.misses += used.present ? 0 : 1;
            count.evictions += used.present || used.last < 0 ? 0 : 1;
            if (missed != nullptr) {
                missed[i] = used.present ? 0 : 1;
            }
        }
        store(tags, four.tags);
        return count;
    }
#endif
    const auto this_set = [](std::int64_t) { return std::int64_t{0}; };
    return missed == nullptr ? look_up_all<Ways, false>(tags, this_set, lines, missed)
                             : look_up_all<Ways, true>(tags, this_set, lines, missed);
}

} // namespace

LruSets::LruSets(SetOfLine set_of, int ways, bool sectored)
    : set_of_(set_of), ways_(ways), vectors_(can_look_up_in_full_sets(ways)),
      empty_(set_of.sets() * ways), tags_(static_cast<std::size_t>(empty_), -1),
      sectors_(sectored ? tags_.size() : 0, 0)
{}

void LruSets::count_empty_ways()
{
    empty_ = std::count(tags_.begin(), tags_.end(), -1);
}

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

// The general way, one line at a time, with sectors and any number of ways.
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
        empty_ -= *place < 0 ? 1 : 0;
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
LookupCount LruSets::access_one_by_one(const LineList& lines, std::uint8_t* missed)
{
    std::int32_t* const tags = tags_.data();
    // Full sets lose a line with every miss, and need no look at empty ways.
    if (vectors_ && empty_ == 0) {
        const std::int64_t misses = look_up_in_full_sets(ways_, tags, set_of_, lines, missed);
        return {misses, misses};
    }
    if (const auto mask = set_of_.mask()) {
        const auto set_of = [mask = *mask](std::int64_t line) { return line & mask; };
        return missed == nullptr ? look_up_all<Ways, false>(tags, set_of, lines, missed)
                                 : look_up_all<Ways, true>(tags, set_of, lines, missed);
    }
    const auto set_of = [copy = set_of_](std::int64_t line) { return copy(line); };
    return missed == nullptr ? look_up_all<Ways, false>(tags, set_of, lines, missed)
                             : look_up_all<Ways, true>(tags, set_of, lines, missed);
}

template <int Ways>
LookupCount LruSets::access_runs(const LineList& lines, std::uint8_t* missed)
{
    LookupCount count;
    const std::size_t size = lines.deltas.size();
    std::size_t next_run = 0;
    for (std::size_t begin = 0; begin < size;) {
        const std::int64_t set = set_of_(lines.first + lines.deltas[begin]);
        std::size_t end = begin + 1;
        if (!lines.runs.empty()) {
            end = begin + static_cast<std::size_t>(lines.runs[next_run++]);
        } else {
            while (end < size && set_of_(lines.first + lines.deltas[end]) == set) {
                ++end;
            }
        }
        const std::size_t looked_up = std::min(end, begin + Ways);
        std::int32_t* const tags = tags_.data() + set * Ways;
        count +=
            look_up_run<Ways>(tags, {lines.first, lines.deltas.subspan(begin, looked_up - begin)},
                              missed == nullptr ? nullptr : missed + begin);
        if (looked_up < end) {
            // As many other distinct lines as there are ways have just filled the set. So none of
            // the rest is present: each one misses, and the last of them remain in the set.
            const auto rest = static_cast<std::int64_t>(end - looked_up);
            count += {rest, rest};
            if (missed != nullptr) {
                std::fill(missed + looked_up, missed + end, std::uint8_t{1});
            }
            for (std::size_t way = 0; way < Ways; ++way) {
                tags[way] = static_cast<std::int32_t>(lines.first + lines.deltas[end - 1 - way]);
            }
        }
        begin = end;
    }
    return count;
}

template <int Ways>
LookupCount LruSets::access_ways(const LineList& lines, std::uint8_t* missed)
{
    // access_runs() pays off where a run is longer than the set. Where runs are not known, look
    // whether the first lines go to one set, and are more than it holds.
    bool has_long_runs = lines.distinct && lines.longest_run > Ways;
    if (lines.distinct && lines.runs.empty() && lines.deltas.size() > Ways) {
        const std::int64_t set = set_of_(lines.first + lines.deltas.front());
        has_long_runs = true;
        for (std::size_t i = 1; has_long_runs && i <= Ways; ++i) {
            has_long_runs = set_of_(lines.first + lines.deltas[i]) == set;
        }
    }
    const LookupCount count =
        has_long_runs ? access_runs<Ways>(lines, missed) : access_one_by_one<Ways>(lines, missed);
    empty_ -= count.misses - count.evictions;
    return count;
}

LookupCount LruSets::access_all(const LineList& lines, std::uint8_t* missed)
{
    switch (ways_) {
    case 1:
        return access_ways<1>(lines, missed);
    case 2:
        return access_ways<2>(lines, missed);
    case 4:
        return access_ways<4>(lines, missed);
    case 8:
        return access_ways<8>(lines, missed);
    case 16:
        return access_ways<16>(lines, missed);
    default:
        return access_each(*this, lines, missed);
    }
}

bool LruSets::is_shifted(const Snapshot& snapshot, const LineShift& shift) const
{
    const auto rotation = set_of_.rotation(shift);
    if (!rotation) {
        return false;
    }
    const auto ways = static_cast<std::size_t>(ways_);
    for (std::int64_t set = 0; set < set_of_.sets(); ++set) {
        const std::size_t from = static_cast<std::size_t>(set) * ways;
        const std::size_t to = static_cast<std::size_t>((set + *rotation) % set_of_.sets()) * ways;
        for (std::size_t way = 0; way < ways; ++way) {
            const std::int32_t tag = snapshot.tags[from + way];
            if ((tag < 0 ? tag : shift(tag)) != tags_[to + way]) {
                return false;
            }
            if (tag >= 0 && !sectors_.empty() &&
                snapshot.sectors[from + way] != sectors_[to + way]) {
                return false;
            }
        }
    }
    return true;
}

void LruSets::shift(const LineShift& shift)
{
    const std::int64_t rotation = set_of_.rotation(shift).value();
    const Snapshot old = save();
    const auto ways = static_cast<std::size_t>(ways_);
    for (std::int64_t set = 0; set < set_of_.sets(); ++set) {
        const std::size_t from = static_cast<std::size_t>(set) * ways;
        const std::size_t to = static_cast<std::size_t>((set + rotation) % set_of_.sets()) * ways;
        for (std::size_t way = 0; way < ways; ++way) {
            const std::int32_t tag = old.tags[from + way];
            tags_[to + way] = tag < 0 ? tag : static_cast<std::int32_t>(shift(tag));
            if (!sectors_.empty()) {
                sectors_[to + way] = old.sectors[from + way];
            }
        }
    }
}

} // namespace texelscope::sim
