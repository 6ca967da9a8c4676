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

/// For each place of the line that is used: where the tag at each position of the new order was before.
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

// Each of the four puts lines in front of their sets, the tags before them one back; an absent one takes the place of the last.
// Compilers do not inline a function that is for other processors than its caller, so each has a loop of its own.

template <bool Flags, class SetOf>
[[gnu::target("avx2")]] std::int64_t hits_in_4(std::int32_t* tags, SetOf set_of, LineList lines, std::uint8_t* missed)
{
    const auto* const deltas = reinterpret_cast<const float*>(lines.deltas.data()); // for a load into all four places
    const __m128i first = _mm_set1_epi32(static_cast<std::int32_t>(lines.first));
    __m128i hits = _mm_setzero_si128();
    for (std::size_t i = 0; i < lines.deltas.size(); ++i) {
        const std::int64_t line = lines.first + lines.deltas[i];
        auto* const set = reinterpret_cast<__m128i*>(tags + set_of(line) * 4);
        const __m128i key = _mm_add_epi32(first, _mm_castps_si128(_mm_broadcast_ss(deltas + i)));
        const __m128i old = _mm_loadu_si128(set);
        // Without leaving the vector unit on the way to the new tags: the next lookup in the set waits for them.
        const __m128i equal = _mm_cmpeq_epi32(old, key);
        const __m128i behind =
            _mm_or_si128(_mm_or_si128(_mm_slli_si128(equal, 4), _mm_slli_si128(equal, 8)), _mm_slli_si128(equal, 12));
        _mm_storeu_si128(set, _mm_blendv_epi8(_mm_alignr_epi8(old, key, 12), old, behind));
        hits = _mm_sub_epi32(hits, equal);
        if constexpr (Flags) {
            missed[i] = _mm_movemask_ps(_mm_castsi128_ps(equal)) == 0 ? 1 : 0;
        }
    }
    hits = _mm_add_epi32(hits, _mm_srli_si128(hits, 8));
    return _mm_cvtsi128_si32(hits) + _mm_extract_epi32(hits, 1);
}

/// The same with less to do: selecting and joining bits takes one instruction each (which it was three and two of).
template <bool Flags, class SetOf>
[[gnu::target("avx512f,avx512vl")]] std::int64_t short_hits_in_4(std::int32_t* tags, SetOf set_of, LineList lines,
                                                                 std::uint8_t* missed)
{
    constexpr int any_of_three = 0xfe; // truth tables
    constexpr int first_selects = 0xca;
    const auto* const deltas = reinterpret_cast<const float*>(lines.deltas.data());
    const __m128i first = _mm_set1_epi32(static_cast<std::int32_t>(lines.first));
    __m128i hits = _mm_setzero_si128();
    for (std::size_t i = 0; i < lines.deltas.size(); ++i) {
        const std::int64_t line = lines.first + lines.deltas[i];
        auto* const set = reinterpret_cast<__m128i*>(tags + set_of(line) * 4);
        const __m128i key = _mm_add_epi32(first, _mm_castps_si128(_mm_broadcast_ss(deltas + i)));
        const __m128i old = _mm_loadu_si128(set);
        const __m128i equal = _mm_cmpeq_epi32(old, key);
        const __m128i behind = _mm_ternarylogic_epi32(_mm_slli_si128(equal, 4), _mm_slli_si128(equal, 8),
                                                      _mm_slli_si128(equal, 12), any_of_three);
        _mm_storeu_si128(set, _mm_ternarylogic_epi32(behind, old, _mm_alignr_epi8(old, key, 12), first_selects));
        hits = _mm_sub_epi32(hits, equal);
        if constexpr (Flags) {
            missed[i] = _mm_movemask_ps(_mm_castsi128_ps(equal)) == 0 ? 1 : 0;
        }
    }
    hits = _mm_add_epi32(hits, _mm_srli_si128(hits, 8));
    return _mm_cvtsi128_si32(hits) + _mm_extract_epi32(hits, 1);
}

template <bool Flags, class SetOf>
[[gnu::target("avx2")]] std::int64_t hits_in_8(std::int32_t* tags, SetOf set_of, LineList lines, std::uint8_t* missed)
{
    std::int64_t hits = 0;
    for (std::size_t i = 0; i < lines.deltas.size(); ++i) {
        const std::int64_t line = lines.first + lines.deltas[i];
        auto* const set = reinterpret_cast<__m256i*>(tags + set_of(line) * 8);
        const __m256i key = _mm256_set1_epi32(static_cast<std::int32_t>(line));
        const __m256i old = _mm256_loadu_si256(set);
        const auto found = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(old, key))));
        const auto place = static_cast<unsigned>(__builtin_ctz(found | 1U << 7));
        const __m256i from = _mm256_load_si256(reinterpret_cast<const __m256i*>(moves_to_front<8>.from[place]));
        _mm256_storeu_si256(set, _mm256_blend_epi32(_mm256_permutevar8x32_epi32(old, from), key, 1));
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
std::int64_t look_up(int ways, std::int32_t* tags, SetOf set_of, const LineList& lines, std::uint8_t* missed,
                     bool short_avx512)
{
    const std::int64_t hits = ways == 4 && short_avx512 ? short_hits_in_4<Flags>(tags, set_of, lines, missed)
                              : ways == 4               ? hits_in_4<Flags>(tags, set_of, lines, missed)
                              : ways == 8               ? hits_in_8<Flags>(tags, set_of, lines, missed)
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

std::int64_t look_up_in_full_sets(int ways, std::int32_t* tags, const SetOfLine& set_of, const LineList& lines,
                                  std::uint8_t* missed, bool short_avx512)
{
    if (const auto mask = set_of.mask()) {
        return missed == nullptr ? look_up<false>(ways, tags, MaskedSet{*mask}, lines, missed, short_avx512)
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

std::int64_t look_up_in_full_sets(int, std::int32_t*, const SetOfLine&, const LineList&, std::uint8_t*, bool)
{
    throw std::logic_error("this processor has no such vectors");
}

#endif

} // namespace texelscope::sim
