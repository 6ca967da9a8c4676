#include "codegen/nest/framework_layout.hpp"

#include "base/error.hpp"
#include "codegen/nest/operand.hpp"
#include "codegen/nest/tensor_layout.hpp"

#include <fmt/format.h>

#include <tuple>
#include <type_traits>
#include <utility>

namespace texelscope::codegen {
namespace {

/// The dimensions of a tensor of a convolution by their part in it; -1 where there is none.
struct ConvDims {
    int batch = -1;
    std::vector<int> places; ///< depth, height and width of images; taps of weights
    int in = -1;             ///< input channels of weights
    int packed = -1;         ///< channels of images, output channels of weights
};

ConvDims dims_of(const Tensor& tensor)
{
    const auto rank = static_cast<int>(tensor.shape.size());
    ConvDims dims;
    dims.packed = rank - 1;
    const bool image = tensor.role == TensorRole::activations;
    dims.batch = image ? 0 : -1;
    dims.in = tensor.role == TensorRole::weights ? rank - 2 : -1;
    for (int d = image ? 1 : 0; d < (dims.in < 0 ? dims.packed : dims.in); ++d) {
        dims.places.push_back(d);
    }
    return dims;
}

/// Joins dimensions, those of -1 left out.
template <class... Parts>
std::vector<int> joined_dims(const Parts&... parts)
{
    std::vector<int> all;
    const auto add = [&](const auto& part) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(part)>, int>) {
            if (part >= 0) {
                all.push_back(part);
            }
        } else {
            all.insert(all.end(), part.begin(), part.end());
        }
    };
    (add(parts), ...);
    return all;
}

using Sides = std::pair<std::vector<int>, std::vector<int>>; ///< down, across

/// Nothing down and nothing across: the framework has no such layout.
Sides sides_of(FrameworkLayout layout, const Tensor& tensor)
{
    const auto [n, places, in, c] = dims_of(tensor);
    const std::vector<int> but_last(places.begin(), places.end() - 1);
    const int last = places.back();
    const bool image = tensor.role == TensorRole::activations;
    switch (layout) {
    case FrameworkLayout::own:
        break;
    case FrameworkLayout::tvm:
        return image ? Sides{joined_dims(n, c, but_last), {last}}
                     : Sides{joined_dims(c, in, but_last), {last}};
    case FrameworkLayout::tvm_nhwc:
        return image ? Sides{joined_dims(n, but_last), joined_dims(last, c)}
                     : Sides{joined_dims(places, in), {c}};
    case FrameworkLayout::tvm_weight:
        return image ? Sides{{n}, joined_dims(c, places)} : Sides{{c}, joined_dims(in, places)};
    case FrameworkLayout::mnn:
        if (image) {
            return {joined_dims(n, but_last), joined_dims(c, last)};
        }
        return in < 0 ? Sides{{c}, places} : Sides{joined_dims(c, places), {in}};
    case FrameworkLayout::tflite:
        return image ? Sides{joined_dims(but_last, c), joined_dims(last, n)} : Sides{};
    case FrameworkLayout::tvm_nhwc_rows:
        return image ? Sides{joined_dims(n, places), {c}} : Sides{};
    }
    return {};
}

} // namespace

const std::vector<std::string>& framework_layout_names()
{
    static const std::vector<std::string> names{"own", "tvm",    "tvm-nhwc",     "tvm-weight",
                                                "mnn", "tflite", "tvm-nhwc-rows"};
    return names;
}

bool has_layout(FrameworkLayout layout, const Tensor& tensor)
{
    return tensor.role != TensorRole::other && !sides_of(layout, tensor).first.empty();
}

TensorLayout layout_of_framework(FrameworkLayout layout, const Tensor& tensor)
{
    const std::string& name = framework_layout_names()[static_cast<std::size_t>(layout)];
    if (tensor.role == TensorRole::other) {
        throw bad_input(fmt::format("'{}' has no layout for this tensor", name), tensor.name,
                        "frameworks' layouts are for images and weights of convolutions; put own");
    }
    TensorLayout of;
    std::tie(of.down, of.across) = sides_of(layout, tensor);
    if (!of.by_sides()) {
        throw bad_input(fmt::format("'{}' keeps weights in no image of one form", name),
                        tensor.name, "put own, or another framework");
    }
    of.packed = dims_of(tensor).packed;
    return of;
}

} // namespace texelscope::codegen
