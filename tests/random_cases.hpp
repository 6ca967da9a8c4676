#pragma once

#include <cstdlib>

namespace texelscope::test {

/// How many random cases a test runs: the first `quick` seeds, or all where TEXELSCOPE_ALL_CASES is set (./check --all).
inline int random_cases(int quick, int all)
{
    return std::getenv("TEXELSCOPE_ALL_CASES") == nullptr ? quick : all;
}

} // namespace texelscope::test
