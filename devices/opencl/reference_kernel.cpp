#include "devices/opencl/reference_kernel.hpp"

namespace texelscope::devices {
namespace {

// The result is written, so that no compiler leaves the arithmetic out; `a` and `b` are arguments,
// so that none foresees it.
constexpr const char* text = R"(
kernel void reference(global float* out, int turns, float a, float b)
{
    float x = (float)get_local_id(0);
    for (int turn = 0; turn < turns; ++turn) {
        x = mad(x, a, b); x = mad(x, a, b); x = mad(x, a, b); x = mad(x, a, b);
        x = mad(x, a, b); x = mad(x, a, b); x = mad(x, a, b); x = mad(x, a, b);
    }
    out[get_local_id(0)] = x;
}
)";

// Some 16,000 dependent steps of a few cycles each: a tenth of a millisecond at 700 MHz, which is
// long beside the step of a phone's event clock (1 us) and short beside a kernel's time.
constexpr cl_int turns = 2048;
constexpr std::int64_t reference_items = 32;

} // namespace

ReferenceKernel build_reference(const cl::Context& context, const cl::Device& device)
{
    const cl::Program program(context, std::string(text));
    program.build(device);
    ReferenceKernel reference{
        cl::Kernel(program, "reference"),
        cl::Buffer(context, CL_MEM_WRITE_ONLY, reference_items * sizeof(cl_float)),
        {reference_items, 1, 1}};
    reference.kernel.setArg(0, reference.out);
    reference.kernel.setArg(1, turns);
    reference.kernel.setArg(2, cl_float{0.75F});
    reference.kernel.setArg(3, cl_float{0.5F});
    return reference;
}

} // namespace texelscope::devices
