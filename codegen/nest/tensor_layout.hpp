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
    /// Dimensions that an access pattern takes as its thread index and as its reduction index, and
    /// the one of which a texel holds four neighbours; the others, in the tensor's order, choose a
    /// plane of the image. -1: there is none.
    int thread = -1;
    int reduction = -1;
    int packed = -1;
    AccessPattern pattern = AccessPattern::row;
    Memory memory = Memory::image;
    Storage storage = Storage::fp32;
    /// Along each dimension, the elements that reads ask for. What lies outside of the tensor finds
    /// zeros: in gaps between rows and planes, or outside of the image. Of a layout that is given
    /// to a kernel, empty: what that kernel asks for.
    std::vector<Range> asked = {};
    /// In place of those roles and the pattern: the dimensions that number the columns and the rows
    /// of the image, outermost first (see SidePacking), each of the tensor's once. Empty both:
    /// roles and pattern hold.
    std::vector<int> across = {};
    std::vector<int> down = {};
    std::int32_t row_multiple = 0; ///< of an image, see Image

    bool operator==(const TensorLayout&) const = default;

    [[nodiscard]] bool by_sides() const { return !across.empty() || !down.empty(); }
    /// Whether there are zeros wherever reads of the other ask for what is not stored.
    [[nodiscard]] bool answers(const TensorLayout& other) const;
};

/// How dimensions go over the image: "block4", or by sides "d1,d3 x d0,d2".
[[nodiscard]] std::string to_string(const TensorLayout& layout);

/// A layout for readers of both, which differ in what is asked for alone.
[[nodiscard]] TensorLayout joined(TensorLayout a, const TensorLayout& b);

/// Layouts that others have decided, of the inputs, then of the output; nothing where the schedule
/// decides. Empty: all of them.
using GivenLayouts = std::vector<std::optional<TensorLayout>>;

} // namespace texelscope::codegen
