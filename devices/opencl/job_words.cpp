#include "devices/opencl/job_words.hpp"

#include <utility>

namespace texelscope::devices {
namespace {

constexpr const char* place_words = R"(kernel void place(global uint2 *memory, global const uint4 *words)
{
    const uint4 word = words[get_global_id(0)];
    memory[word.x] = word.zw;
}
)";

} // namespace

WordPlacer::WordPlacer(cl::Context context, cl::Device device, cl::CommandQueue queue)
    : context_(std::move(context)), device_(std::move(device)), queue_(std::move(queue))
{}

cl::Buffer WordPlacer::buffer(std::size_t bytes, const std::vector<JobWord>& words)
{
    static_assert(sizeof(JobWord) == sizeof(cl_uint4));
    cl::Buffer buffer(context_, CL_MEM_READ_WRITE, bytes);
    queue_.enqueueFillBuffer(buffer, cl_uchar{0}, 0, bytes);
    if (!words.empty()) {
        if (kernel_() == nullptr) {
            const cl::Program program(context_, place_words);
            program.build(device_);
            kernel_ = cl::Kernel(program, "place");
        }
        const std::size_t list_bytes = words.size() * sizeof(JobWord);
        const cl::Buffer list(context_, CL_MEM_READ_ONLY, list_bytes);
        queue_.enqueueWriteBuffer(list, CL_TRUE, 0, list_bytes, words.data());
        kernel_.setArg(0, buffer);
        kernel_.setArg(1, list);
        queue_.enqueueNDRangeKernel(kernel_, cl::NullRange, cl::NDRange(words.size()), cl::NullRange);
        queue_.finish();
    }
    return buffer;
}

} // namespace texelscope::devices
