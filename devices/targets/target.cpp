#include "devices/targets/target.hpp"

namespace texelscope::devices {

std::string to_string(MemorySpace memory)
{
    switch (memory) {
    case MemorySpace::image:
        return "image";
    case MemorySpace::buffer:
        return "buffer";
    case MemorySpace::constant:
        return "constant";
    case MemorySpace::local:
        break;
    }
    return "local";
}

} // namespace texelscope::devices
