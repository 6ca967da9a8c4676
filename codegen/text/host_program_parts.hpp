#pragma once

#include "base/layers.hpp"

/// The parts of a host program that are the same for every kernel: C99 text, in the order of the
/// program. They use what host_program_c() writes between them.
namespace texelscope::codegen::host_program_parts {

extern const char* const includes;     ///< headers
extern const char* const errors;       ///< exit codes, fail(), check(), allocate()
extern const char* const tensor_type;  ///< Tensor: what the program knows of a tensor
extern const char* const to_half;      ///< half_of(float)
extern const char* const from_half;    ///< float_of(cl_half)
extern const char* const texels;       ///< pack() and unpack(), by store() and load()
extern const char* const devices;      ///< choose_device()
extern const char* const half_choice;  ///< arithmetic_of(), where there are two to choose from
extern const char* const kernel;       ///< Session: context, queue, kernel; open_session()
extern const char* const memory;       ///< device_memory(), read_back()
extern const char* const timing;       ///< launch(), median_ns()
extern const char* const main_program; ///< run(), main()

} // namespace texelscope::codegen::host_program_parts
