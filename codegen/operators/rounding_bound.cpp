#include "codegen/operators/rounding_bound.hpp"

#include "codegen/nest/loop_nest.hpp"

namespace texelscope::codegen {

RoundingBound rounding_bound(const Operator& op, const LoopNest& nest, Precision arithmetic)
{
    if (nest.output.storage == Storage::fp32) {
        return {op.tolerance, 0};
    }
    // Half a unit of 11 bits, or of the smallest subnormal number, 2^-24. An image may round
    // towards zero (OpenCL 1.2, 8.3.2): a unit.
    constexpr double half_unit = 0x1p-11, smallest_normal = 0x1p-14;
    if (arithmetic == Precision::fp32 || !nest.half_sums) {
        return {op.tolerance + (nest.output.memory == Memory::image ? 2 * half_unit : half_unit),
                smallest_normal};
    }
    // A sum is off by half_sum_error() of the terms of each of its runs; the runs are added up in
    // float32, and what that gives is rounded once more. A factor, a product and a sum below the
    // smallest normal number may each be flushed to zero.
    const double relative =
        (1 + half_sum_error(nest.half_sums->terms)) * (1 + op.tolerance) * (1 + half_unit) - 1;
    const double flushed = 3 * static_cast<double>(nest.half_sums->all_terms) * smallest_normal;
    return {relative, smallest_normal + flushed / relative};
}

} // namespace texelscope::codegen
