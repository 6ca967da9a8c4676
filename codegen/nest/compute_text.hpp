#pragma once

#include "base/layers.hpp"

#include <string_view>

namespace texelscope::codegen {

/// What the OpenCL C of a NestCompute asks for, as far as registers depend on it.
struct ComputeText {
    explicit ComputeText(std::string_view text);

    bool synchronizes = false; ///< it has a barrier
    int parts = 0;             ///< work-items whose values it adds up in local memory; 0: none
    bool carries = false;      ///< sums in half precision become part of those in float32
    bool joins = false;        ///< vectors are put side by side: no instruction
    int operations = 0;        ///< of each number
    int exponentials = 0;
};

} // namespace texelscope::codegen
