#pragma once

#include "base/layers.hpp"

#include <dlfcn.h>

namespace texelscope::traces {

/// The function that one of this library takes the place of, by the name that the linker has for
/// it; null where there is none. This library is loaded before Oclgrind's.
template <class Function>
[[nodiscard]] Function* next_function(const char* name)
{
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

} // namespace texelscope::traces
