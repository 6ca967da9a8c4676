#include "codegen/nest/half_sums.hpp"

#include <cmath>

namespace texelscope::codegen {

std::string to_string(Precision arithmetic)
{
    return arithmetic == Precision::fp32 ? "fp32" : "fp16";
}

double half_sum_error(std::int64_t terms)
{
    return std::expm1(static_cast<double>(terms) * std::log1p(0x1p-11));
}

} // namespace texelscope::codegen
