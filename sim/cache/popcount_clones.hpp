#pragma once

#include "base/layers.hpp"

/// Before a function with many std::popcount: compiled twice, for processors with the instruction and for others, and
/// chosen when the program is loaded. Plain x86-64 has no such instruction; elsewhere, or where the compiler was told to
/// use it, this is nothing; also for clang, whose version 14 gives the chosen one another name.
#if defined(__x86_64__) && defined(__linux__) && defined(__has_attribute) && !defined(__POPCNT__) && !defined(__clang__)
#if __has_attribute(target_clones)
#define TEXELSCOPE_POPCOUNT_CLONES [[gnu::target_clones("popcnt", "default")]]
#endif
#endif
#ifndef TEXELSCOPE_POPCOUNT_CLONES
#define TEXELSCOPE_POPCOUNT_CLONES
#endif
