#pragma once

#include "codegen/nest/operand.hpp"
#include "codegen/nest/schedule.hpp"
#include "codegen/nest/tensor_layout.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace texelscope::codegen {

struct LoopNest;

/// Values of logical tensors, row-major, one vector for each input.
using TensorValues = std::vector<std::vector<float>>;

/// What to compute: an immutable value. It has everything that the program needs to know of an
/// operator: its tensors, how to lower it, and how to check its output.
struct Operator {
    std::string name;                ///< as on the command line
    std::vector<std::int64_t> shape; ///< as on the command line
    std::string padding = {};        ///< as on the command line; empty where the operator has none
    std::vector<Tensor> inputs;
    Tensor output;
    double flops = 0; ///< two for each multiply-add

    std::function<LoopNest(const Schedule&, const GivenLayouts&)> lower;
    /// The loop nest under a schedule, with layouts that are fixed from outside. Throws bad_input,
    /// with the reason, where the schedule or a layout is illegal.
    [[nodiscard]] LoopNest nest(const Schedule& schedule, const GivenLayouts& given = {}) const;
    /// A schedule that is always legal, to start with.
    Schedule default_schedule;

    /// The expected output: slow and obvious code in double precision, independent of the loop
    /// nest.
    std::function<std::vector<float>(const TensorValues&)> reference;
    /// For each output element, a bound of the quantity that rounding errors are proportional to:
    /// for a sum of products, the sum of |a||b|. The allowed error is `tolerance` times this.
    std::function<std::vector<float>(const TensorValues&)> magnitude;
    double tolerance = 0; ///< for float32 sums, relative to the magnitude
    /// C99 text of `static void reference(const float *IN0, ..., double *OUT, double *MAGNITUDE)`,
    /// named after the tensors, for host programs that include <math.h>: the output and what its
    /// rounding errors are proportional to.
    std::function<std::string()> reference_c;

    /// Extents that the grid of work-items covers along x, y and z, and whether z can be tiled.
    struct Grid {
        /// X first; 2 or 3 of them; the last of three is the part that T tiles.
        std::vector<std::int64_t> extents;
        /// How often the third repeats, over the dimensions fused in front of it.
        std::int64_t planes = 1;
        /// What T's sizes cut, x first, where that is not the extents (empty): a work-item that
        /// owns rows goes along them in steps of T's first size, while the grid is one wide.
        std::vector<std::int64_t> tiled = {};
        std::int32_t tile_multiple = 1; ///< T's first size is a multiple of it
    } grid;
    /// Names for L and U, in the operator's own order.
    std::vector<std::string> reduction_loops = {};
};

/// From `--op NAME --shape M,N,K [--padding same|valid|N]`; NAME may be a formula
/// (formula_operator.hpp). Throws bad_input for an unknown operator or a shape or padding that it
/// does not take.
[[nodiscard]] Operator parse_operator(const std::string& name, const std::string& shape,
                                      const std::string& padding = {});

/// How an operator is asked for.
struct OperatorInfo {
    std::string name;
    std::string sizes;   ///< names of the sizes in --shape, e.g. "M,N,K"
    std::string example; ///< a shape to start with
    bool takes_padding = false;
};
/// All operators, in the order of the documentation.
[[nodiscard]] std::vector<OperatorInfo> operators();
/// How one of them, or a formula, is asked for. Throws bad_input as parse_operator() does.
[[nodiscard]] OperatorInfo operator_info(const std::string& name);

/// Names of all operators, in the order of the documentation.
[[nodiscard]] std::vector<std::string> operator_names();

[[nodiscard]] std::string to_string(const Operator& op); ///< "matmul 64,64,64"
[[nodiscard]] LoopNest loop_nest(const Operator& op, const Schedule& schedule,
                                 const GivenLayouts& given = {});

/// Largest size in a shape, and largest padding: 2^24.
inline constexpr std::int64_t largest_size = 1 << 24;
/// Most elements of a tensor: 2^31 - 1, so that an int holds the number of each.
inline constexpr std::int64_t most_elements = (std::int64_t{1} << 31) - 1;

/// Throws bad_input unless each size lies between 1 and largest_size. `usage`: what the sizes are,
/// e.g. "M,N,K".
void check_sizes(const std::string& operator_name, const std::vector<std::int64_t>& sizes,
                 const std::string& usage);

/// Throws bad_input unless each tensor has at most most_elements elements. `where` goes into the
/// message.
void check_tensors(const std::string& where, const std::vector<Tensor>& tensors);

} // namespace texelscope::codegen
