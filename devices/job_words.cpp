#include "devices/job_words.hpp"

namespace texelscope {
namespace {

constexpr const char* source = R"(kernel void place(global uint2 *memory, global const uint4 *words)
{
    const uint4 word = words[get_global_id(0)];
    memory[word.x] = word.zw;
}
)";

} // namespace

cl::Buffer buffer_of_words(const cl::Context& context, const cl::Device& device, const cl::CommandQueue& queue,
                           std::size_t bytes, const std::vector<JobWord>& words)
{
    static_assert(sizeof(JobWord) == sizeof(cl_uint4));
    const cl::Buffer buffer(context, CL_MEM_READ_WRITE, bytes);
    queue.enqueueFillBuffer(buffer, cl_uchar{0}, 0, bytes);
    if (!words.empty()) {
        const std::size_t list_bytes = words.size() * sizeof(JobWord);
        const cl::Buffer list(context, CL_MEM_READ_ONLY, list_bytes);
        queue.enqueueWriteBuffer(list, CL_TRUE, 0, list_bytes, words.data());
        const cl::Program program(context, source);
        program.build(device);
        cl::Kernel kernel(program, "place");
        kernel.setArg(0, buffer);
        kernel.setArg(1, list);
        queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(words.size()), cl::NullRange);
        queue.finish();
    }
    return buffer;
}

} // namespace texelscope
