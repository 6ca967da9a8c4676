#pragma once

#include "codegen/nest/schedule.hpp"
#include "traces/index/index_expr.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::codegen {

/// Where a tensor keeps its elements: a value on which the kernel that writes it and those that
/// read it agree.
struct TensorLayout {
    /// Numbers of the tensor's dimensions: which one the access pattern takes as its thread index,
    /// which one as its reduction index, and of which one a texel holds four neighbours. The other
    /// dimensions, in the tensor's order, choose a plane of the image. -1: there is no such
    /// dimension.
    int thread = -1;
    int reduction = -1;
    int packed = -1;
    AccessPattern pattern = AccessPattern::row;
    Memory memory = Memory::image;
    Storage storage = Storage::fp32;
    /// The indices along each dimension that reads ask for. Those outside of the tensor read zeros,
    /// in gaps between rows and planes or outside of the image. Empty in a layout that is given to
    /// a kernel: the indices that this kernel asks for.
    std::vector<Range> asked = {};
    /// The other way to describe a layout, which replaces thread, reduction and pattern: the
    /// dimensions that number the columns and those that number the rows of the image, outermost
    /// first (see SidePacking). Each dimension of the tensor occurs once. If both are empty,
    /// thread, reduction and pattern hold.
    std::vector<int> across = {};
    std::vector<int> down = {};
    std::int32_t row_multiple = 0; ///< texels of which each row has a multiple, see Image

    bool operator==(const TensorLayout&) const = default;

    [[nodiscard]] bool by_sides() const { return !across.empty() || !down.empty(); }
    /// Whether a kernel written for the layout `other` may read this one: wherever `other` asks for
    /// elements outside of the tensor, this layout has zeros, too.
    [[nodiscard]] bool answers(const TensorLayout& other) const;
};

/// A short name of how dimensions go over the image: the pattern, e.g. "block4", or by sides "d1,d3
/// x d0,d2".
[[nodiscard]] std::string to_string(const TensorLayout& layout);

/// A layout that serves the readers of both. The two may differ only in what is asked for.
[[nodiscard]] TensorLayout joined(TensorLayout a, const TensorLayout& b);

/// Layouts that are fixed from outside (by a network's plan), one for each input, then the output.
/// Where an entry is empty the schedule decides; in an empty list it decides on all of them.
using GivenLayouts = std::vector<std::optional<TensorLayout>>;

} // namespace texelscope::codegen
