#pragma once

#include "devices/jobs/job.hpp"
#include "devices/opencl/opencl_api.hpp"

#include <cstddef>
#include <vector>

namespace texelscope::devices {

/// Makes memories of zeros but for a few words: of a large one no more than these goes to the device, where a kernel puts them
/// into their places. It is compiled once.
class WordPlacer {
public:
    WordPlacer(cl::Context context, cl::Device device, cl::CommandQueue queue);

    /// A buffer of that size; the words lie within it. Throws cl::Error.
    [[nodiscard]] cl::Buffer buffer(std::size_t bytes, const std::vector<JobWord>& words);

private:
    cl::Context context_;
    cl::Device device_;
    cl::CommandQueue queue_;
    cl::Kernel kernel_; ///< none before it is needed
};

} // namespace texelscope::devices
