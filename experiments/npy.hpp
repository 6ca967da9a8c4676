#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope {

/// A float32 array, row-major.
struct NpyArray {
    std::vector<std::int64_t> shape;
    std::vector<float> values;
};

/// Reads a NumPy array file (format 1.0 to 3.0) of little-endian float32 in C order. Throws bad_input, naming the file, for
/// anything else (another type, Fortran order, cut-off data).
[[nodiscard]] NpyArray read_npy(const std::string& path);
/// The file's bytes, format 1.0.
[[nodiscard]] std::string npy_bytes(const NpyArray& array);

} // namespace texelscope
