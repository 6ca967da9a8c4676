#include "tests/bench/blas.hpp"

#include <dlfcn.h>

#include <stdexcept>

namespace texelscope::bench {
using namespace devices;

namespace {

// Values of the enumerations of cblas.h and clblast_c.h.
constexpr int row_major = 101, no_transpose = 111;

/// Stays loaded: the program ends soon.
void* function_of(const char* library, const char* name)
{
    void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    return handle == nullptr ? nullptr : dlsym(handle, name);
}

} // namespace

ClBlast::ClBlast() : sgemm_(reinterpret_cast<Sgemm>(function_of("libclblast.so.1", "CLBlastSgemm")))
{}

void ClBlast::sgemm(cl::CommandQueue& queue, std::size_t n, const cl::Buffer& a,
                    const cl::Buffer& b, cl::Buffer& c) const
{
    cl_command_queue handle = queue();
    const int status = sgemm_(row_major, no_transpose, no_transpose, n, n, n, 1.0F, a(), 0, n, b(),
                              0, n, 0.0F, c(), 0, n, &handle, nullptr);
    if (status != 0) {
        throw std::runtime_error("CLBlast: status " + std::to_string(status));
    }
}

OpenBlas::OpenBlas()
    : sgemm_(reinterpret_cast<Sgemm>(function_of("libopenblas.so.0", "cblas_sgemm")))
{}

void OpenBlas::sgemm(std::size_t n, const float* a, const float* b, float* c) const
{
    const int size = static_cast<int>(n);
    sgemm_(row_major, no_transpose, no_transpose, size, size, size, 1.0F, a, size, b, size, 0.0F, c,
           size);
}

} // namespace texelscope::bench
