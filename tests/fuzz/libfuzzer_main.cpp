// libFuzzer calls this with one input after the other; what gets out of it ends the run. TEXELSCOPE_FUZZ_ENTRY is one of
// the functions of entries.hpp.

#include "tests/fuzz/entries.hpp"

#include <cstddef>
#include <cstdint>

using namespace texelscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    (void)texelscope::fuzz::TEXELSCOPE_FUZZ_ENTRY({reinterpret_cast<const char*>(data), size});
    return 0;
}
