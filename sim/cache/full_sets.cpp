// Lookups in LRU sets without empty ways, with AVX2 or AVX-512. The tags of a set are in order of
// use, the most recent one first; a lookup moves its line to the front. There are no branches on
// hits, since these are often mispredicted.

#include "sim/cache/full_sets.hpp"

#include <cstddef>
#include <stdexcept>

#if defined(__x86_64__) && defined(__GNUC__)
#define TEXELSCOPE_HAS_X86_VECTORS
#include <immintrin.h>
#endif

namespace texelscope::sim {

#if defined(TEXELSCOPE_HAS_X86_VECTORS)

namespace {

/// Permutations that make a line the most recent one, by its position in the set: for each position
/// of the new order, where its tag was before.
template <std::size_t Ways>
struct MovesToFront {
    alignas(4 * Ways) std::int32_t from[Ways][Ways];

    constexpr MovesToFront() : from{}
    {
        for (std::size_t place = 0; place < Ways; ++place) {
            for (std::size_t position = 0; position < Ways; ++position) {
                from[place][position] = static_cast<std::int32_t>(position == 0       ? place
                                                                  : position <= place ? position - 1
                                                                                      : position);
            }
        }
    }
};

template <std::size_t Ways>
constexpr MovesToFront<Ways> moves_to_front;

// Each of the four functions below moves a used line to the front of its set, and the tags that
// were in front of it one position back. An absent line pushes out the last tag. Compilers do not
// inline a function that is compiled for other processors than its caller, so each function has a
// loop of its own.

/// A line in a set of four.
struct InFour {
    __m128i* set;
    __m128i old;   ///< its tags
    __m128i equal; ///< all bits where the line is
    __m128i moved; ///< the line in front of all but the last
};

/// `first`: the list's, in all places; `delta`: that of the line.
[[gnu::target("avx2"), gnu::always_inline]] inline InFour
find_in_4(std::int32_t* set, __m128i first, const std::int32_t* delta)
{
    InFour in{reinterpret_cast<__m128i*>(set), {}, {}, {}};
    const __m128i everywhere =
        _mm_castps_si128(_mm_broadcast_ss(reinterpret_cast<const float*>(delta)));
    const __m128i key = _mm_add_epi32(first, everywhere);
    in.old = _mm_loadu_si128(in.set);
    in.equal = _mm_cmpeq_epi32(in.old, key);
    in.moved = _mm_alignr_epi8(in.old, key, 12);
    return in;
}

[[gnu::target("avx2"), gnu::always_inline]] inline std::uint8_t is_absent(const InFour& in)
{
    return _mm_movemask_ps(_mm_castsi128_ps(in.equal)) == 0 ? 1 : 0;
}

[[gnu::target("avx2"), gnu::always_inline]] inline std::int64_t sum_of_4(__m128i counts)
{
    counts = _mm_add_epi32(counts, _mm_srli_si128(counts, 8));
    return _mm_cvtsi128_si32(counts) + _mm_extract_epi32(counts, 1);
}

template <bool Flags, class SetOf>
[[gnu::target("avx2")]] std::int64_t hits_in_4(std::int32_t* tags, SetOf set_of, LineList lines,
                                               std::uint8_t* missed)
{
    const __m128i first = _mm_set1_epi32(static_cast<std::int32_t>(lines.first));
    __m128i hits = _mm_setzero_si128();
    for (std::size_t i = 0; i < lines.deltas.size(); ++i) {
        const InFour in = find_in_4(tags + set_of(lines.first + lines.deltas[i]) * 4, first,
                                    lines.deltas.data() + i);
        // Without leaving the vector unit on the way to the new tags: the next lookup in the set
        // waits for them.
        const __m128i behind =
            _mm_or_si128(_mm_or_si128(_mm_slli_si128(in.equal, 4), _mm_slli_si128(in.equal, 8)),
                         _mm_slli_si128(in.equal, 12));
        _mm_storeu_si128(in.set, _mm_blendv_epi8(in.moved, in.old, behind));
        hits = _mm_sub_epi32(hits, in.equal);
        if constexpr (Flags) {
            missed[i] = is_absent(in);
        }
    }
    return sum_of_4(hits);
}

/// The same in fewer steps: a truth table joins three vectors, and another one selects.
template <bool Flags, class SetOf>
[[gnu::target("avx512f,avx512vl")]] std::int64_t
short_hits_in_4(std::int32_t* tags, SetOf set_of, LineList lines, std::uint8_t* missed)
{
    constexpr int any_of_three = 0xfe;
    constexpr int first_selects = 0xca;
    const __m128i first = _mm_set1_epi32(static_cast<std::int32_t>(lines.first));
    __m128i hits = _mm_setzero_si128();
    for (std::size_t i = 0; i < lines.deltas.size(); ++i) {
        const InFour in = find_in_4(tags + set_of(lines.first + lines.deltas[i]) * 4, first,
                                    lines.deltas.data() + i);
        const __m128i behind =
            _mm_ternarylogic_epi32(_mm_slli_si128(in.equal, 4), _mm_slli_si128(in.equal, 8),
                                   _mm_slli_si128(in.equal, 12), any_of_three);
        _mm_storeu_si128(in.set, _mm_ternarylogic_epi32(behind, in.old, in.moved, first_selects));
        hits = _mm_sub_epi32(hits, in.equal);
        if constexpr (Flags) {
            missed[i] = is_absent(in);
        }
    }
    return sum_of_4(hits);
}

template <bool Flags, class SetOf>
[[gnu::target("avx2")]] std::int64_t hits_in_8(std::int32_t* tags, SetOf set_of, LineList lines,
                                               std::uint8_t* missed)
{
    std::int64_t hits = 0;
    for (std::size_t i = 0; i < lines.deltas.size(); ++i) {
        const std::int64_t line = lines.first + lines.deltas[i];
        auto* const set = reinterpret_cast<__m256i*>(tags + set_of(line) * 8);
        const __m256i key = _mm256_set1_epi32(static_cast<std::int32_t>(line));
        const __m256i old = _mm256_loadu_si256(set);
        const auto found = static_cast<unsigned>(
            _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(old, key))));
        // Where the line is absent, the last place is taken: its tag falls out.
        const auto place = static_cast<unsigned>(__builtin_ctz(found | 1U << 7));
        const __m256i from =
            _mm256_load_si256(reinterpret_cast<const __m256i*>(moves_to_front<8>.from[place]));
        _mm256_storeu_si256(set,
                            _mm256_blend_epi32(_mm256_permutevar8x32_epi32(old, from), key, 1));
        hits += found != 0 ? 1 : 0;
        if constexpr (Flags) {
            missed[i] = found == 0 ? 1 : 0;
        }
    }
    return hits;
}

