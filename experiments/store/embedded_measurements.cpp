#include "experiments/store/embedded_measurements.hpp"

#include <cstddef>

// The assembler takes the files in as they are: as strings in C++ the large ones would take the compiler minutes.
#define TEXELSCOPE_EMBED(name, file)                                                                                   \
    asm(".pushsection .rodata\n"                                                                                       \
        ".globl " #name ", " #name "_end\n" #name ":\n"                                                                \
        ".incbin \"" TEXELSCOPE_MEASUREMENTS "/" file "\"\n" #name "_end:\n"                                           \
        ".popsection\n");                                                                                              \
    extern "C" const char name[], name##_end[]

TEXELSCOPE_EMBED(texelscope_h200_local_blocks, "h200-local-blocks.jsonl");
TEXELSCOPE_EMBED(texelscope_h200_tuning, "h200-tuning.csv.zst");
TEXELSCOPE_EMBED(texelscope_h200_tuning_large, "h200-tuning-large.csv.zst");
TEXELSCOPE_EMBED(texelscope_h100_tuning, "h100-tuning.csv.zst");
TEXELSCOPE_EMBED(texelscope_h100_tuning_large, "h100-tuning-large.csv.zst");

namespace texelscope::experiments {
namespace {

std::string_view between(const char* begin, const char* end)
{
    return {begin, static_cast<std::size_t>(end - begin)};
}

} // namespace

std::string_view h200_local_blocks()
{
    return between(texelscope_h200_local_blocks, texelscope_h200_local_blocks_end);
}

std::string_view h200_tuning_packed()
{
    return between(texelscope_h200_tuning, texelscope_h200_tuning_end);
}

std::string_view h200_tuning_large_packed()
{
    return between(texelscope_h200_tuning_large, texelscope_h200_tuning_large_end);
}

std::string_view h100_tuning_packed()
{
    return between(texelscope_h100_tuning, texelscope_h100_tuning_end);
}

std::string_view h100_tuning_large_packed()
{
    return between(texelscope_h100_tuning_large, texelscope_h100_tuning_large_end);
}

} // namespace texelscope::experiments
