#include "codegen/operators/rounding_bound.hpp"

namespace texelscope::codegen {

RoundingBound rounding_bound(const Operator& op, const LoopNest& nest, Precision arithmetic)
{
    if (nest.output.storage == Storage::fp32) {
        return {op.tolerance, 0};
    }
    // Rounding to half precision: half a unit of 11 bits, or of the smallest subnormal number, 2^-24. A write to an image may
    // round towards zero (OpenCL C, "Conversion rules for half precision floating-point channel data type"): a whole unit.
    const double half_unit = nest.output.memory == Memory::image ? 0x1p-10 : 0x1p-11;
    constexpr double smallest_normal = 0x1p-14;
    if (arithmetic == Precision::fp32 || !nest.half_sums) {
        return {op.tolerance + half_unit, smallest_normal};
    }
    // A sum is off by half_sum_error() of the terms of each of its runs; the runs are added up in float32, and what that gives is
    // rounded once more. A factor, a product and a sum below the smallest normal number may each be flushed to zero.
    const double relative = (1 + half_sum_error(nest.half_sums->terms)) * (1 + op.tolerance) * (1 + half_unit) - 1;
    const double flushed = 3 * static_cast<double>(nest.half_sums->all_terms) * smallest_normal;
    return {relative, smallest_normal + flushed / relative};
}

} // namespace texelscope::codegen
