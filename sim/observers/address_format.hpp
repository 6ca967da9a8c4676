#pragma once

#include "base/layers.hpp"

#include <string>

namespace texelscope::sim {

/// The trace formats of other programs, which know byte addresses and no texels.
enum class AddressFormat { din, binary_din, oracle_general, traceg };

/// "din", "din-binary", "oracle-general", "traceg".
[[nodiscard]] std::string to_string(AddressFormat format);

} // namespace texelscope::sim
