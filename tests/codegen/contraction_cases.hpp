#pragma once

#include "base/error.hpp"
#include "codegen/operators/conv.hpp"
#include "codegen/operators/matmul.hpp"
#include "tests/base/random.hpp"

#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace texelscope::test {
using namespace codegen;

/// An operator and the contraction that it is.
struct ContractionCase {
    Operator op;
    Contraction contraction;
};

inline const std::vector<Pass> all_passes{Pass::forward, Pass::first_gradient,
                                          Pass::second_gradient};
inline const std::vector<ConvFamily> all_conv_families{conv2d_family, conv3d_family,
                                                       deconv2d_family, dwconv2d_family};

inline ContractionCase random_matmul_case(Random& random, Pass pass)
{
    const std::int64_t m = random.between(1, 7);
    const std::int64_t n = random.between(1, 7);
    const std::int64_t k = random.between(1, 7);
    const auto op = pass == Pass::forward          ? matmul
                    : pass == Pass::first_gradient ? matmul_da
                                                   : matmul_db;
    return {op(m, n, k), matmul_contraction(pass, m, n, k)};
}

/// A small shape and any padding that leave an output.
inline Convolution random_convolution(Random& random, const ConvFamily& family, Pass pass)
{
    const std::vector<std::string> paddings{"same", "same", "valid", "0", "1", "2", "3"};
    while (true) {
        std::vector<std::int64_t> shape{random.between(1, 2)};
        for (int a = 0; a < family.rank; ++a) {
            shape.push_back(random.between(1, family.rank == 3 ? 4 : 6));
        }
        for (int c = 0; c < (family.depthwise ? 1 : 2); ++c) {
            shape.push_back(random.between(1, 3));
        }
        for (int a = 0; a < family.rank; ++a) {
            shape.push_back(random.between(1, family.rank == 3 ? 3 : 5));
        }
        shape.push_back(random.between(1, 4));
        try {
            return convolution(family, pass, shape, random.pick(paddings));
        } catch (const Error&) { // an empty output
        }
    }
}

inline ContractionCase random_conv_case(Random& random, const ConvFamily& family, Pass pass)
{
    const Convolution conv = random_convolution(random, family, pass);
    return {conv_operator(conv), conv_contraction(conv)};
}

/// Cases of every operator that is a contraction, several of each.
inline std::vector<ContractionCase> random_contraction_cases(std::uint64_t seed, int of_each)
{
    Random random(seed);
    std::vector<ContractionCase> cases;
    for (int i = 0; i < of_each; ++i) {
        for (const Pass pass : all_passes) {
            cases.push_back(random_matmul_case(random, pass));
            for (const ConvFamily& family : all_conv_families) {
                cases.push_back(random_conv_case(random, family, pass));
            }
        }
    }
    return cases;
}

/// Whole numbers from -4 to 4: their sums of products are exact in float32.
inline std::vector<float> random_whole_numbers(Random& random, std::int64_t count)
{
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& value : values) {
        value = static_cast<float>(random.between(-4, 4));
    }
    return values;
}

inline TensorValues random_inputs(Random& random, const Operator& op)
{
    TensorValues values;
    for (const Tensor& tensor : op.inputs) {
        values.push_back(random_whole_numbers(random, tensor.size()));
    }
    return values;
}

/// A contraction evaluated as its definition says.
struct Evaluated {
    std::vector<double> output;
    std::vector<double> magnitude; ///< the same over absolute values
    std::vector<int> written;      ///< how many points have each element as their output
    std::int64_t products = 0;     ///< of elements that are inside of their tensors, for outputs
};

/// Row-major number of an element; none outside of the tensor.
inline std::optional<std::size_t> element_of(const Tensor& tensor,
                                             const std::vector<IndexExpr>& index,
                                             const std::vector<std::int64_t>& point)
{
    std::int64_t element = 0;
    for (std::size_t d = 0; d < index.size(); ++d) {
        const std::int64_t i = index[d].evaluate(point);
        if (i < 0 || i >= tensor.shape[d]) {
            return std::nullopt;
        }
        element = element * tensor.shape[d] + i;
    }
    return static_cast<std::size_t>(element);
}

/// Calls visit() with every value that the dimensions of those slots take in `point`, the last one
/// fastest.
template <class Visit>
void for_each_point(const Contraction& contraction, const std::vector<int>& slots,
                    std::vector<std::int64_t>& point, const Visit& visit, std::size_t depth = 0)
{
    if (depth == slots.size()) {
        visit();
        return;
    }
    const auto slot = static_cast<std::size_t>(slots[depth]);
    for (point[slot] = 0; point[slot] <= contraction.dims[slot].range.max; ++point[slot]) {
        for_each_point(contraction, slots, point, visit, depth + 1);
    }
}

inline Evaluated evaluate(const Contraction& contraction, const TensorValues& inputs)
{
    Evaluated result;
    const auto size = static_cast<std::size_t>(contraction.output.size());
    result.output.resize(size);
    result.magnitude.resize(size);
    result.written.resize(size);
    std::vector<std::int64_t> point(contraction.dims.size(), 0);
    for_each_point(contraction, contraction.outputs, point, [&] {
        const auto output = element_of(contraction.output, contraction.output_index, point);
        if (!output) {
            return;
        }
        ++result.written[*output];
        for_each_point(contraction, contraction.reductions, point, [&] {
            double product = 1;
            for (std::size_t i = 0; i < inputs.size(); ++i) {
                const auto element =
                    element_of(contraction.inputs[i].tensor, contraction.inputs[i].index, point);
                if (!element) {
                    return;
                }
                product *= inputs[i][*element];
            }
            ++result.products;
            result.output[*output] += product;
            result.magnitude[*output] += std::abs(product);
        });
    });
    return result;
}

} // namespace texelscope::test
