#pragma once

#include "codegen/operators/operator.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace texelscope::codegen {

/// What is computed of a bilinear map result = f(first, second): the map, or the gradient of a
/// scalar with respect to one of its arguments from that with respect to the result. All three add
/// up the same products: where the map adds first[i] * second[j] to result[r], the gradients add
/// dresult[r] * second[j] to dfirst[i] and first[i] * dresult[r] to dsecond[j].
enum class Pass { forward, first_gradient, second_gradient };

/// The tensors of the map itself.
struct BilinearMap {
    Tensor first;
    Tensor second;
    Tensor result;
};

/// What the pass reads: for Y from X and W, these two; for dX, dY and W; for dW, X and dY. A
/// gradient is named after its tensor, with a d in front.
[[nodiscard]] std::vector<Tensor> pass_inputs(const BilinearMap& map, Pass pass);
[[nodiscard]] Tensor pass_output(const BilinearMap& map, Pass pass);

/// Function of the inputs of the pass that adds up the products in double precision.
/// `for_each_product(visit)` calls visit(i, j, r) for every product of the map: element i of
/// `first` times j of `second`, into r of `result`. `outputs`: elements of the pass's output.
template <class ForEachProduct>
[[nodiscard]] std::function<std::vector<float>(const TensorValues&)>
sum_of_products(Pass pass, std::int64_t outputs, ForEachProduct for_each_product)
{
    return [=](const TensorValues& inputs) {
        std::vector<double> sums(static_cast<std::size_t>(outputs), 0.0);
        const std::vector<float>& a = inputs[0];
        const std::vector<float>& b = inputs[1];
        switch (pass) {
        case Pass::forward:
            for_each_product([&](std::size_t i, std::size_t j, std::size_t r) {
                sums[r] += double{a[i]} * b[j];
            });
            break;
        case Pass::first_gradient:
            for_each_product([&](std::size_t i, std::size_t j, std::size_t r) {
                sums[i] += double{a[r]} * b[j];
            });
            break;
        case Pass::second_gradient:
            for_each_product([&](std::size_t i, std::size_t j, std::size_t r) {
                sums[j] += double{a[i]} * b[r];
            });
            break;
        }
        std::vector<float> values(sums.size());
        std::transform(sums.begin(), sums.end(), values.begin(),
                       [](double sum) { return static_cast<float>(sum); });
        return values;
    };
}

} // namespace texelscope::codegen
