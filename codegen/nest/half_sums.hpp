#pragma once

#include "base/layers.hpp"

#include <cstdint>
#include <string>

namespace texelscope::codegen {

/// How a kernel computes its products and sums.
enum class Precision { fp32, fp16 };
[[nodiscard]] std::string to_string(Precision arithmetic); ///< "fp32", "fp16"

/// Sums of a kernel whose tensors are stored in half precision. A device that computes in half
/// precision (cl_khr_fp16) multiplies and adds in it, and carries a sum into float32 after so many
/// terms; on others all of it is float32.
struct HalfSums {
    std::int64_t terms = 1;     ///< most that are added up in half precision
    std::int64_t all_terms = 1; ///< of an output, padding included
    bool carried = false;       ///< else a sum is written as it is
    int numbers = 1;            ///< of a sum: 1, 4, 8 or 16

    /// Terms after which a sum is carried. Half accumulators are what halves a kernel's registers,
    /// and a second sum in float32 beside each takes more than float32 alone does: frameworks for
    /// phones keep them to the end. But each term may add an error of 2^-11 of the sizes of all
    /// products; after 2,048 it could be as large as they are. 512 terms, which most layers of
    /// networks for phones stay below, keep it to 28 %.
    static constexpr std::int64_t most_terms = 512;
};

/// Largest error of a sum of so many products in half precision, relative to the sum of their
/// sizes: each product takes part in as many roundings at most (Higham, Accuracy and Stability of
/// Numerical Algorithms, 2002, section 3.1), (1 + 2^-11)^n - 1.
[[nodiscard]] double half_sum_error(std::int64_t terms);

} // namespace texelscope::codegen
