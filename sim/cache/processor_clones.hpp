#pragma once

#include "base/layers.hpp"

/// Before a function: compiled for processors with an instruction and for others; which is run is
/// chosen when the program is loaded.
///
/// - TEXELSCOPE_POPCOUNT_CLONES: for many std::popcount, for which plain x86-64 has no instruction
/// - TEXELSCOPE_AVX2_CLONES: for loops of eight 4-byte numbers at a time
/// - TEXELSCOPE_AVX512_CLONES: the same, and of sixteen
///
/// They are nothing where the compiler was told to use the instruction anyway (-mpopcnt, -mavx2,
/// -mavx512f), elsewhere than on x86-64, for clang, whose version 14 gives the chosen one another
/// name, and under ThreadSanitizer, with which g++ 12's programs crash while they choose.
#if defined(__x86_64__) && defined(__linux__) && defined(__has_attribute) &&                       \
    !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#if __has_attribute(target_clones)
#if !defined(__POPCNT__)
#define TEXELSCOPE_POPCOUNT_CLONES [[gnu::target_clones("popcnt", "default")]]
#endif
#if !defined(__AVX2__)
#define TEXELSCOPE_AVX2_CLONES [[gnu::target_clones("avx2", "default")]]
#endif
#if !defined(__AVX512F__)
#define TEXELSCOPE_AVX512_CLONES [[gnu::target_clones("avx512f", "avx2", "default")]]
#endif
#endif
#endif
#ifndef TEXELSCOPE_POPCOUNT_CLONES
#define TEXELSCOPE_POPCOUNT_CLONES
#endif
#ifndef TEXELSCOPE_AVX2_CLONES
#define TEXELSCOPE_AVX2_CLONES
#endif
#ifndef TEXELSCOPE_AVX512_CLONES
#define TEXELSCOPE_AVX512_CLONES
#endif
