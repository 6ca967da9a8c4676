#pragma once

#include "devices/job.hpp"
#include "devices/opencl_api.hpp"

#include <cstddef>
#include <vector>

namespace texelscope {

/// A buffer of zeros but for the words, which lie within it and are put into their places by a kernel: of a large memory with
/// few words no more than these goes to the device. Throws cl::Error.
[[nodiscard]] cl::Buffer buffer_of_words(const cl::Context& context, const cl::Device& device,
                                         const cl::CommandQueue& queue, std::size_t bytes,
                                         const std::vector<JobWord>& words);

} // namespace texelscope
