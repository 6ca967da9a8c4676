#pragma once

#include "base/layers.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::base {

/// A float32 array, row-major.
struct NpyArray {
    std::vector<std::int64_t> shape; ///< empty: a single value
    std::vector<float> values;       ///< as many as the product of the shape
};

/// What a file may hold.
enum class NpyNumbers {
    floats,            ///< float32
    floats_or_integers ///< also int32 and int64, where float32 can hold the values
};

/// Reads a NumPy array file (format 1.0 to 3.0) of little-endian numbers in C order. Throws
/// bad_input, naming the file, for anything else (another type, Fortran order, cut-off or surplus
/// data).
[[nodiscard]] NpyArray read_npy(const std::string& path, NpyNumbers allowed = NpyNumbers::floats);
/// Reads the bytes of such a file; `path` is what messages call it.
[[nodiscard]] NpyArray parse_npy(const std::string& bytes, const std::string& path,
                                 NpyNumbers allowed = NpyNumbers::floats);

/// The file's bytes, format 1.0. Throws bad_input where the shape does not fit the values.
[[nodiscard]] std::string npy_bytes(const NpyArray& array);

/// What precedes the data in a file of format 1.0, padded to a multiple of 64 bytes; C order.
/// `type`: e.g. "<f4".
[[nodiscard]] std::string npy_header(const std::string& type,
                                     const std::vector<std::int64_t>& shape);

} // namespace texelscope::base