template <bool Flags, class SetOf>
[[gnu::target("avx512f")]] std::int64_t hits_in_16(std::int32_t* tags, SetOf set_of, LineList lines,
                                                   std::uint8_t* missed)
{
    std::int64_t hits = 0;
    for (std::size_t i = 0; i < lines.deltas.size(); ++i) {
        const std::int64_t line = lines.first + lines.deltas[i];
        std::int32_t* const set = tags + set_of(line) * 16;
        const __m512i key = _mm512_set1_epi32(static_cast<std::int32_t>(line));
        const __m512i old = _mm512_loadu_si512(set);
        const unsigned found = _mm512_cmpeq_epi32_mask(old, key);
        const auto place = static_cast<unsigned>(__builtin_ctz(found | 1U << 15));
        const __m512i from = _mm512_load_si512(moves_to_front<16>.from[place]);
        _mm512_storeu_si512(set, _mm512_mask_permutexvar_epi32(key, 0xfffe, from, old));
        hits += found != 0 ? 1 : 0;
        if constexpr (Flags) {
            missed[i] = found == 0 ? 1 : 0;
        }
    }
    return hits;
}

template <bool Flags, class SetOf>
std::int64_t look_up(int ways, std::int32_t* tags, SetOf set_of, const LineList& lines,
                     std::uint8_t* missed, bool short_avx512)
{
    const std::int64_t hits = ways == 4 && short_avx512
                                  ? short_hits_in_4<Flags>(tags, set_of, lines, missed)
                              : ways == 4 ? hits_in_4<Flags>(tags, set_of, lines, missed)
                              : ways == 8 ? hits_in_8<Flags>(tags, set_of, lines, missed)
                                          : hits_in_16<Flags>(tags, set_of, lines, missed);
    return static_cast<std::int64_t>(lines.deltas.size()) - hits;
}

/// set = line & mask.
struct MaskedSet {
    std::int64_t mask;
    std::int64_t operator()(std::int64_t line) const { return line & mask; }
};

} // namespace

bool can_look_up_in_full_sets(int ways)
{
    return ways == 16 ? __builtin_cpu_supports("avx512f") != 0
                      : (ways == 4 || ways == 8) && __builtin_cpu_supports("avx2") != 0;
}

bool has_short_avx512()
{
    return __builtin_cpu_supports("avx512vl") != 0;
}

std::int64_t look_up_in_full_sets(int ways, std::int32_t* tags, const SetOfLine& set_of,
                                  const LineList& lines, std::uint8_t* missed, bool short_avx512)
{
    if (const auto mask = set_of.mask()) {
        return missed == nullptr
                   ? look_up<false>(ways, tags, MaskedSet{*mask}, lines, missed, short_avx512)
                   : look_up<true>(ways, tags, MaskedSet{*mask}, lines, missed, short_avx512);
    }
    return missed == nullptr ? look_up<false>(ways, tags, set_of, lines, missed, short_avx512)
                             : look_up<true>(ways, tags, set_of, lines, missed, short_avx512);
}

#else

bool can_look_up_in_full_sets(int)
{
    return false;
}

bool has_short_avx512()
{
    return false;
}

std::int64_t look_up_in_full_sets(int, std::int32_t*, const SetOfLine&, const LineList&,
                                  std::uint8_t*, bool)
{
    throw std::logic_error("this processor has no such vectors");
}

#endif

} // namespace texelscope::sim
