#pragma once

#include "sim/cache/fill_outcome.hpp"
#include "sim/cache/set_of_line.hpp"

#include <cstdint>

namespace texelscope::sim {

/// Whether this processor has the vector instructions that look_up_in_full_sets() needs for so many
/// ways: AVX2 for 4 and 8 ways, AVX-512 for 16.
[[nodiscard]] bool can_look_up_in_full_sets(int ways);

/// Whether this processor has AVX-512 for vectors of four numbers.
[[nodiscard]] bool has_short_avx512();

/// Looks up lines one by one in LRU sets that have no empty way. tags[set * ways + position] are
/// the tags of each set, the most recent one first. A set is one vector, and a use of a line is one
/// permutation of it. Unless `missed` is null, missed[i] becomes 1 where line i was absent, else 0.
/// Returns the number of misses, each of which throws a line out. `short_avx512`: whether sets of
/// four ways are looked up by AVX-512.
std::int64_t look_up_in_full_sets(int ways, std::int32_t* tags, const SetOfLine& set_of,
                                  const LineList& lines, std::uint8_t* missed,
                                  bool short_avx512 = has_short_avx512());

} // namespace texelscope::sim
