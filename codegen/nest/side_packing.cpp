#include "codegen/nest/side_packing.hpp"

#include <algorithm>

namespace texelscope::codegen {
namespace {

/// Variables that stand for dimensions whose asked values are known; only their bounds matter.
std::vector<IndexExpr> all_asked(const std::vector<PackedDim>& dims)
{
    std::vector<IndexExpr> index;
    for (const PackedDim& dim : dims) {
        index.emplace_back(Variable{static_cast<int>(index.size()), "d", dim.asked});
    }
    return index;
}

bool stays(const PackedDim& dim)
{
    return dim.extent == 1 && dim.asked == Range{0, 0};
}

} // namespace

/// `leaving` says that an index that leaves the outermost dimension leaves the image, so that this
/// dimension needs no gap.
SidePacking::Side SidePacking::side(const std::vector<PackedDim>& dims, bool leaving)
{
    Side side;
    for (const PackedDim& dim : dims) {
        side.extents.push_back(leaving ? dim.extent : dim.with_gap());
        side.length *= side.extents.back();
        leaving = leaving && stays(dim); // outer dimensions of one place do not count
    }
    return side;
}

SidePacking::SidePacking(Memory memory, const std::vector<PackedDim>& across,
                         const std::vector<PackedDim>& down, const std::string& name)
    : memory_(memory),
      across_(side(across, memory == Memory::image || std::ranges::all_of(down, stays))),
      down_(side(down, true))
{
    if (memory == Memory::image) {
        extent_ = {image_side(across_.length, name), image_side(down_.length, name)};
        return;
    }
    const Range rows = (number(down_, all_asked(down)) * across_.length).bounds();
    const Range columns = number(across_, all_asked(across)).bounds();
    const Range reads{rows.min + columns.min, rows.max + columns.max};
    margin_ = std::max<std::int64_t>(0, -reads.min);
    extent_ = {image_side(margin_ + std::max(reads.max + 1, across_.length * down_.length), name),
               1};
}

IndexExpr SidePacking::number(const Side& side, const std::vector<IndexExpr>& index)
{
    IndexExpr number(0);
    for (std::size_t i = 0; i < index.size(); ++i) {
        number = i == 0 ? index[i] : number * side.extents[i] + index[i];
    }
    return number;
}

Placement SidePacking::at(const std::vector<IndexExpr>& across,
                          const std::vector<IndexExpr>& down) const
{
    const IndexExpr x = number(across_, across);
    const IndexExpr y = number(down_, down);
    return memory_ == Memory::image ? Placement{x, y}
                                    : Placement{y * across_.length + x + margin_, IndexExpr(0)};
}

} // namespace texelscope::codegen
