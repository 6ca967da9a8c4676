#pragma once

#include "devices/opencl/opencl_api.hpp"

#include <cstddef>
#include <string>

namespace texelscope::bench {
using namespace devices;

/// C = A * B of row-major n x n matrices by CLBlast, with its default parameters, loaded at run
/// time where it is installed (Debian: libclblast1): nothing needs it to build.
class ClBlast {
public:
    ClBlast();
    [[nodiscard]] bool is_there() const { return sgemm_ != nullptr; }
    /// Enqueues; throws std::runtime_error with CLBlast's status.
    void sgemm(cl::CommandQueue& queue, std::size_t n, const cl::Buffer& a, const cl::Buffer& b,
               cl::Buffer& c) const;

private:
    using Sgemm = int (*)(int layout, int a_transpose, int b_transpose, std::size_t m,
                          std::size_t n, std::size_t k, float alpha, cl_mem a, std::size_t a_offset,
                          std::size_t a_ld, cl_mem b, std::size_t b_offset, std::size_t b_ld,
                          float beta, cl_mem c, std::size_t c_offset, std::size_t c_ld,
                          cl_command_queue* queue, cl_event* event);
    Sgemm sgemm_ = nullptr;
};

/// The same on the host by OpenBLAS on one thread (Debian: libopenblas0-pthread), loaded likewise.
class OpenBlas {
public:
    OpenBlas();
    [[nodiscard]] bool is_there() const { return sgemm_ != nullptr; }
    void sgemm(std::size_t n, const float* a, const float* b, float* c) const;

private:
    using Sgemm = void (*)(int layout, int a_transpose, int b_transpose, int m, int n, int k,
                           float alpha, const float* a, int a_ld, const float* b, int b_ld,
                           float beta, float* c, int c_ld);
    Sgemm sgemm_ = nullptr;
};

} // namespace texelscope::bench
