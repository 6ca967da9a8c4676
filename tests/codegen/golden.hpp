#pragma once

#include <string>
#include <vector>

namespace texelscope::test {

/// A kernel whose text is kept beside the tests, so that every change of it is seen.
struct GoldenKernel {
    std::string name;
    std::string text; ///< as generated now, with the native back end
};

/// All of configurations.txt in that folder. Throws Error for a line that is malformed.
[[nodiscard]] std::vector<GoldenKernel> golden_kernels(const std::string& folder);

} // namespace texelscope::test
