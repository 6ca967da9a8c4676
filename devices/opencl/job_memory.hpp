#pragma once

#include "devices/jobs/job.hpp"
#include "devices/opencl/opencl_api.hpp"

#include <cstddef>
#include <vector>

namespace texelscope::devices {

/// Makes memories that are zero except for a few words. For a large memory only these words are
/// sent to the device, where a kernel, compiled once, puts them into their places.
class WordPlacer {
public:
    WordPlacer(cl::Context context, cl::Device device, cl::CommandQueue queue);

    /// Makes a buffer of that size; all words must lie within it. Throws cl::Error.
    [[nodiscard]] cl::Buffer buffer(std::size_t bytes, const std::vector<JobWord>& words);

private:
    cl::Context context_;
    cl::Device device_;
    cl::CommandQueue queue_;
    cl::Kernel kernel_; ///< null until it is needed
};

/// The device memory of a kernel's argument; none for numbers and local memory.
struct JobMemory {
    cl::Image2D image;
    cl::Buffer buffer;
};

/// Creates and fills the memory of an argument. `shared`: what one kernel writes another may read;
/// `before`: the memories of the arguments before it, of which it may be a part. Throws cl::Error.
[[nodiscard]] JobMemory memory_of(const cl::Context& context, const cl::CommandQueue& queue,
                                  WordPlacer& placer, const JobArgument& argument,
                                  bool shared = false, const std::vector<JobMemory>& before = {});

/// Whether images of the argument's format and access can be made; true of what is no image. Throws
/// cl::Error.
[[nodiscard]] bool has_format(const cl::Context& context, const JobArgument& argument,
                              bool shared = false);

/// Copies `contents`, of as many bytes as the argument takes, to its memory; returns when it is
/// done. `event` receives the event of the copy. Throws cl::Error.
void copy_in(const cl::CommandQueue& queue, const JobArgument& argument, const JobMemory& memory,
             const std::vector<std::byte>& contents, cl::Event* event = nullptr);
/// The same in the other direction: from the memory to `contents`.
void copy_out(const cl::CommandQueue& queue, const JobArgument& argument, const JobMemory& memory,
              std::vector<std::byte>& contents, cl::Event* event = nullptr);

/// The initial contents of the argument's memory: its contents, or zeros.
[[nodiscard]] std::vector<std::byte> initial_contents(const JobArgument& argument);

/// Sets argument number `index` of the kernel. Throws cl::Error.
void set_argument(cl::Kernel& kernel, cl_uint index, const JobArgument& argument,
                  const JobMemory& memory);

/// The bytes of an image, row by row without gaps, or of a buffer. Throws cl::Error.
[[nodiscard]] std::vector<std::byte>
contents_of(const cl::CommandQueue& queue, const JobArgument& argument, const JobMemory& memory);

} // namespace texelscope::devices
