#include "sim/observers/address_format.hpp"

#include <array>
#include <cstddef>

namespace texelscope::sim {

std::string to_string(AddressFormat format)
{
    constexpr std::array names{"din", "din-binary", "oracle-general", "traceg"};
    return names[static_cast<std::size_t>(format)];
}

} // namespace texelscope::sim
