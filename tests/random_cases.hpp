#pragma once

#include <cstdlib>
#include <string>

namespace texelscope::test {

/// How many random cases a test runs: the first `quick` seeds, or all where TEXELSCOPE_ALL_CASES is
/// set (./check --all).
inline int random_cases(int quick, int all)
{
    return std::getenv("TEXELSCOPE_ALL_CASES") == nullptr ? quick : all;
}

/// Whether TEXELSCOPE_KERNEL_CASES says how many kernels of each kind are run (./check --kernels
/// N).
inline bool kernel_cases_are_asked()
{
    return std::getenv("TEXELSCOPE_KERNEL_CASES") != nullptr;
}

/// How many random kernels of a kind a test runs: as many as are asked for, else as random_cases().
inline int kernel_cases(int quick, int all)
{
    return kernel_cases_are_asked() ? std::stoi(std::getenv("TEXELSCOPE_KERNEL_CASES"))
                                    : random_cases(quick, all);
}

} // namespace texelscope::test
