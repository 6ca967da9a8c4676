#pragma once

#include "traces/image.hpp"
#include "traces/index/index_expr.hpp"

#include <array>
#include <string>

namespace texelscope::codegen {

/// How an operand is placed in its image (TMModel 3.2.1, figure 3). An operand varies with one
/// thread index t (which data a work-item reads) and one reduction index r (the order in which it
/// reads them):
///   column:   x = t,             y = r
///   row:      x = r,             y = t
///   block-k:  x = floor(r / k),  y = t*k + r mod k
/// Choosing a pattern chooses the packing of the tensor with it, so the logical order of the
/// computation stays.
enum class AccessPattern { column, row, block2, block4, block8 };

inline constexpr std::array all_access_patterns{AccessPattern::column, AccessPattern::row,
                                                AccessPattern::block2, AccessPattern::block4,
                                                AccessPattern::block8};

[[nodiscard]] std::string to_string(AccessPattern pattern);

/// TMModel's s: how many cache lines a thread keeps in use to come back to: 0 (column: none), 1, 2,
/// 4, 8. Not a stack distance.
[[nodiscard]] int reuse_distance(AccessPattern pattern);

/// The k of block-k; 1 for column and row.
[[nodiscard]] int block_rows(AccessPattern pattern);

/// The column x and the row y of a texel, as index expressions.
struct Placement {
    IndexExpr x;
    IndexExpr y;
};
/// The texel that holds thread index t and reduction index r, by the formulas of AccessPattern.
[[nodiscard]] Placement place(AccessPattern pattern, const IndexExpr& thread,
                              const IndexExpr& reduction);

/// Size of the image that holds every t in [0, threads) and r in [0, reductions). Throws bad_input
/// where a side exceeds 2^31-1.
[[nodiscard]] Extent2D packed_extent(AccessPattern pattern, std::int64_t threads,
                                     std::int64_t reductions);

} // namespace texelscope::codegen
