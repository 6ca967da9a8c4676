#pragma once

#include "base/layers.hpp"

#include <array>
#include <cstddef>
#include <string>

namespace texelscope::sim {

/// The trace formats of other programs, which know byte addresses and no texels.
enum class AddressFormat { din, binary_din, oracle_general, traceg };

/// "din", "din-binary", "oracle-general", "traceg".
[[nodiscard]] inline std::string to_string(AddressFormat format)
{
    constexpr std::array names{"din", "din-binary", "oracle-general", "traceg"};
    return names[static_cast<std::size_t>(format)];
}

} // namespace texelscope::sim
