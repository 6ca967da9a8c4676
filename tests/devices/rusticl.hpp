#pragma once

#include <cstdlib>
#include <string>

namespace texelscope::test {

/// Mesa's OpenCL on the CPU, as `--on` names it: rusticl on llvmpipe. It has no device unless it is
/// asked for one, which this does for processes that open a device from now on.
[[nodiscard]] inline std::string rusticl()
{
    setenv("RUSTICL_ENABLE", "llvmpipe", 1);
    return "rusticl";
}

} // namespace texelscope::test
