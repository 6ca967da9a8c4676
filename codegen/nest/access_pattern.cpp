#include "codegen/nest/access_pattern.hpp"

#include "base/error.hpp"

#include <limits>

namespace texelscope::codegen {
namespace {

struct NamedPattern {
    AccessPattern pattern;
    const char* name;
    int reuse_distance;
    int block_rows;
};

constexpr std::array entries{NamedPattern{AccessPattern::column, "column", 0, 1},
                             NamedPattern{AccessPattern::row, "row", 1, 1},
                             NamedPattern{AccessPattern::block2, "block2", 2, 2},
                             NamedPattern{AccessPattern::block4, "block4", 4, 4},
                             NamedPattern{AccessPattern::block8, "block8", 8, 8}};

const NamedPattern& entry(AccessPattern pattern)
{
    return entries[static_cast<std::size_t>(pattern)];
}

std::int32_t side(std::int64_t texels)
{
    if (texels > std::numeric_limits<std::int32_t>::max()) {
        throw bad_input("an image side of " + std::to_string(texels) + " texels is too large",
                        "packing", "use a smaller shape or another pattern");
    }
    return static_cast<std::int32_t>(texels);
}

} // namespace

std::string to_string(AccessPattern pattern)
{
    return entry(pattern).name;
}

int reuse_distance(AccessPattern pattern)
{
    return entry(pattern).reuse_distance;
}

int block_rows(AccessPattern pattern)
{
    return entry(pattern).block_rows;
}

Placement place(AccessPattern pattern, const IndexExpr& thread, const IndexExpr& reduction)
{
    if (pattern == AccessPattern::column) {
        return {thread, reduction};
    }
    const int k = block_rows(pattern);
    if (k == 1) { // row: the general formula with k = 1, without its divisions
        return {reduction, thread};
    }
    return {floor_div(reduction, k), thread * k + mod(reduction, k)};
}

Extent2D packed_extent(AccessPattern pattern, std::int64_t threads, std::int64_t reductions)
{
    if (pattern == AccessPattern::column) {
        return {side(threads), side(reductions)};
    }
    const int k = block_rows(pattern);
    return {side(ceil_div(reductions, k)), side(threads * k)};
}

} // namespace texelscope::codegen
