#include "codegen/operators/bilinear.hpp"

namespace texelscope::codegen {
namespace {

Tensor gradient(const Tensor& tensor)
{
    return {"d" + tensor.name, tensor.shape, tensor.dims, tensor.role};
}

} // namespace

std::vector<Tensor> pass_inputs(const BilinearMap& map, Pass pass)
{
    switch (pass) {
    case Pass::first_gradient:
        return {gradient(map.result), map.second};
    case Pass::second_gradient:
        return {map.first, gradient(map.result)};
    case Pass::forward:
        break;
    }
    return {map.first, map.second};
}

Tensor pass_output(const BilinearMap& map, Pass pass)
{
    switch (pass) {
    case Pass::first_gradient:
        return gradient(map.first);
    case Pass::second_gradient:
        return gradient(map.second);
    case Pass::forward:
        break;
    }
    return map.result;
}

} // namespace texelscope::codegen
