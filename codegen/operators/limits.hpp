#pragma once

#include "codegen/nest/loop_nest.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::codegen {

/// Largest size in a shape, and largest padding: 2^24.
inline constexpr std::int64_t largest_size = 1 << 24;
/// Most elements of a tensor: 2^31 - 1, so that an int holds the number of each.
inline constexpr std::int64_t most_elements = (std::int64_t{1} << 31) - 1;

/// Throws bad_input unless each size lies between 1 and largest_size. `usage`: what the sizes are, e.g. "M,N,K".
void check_sizes(const std::string& operator_name, const std::vector<std::int64_t>& sizes, const std::string& usage);

/// Throws bad_input unless each tensor has at most most_elements elements. `where` goes into the message.
void check_tensors(const std::string& where, const std::vector<Tensor>& tensors);

} // namespace texelscope::codegen
