#pragma once

#include "base/layers.hpp"

#include <cstdint>
#include <string>

namespace texelscope::codegen {

/// The precision in which a kernel computes its products and sums.
enum class Precision { fp32, fp16 };
[[nodiscard]] std::string to_string(Precision arithmetic); ///< "fp32", "fp16"

/// How a kernel adds up whose tensors are stored in half precision. A device that computes in half
/// precision (cl_khr_fp16) multiplies and adds in it, and adds the half sum to a sum in float32
/// ("carries" it) after `terms` terms. On other devices everything is float32.
struct HalfSums {
    std::int64_t terms = 1;     ///< most terms that one sum in half precision takes
    std::int64_t all_terms = 1; ///< terms of one output, padding included
    bool carried = false;       ///< else there is no sum in float32: the half sum is the result
    int numbers = 1;            ///< numbers in the vector of one sum: 1, 4, 8 or 16

    /// Terms after which a sum is carried at the latest. It is a compromise. Half accumulators are
    /// what halves a kernel's registers, and a second sum in float32 beside each takes more
    /// registers than float32 alone does; frameworks for phones therefore add up in half precision
    /// to the end. But each term may add an error of 2^-11 of the sum of the products' sizes, so
    /// that after 2,048 terms the error could be as large as that sum. 512 terms bound it by 28 %
    /// (half_sum_error()), and most layers of networks for phones have fewer terms.
    static constexpr std::int64_t most_terms = 512;
};

/// Bound of the error of a sum of n = `terms` products in half precision, relative to the sum of
/// the products' absolute values: (1 + 2^-11)^n - 1, because each product takes part in at most n
/// roundings (Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 3.1).
[[nodiscard]] double half_sum_error(std::int64_t terms);

} // namespace texelscope::codegen
