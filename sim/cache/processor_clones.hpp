#pragma once

#include "base/layers.hpp"

/// Macros that stand before a function and have it compiled twice: for processors that have some
/// instructions, and for those that do not. Which one runs is chosen when the program is loaded.
///
/// - TEXELSCOPE_POPCOUNT_CLONES: functions with many std::popcount, for which plain x86-64 has no
///   instruction
/// - TEXELSCOPE_AVX2_CLONES: loops over eight 4-byte numbers at a time
/// - TEXELSCOPE_AVX512_CLONES: loops over eight or sixteen of them at a time
///
/// The macros are empty in these cases: where the compiler was told to use the instructions anyway
/// (-mpopcnt, -mavx2, -mavx512f); on machines other than x86-64; with clang, whose version 14 gives
/// the chosen function another name; and with ThreadSanitizer, where programs of g++ 12 crash while
/// they choose.
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
