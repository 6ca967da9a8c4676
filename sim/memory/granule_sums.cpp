// Granules of texels where the storage layout is a sum of a table over x and one over y, and a
// texel never lies across two granules: then the granule is first + x_[x] + y_[y]. With AVX-512, 16
// lanes are computed at once.

#include "sim/memory/granule_sums.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>

#if defined(__x86_64__) && defined(__GNUC__)
#define TEXELSCOPE_HAS_X86_VECTORS
#include <immintrin.h>
#endif

namespace texelscope::sim {
namespace {

/// Appends each offset of `bytes`, divided by the granule, to `granules`. Returns the largest
/// remainder in bytes.
std::int64_t divide(std::span<const std::int64_t> bytes, std::int64_t granule,
                    std::vector<std::int32_t>& granules)
{
    std::int64_t most = 0;
    for (const std::int64_t offset : bytes) {
        granules.push_back(static_cast<std::int32_t>(offset / granule));
        most = std::max(most, offset % granule);
    }
    return most;
}

std::int32_t all_bits(const std::vector<std::int32_t>& values)
{
    return std::accumulate(values.begin(), values.end(), std::int32_t{0}, std::bit_or{});
}

/// Whether every value of `inner` is less than the distance of any two distinct values of `outer`.
bool fits_between(const std::vector<std::int32_t>& inner, std::vector<std::int32_t> outer)
{
    std::ranges::sort(outer);
    outer.erase(std::unique(outer.begin(), outer.end()), outer.end());
    const std::int32_t most = *std::ranges::max_element(inner);
    return std::ranges::adjacent_find(outer, [most](std::int32_t low, std::int32_t high) {
               return high - low <= most;
           }) == outer.end();
}

} // namespace

std::optional<GranuleSums> GranuleSums::of(const StoredImage& image, std::int64_t granule)
{
    const auto offsets = image.layout.sums();
    // Images start at pages: where granules divide pages, no granule is shared by two images. Where
    // texels divide granules, no texel lies across two.
    if (!offsets || image_alignment % granule != 0 || granule % image.bytes_per_texel != 0) {
        return std::nullopt;
    }
    GranuleSums sums(image.extent, image.address_mode);
    sums.first_ = static_cast<std::int32_t>(image.base / granule);
    // Remainders of x and y together stay below a granule, so dividing before adding is exact.
    if (divide(offsets->x, granule, sums.x_.values) + divide(offsets->y, granule, sums.y_.values) >=
        granule) {
        return std::nullopt;
    }
    // Whether different (x, y) give different sums: no common bits, or the one table fits into the
    // gaps of the other. Then lanes that ascend in either table have distinct granules, and need
    // not be compared.
    sums.unique_ = (all_bits(sums.x_.values) & all_bits(sums.y_.values)) == 0 ||
                   fits_between(sums.x_.values, sums.y_.values) ||
                   fits_between(sums.y_.values, sums.x_.values);
#if defined(TEXELSCOPE_HAS_X86_VECTORS)
    if (__builtin_cpu_supports("avx512f")) {
        add_terms(sums.x_);
        add_terms(sums.y_);
        sums.vectors_ = sums.x_.has_terms && sums.y_.has_terms;
    }
#endif
    return sums;
}

// Vector instructions have no table lookups that are as fast as arithmetic. So a table is written
// as a sum of terms ((i >> shift) & mask) * factor, if it has such a form; otherwise the vectors
// are not used.
void GranuleSums::add_terms(Axis& axis)
{
    const std::vector<std::int32_t>& values = axis.values;
    std::int32_t last = 0;
    for (int bit = 0; (std::size_t{1} << bit) < values.size(); ++bit) {
        const std::int32_t value = values[std::size_t{1} << bit];
        if (value != 0 && value == 2 * last) {
            axis.terms.back().mask = 2 * axis.terms.back().mask + 1;
        } else if (value != 0) {
            axis.terms.push_back({bit, 1, value});
        }
        last = value;
    }
    axis.has_terms = true;
    for (std::size_t i = 0; axis.has_terms && i < values.size(); ++i) {
        std::int32_t sum = 0;
        for (const Term& term : axis.terms) {
            sum += ((static_cast<std::int32_t>(i) >> term.shift) & term.mask) * term.factor;
        }
        axis.has_terms = sum == values[i];
    }
}

GranuleSums::Found GranuleSums::find(std::span<const LaneRead> lanes, std::int32_t* granules) const
{
    const std::int32_t* const by_x = x_.values.data();
    const std::int32_t* const by_y = y_.values.data();
    Order order;
    std::size_t count = vectors_ ? find_16(lanes, granules, order) : 0;
    std::int32_t last_x = -1;
    std::int32_t last_y = -1;
    if (count > 0) {
        const Texel last = lanes[count - 1].texel;
        last_x = by_x[last.x];
        last_y = by_y[last.y];
    }
    std::size_t lane = count;
    for (; lane < lanes.size() && lanes[lane].image == lanes.front().image; ++lane) {
        Texel texel = lanes[lane].texel;
        if (!extent_.contains(texel)) [[unlikely]] {
            if (address_mode_ == AddressMode::border) {
                continue;
            }
            texel = extent_.clamp(texel);
        }
        const std::int32_t x = by_x[texel.x];
        const std::int32_t y = by_y[texel.y];
        granules[count++] = first_ + x + y;
        order.x |= x - 1 - last_x;
        order.y |= y - 1 - last_y;
        last_x = x;
        last_y = y;
    }
    return {lane, count, unique_ && (order.x >= 0 || order.y >= 0)};
}

#if defined(TEXELSCOPE_HAS_X86_VECTORS)

[[gnu::target("avx512f")]] std::size_t
GranuleSums::find_16(std::span<const LaneRead> lanes, std::int32_t* granules, Order& order) const
{
    static_assert(sizeof(LaneRead) == 12 && offsetof(LaneRead, texel) == 0 &&
                  offsetof(Texel, y) == 4 && offsetof(LaneRead, image) == 8);
    // 16 lanes are 48 numbers in three vectors a, b and c: column, row, and image with lane of
    // each. These permutations gather every third number: first from a and b, then from c.
    const __m512i low_x = _mm512_setr_epi32(0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 0, 0, 0, 0, 0);
    const __m512i high_x = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 17, 20, 23, 26, 29);
    const __m512i low_y = _mm512_setr_epi32(1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31, 0, 0, 0, 0, 0);
    const __m512i high_y = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 18, 21, 24, 27, 30);
    const __m512i low_image =
        _mm512_setr_epi32(2, 5, 8, 11, 14, 17, 20, 23, 26, 29, 0, 0, 0, 0, 0, 0);
    const __m512i high_image =
        _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 19, 22, 25, 28, 31);
    const __m512i width = _mm512_set1_epi32(extent_.width);
    const __m512i height = _mm512_set1_epi32(extent_.height);
    const __m512i one = _mm512_set1_epi32(1);
    const __m512i image = _mm512_set1_epi32(lanes.front().image);
    const __m512i image_bits = _mm512_set1_epi32(0xffff);
    const auto sum = [&](const Axis& axis, __m512i at)
        __attribute__((target("avx512f"), always_inline))
    {
        __m512i total = _mm512_setzero_si512();
        for (const Term& term : axis.terms) {
            const __m512i part = _mm512_and_si512(
                _mm512_srl_epi32(at, _mm_cvtsi32_si128(term.shift)), _mm512_set1_epi32(term.mask));
            total =
                _mm512_add_epi32(total, _mm512_mullo_epi32(part, _mm512_set1_epi32(term.factor)));
        }
        return total;
    };
    __m512i x_order = _mm512_setzero_si512();
    __m512i y_order = _mm512_setzero_si512();
    __m512i last_x = _mm512_set1_epi32(-1);
    __m512i last_y = _mm512_set1_epi32(-1);
    std::size_t lane = 0;
    for (; lane + 16 <= lanes.size(); lane += 16) {
        const auto* const numbers = reinterpret_cast<const std::int32_t*>(lanes.data() + lane);
        const __m512i a = _mm512_loadu_si512(numbers);
        const __m512i b = _mm512_loadu_si512(numbers + 16);
        const __m512i c = _mm512_loadu_si512(numbers + 32);
        const __m512i column =
            _mm512_permutex2var_epi32(_mm512_permutex2var_epi32(a, low_x, b), high_x, c);
        const __m512i row =
            _mm512_permutex2var_epi32(_mm512_permutex2var_epi32(a, low_y, b), high_y, c);
        const __m512i images =
            _mm512_permutex2var_epi32(_mm512_permutex2var_epi32(a, low_image, b), high_image, c);
        // Compared as unsigned numbers, negative coordinates are large: one comparison tests both
        // sides.
        const unsigned fit = _mm512_cmplt_epu32_mask(column, width) &
                             _mm512_cmplt_epu32_mask(row, height) &
                             _mm512_cmpeq_epi32_mask(_mm512_and_si512(images, image_bits), image);
        if (fit != 0xffff) {
            break;
        }
        const __m512i x = sum(x_, column);
        const __m512i y = sum(y_, row);
        _mm512_storeu_si512(granules + lane,
                            _mm512_add_epi32(_mm512_set1_epi32(first_), _mm512_add_epi32(x, y)));
        // The values of the 16 lanes before each lane's own: the differences less 1 are negative
        // where the order does not ascend.
        const __m512i before_x = _mm512_alignr_epi32(x, last_x, 15);
        const __m512i before_y = _mm512_alignr_epi32(y, last_y, 15);
        x_order = _mm512_or_si512(x_order, _mm512_sub_epi32(_mm512_sub_epi32(x, one), before_x));
        y_order = _mm512_or_si512(y_order, _mm512_sub_epi32(_mm512_sub_epi32(y, one), before_y));
        last_x = x;
        last_y = y;
    }
    const __m512i zero = _mm512_setzero_si512();
    order.x = _mm512_cmplt_epi32_mask(x_order, zero) != 0 ? -1 : 0;
    order.y = _mm512_cmplt_epi32_mask(y_order, zero) != 0 ? -1 : 0;
    return lane;
}

#else

std::size_t GranuleSums::find_16(std::span<const LaneRead>, std::int32_t*, Order&) const
{
    return 0;
}

#endif

} // namespace texelscope::sim
