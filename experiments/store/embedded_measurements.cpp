#include "experiments/store/embedded_measurements.hpp"

#include <cstddef>

// The assembler takes the files in as they are: as strings in C++ the large ones would take the compiler minutes.
#define TEXELSCOPE_EMBED(name, file)                                                                                   \
    asm(".pushsection .rodata\n"                                                                                       \
        ".globl texelscope_" #name ", texelscope_" #name "_end\ntexelscope_" #name ":\n"                               \
        ".incbin \"" TEXELSCOPE_MEASUREMENTS "/" file "\"\ntexelscope_" #name "_end:\n"                                \
        ".popsection\n");                                                                                              \
    extern "C" const char texelscope_##name[], texelscope_##name##_end[];                                              \
    std::string_view name()                                                                                            \
    {                                                                                                                  \
        return {texelscope_##name, static_cast<std::size_t>(texelscope_##name##_end - texelscope_##name)};             \
    }

namespace texelscope::experiments {

TEXELSCOPE_EMBED(h200_local_blocks, "h200-local-blocks.jsonl")
TEXELSCOPE_EMBED(h200_tuning_packed, "h200-tuning.csv.zst")
TEXELSCOPE_EMBED(h200_tuning_large_packed, "h200-tuning-large.csv.zst")
TEXELSCOPE_EMBED(h100_tuning_packed, "h100-tuning.csv.zst")
TEXELSCOPE_EMBED(h100_tuning_large_packed, "h100-tuning-large.csv.zst")

} // namespace texelscope::experiments
