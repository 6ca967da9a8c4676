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

/// Reads a NumPy array file (format 1.0 to 3.0) of numbers: f2, f4, f8, i1 to i8, u1 to u8 and b1
/// in both orders of bytes, in C or Fortran order. f8 is rounded to float32. Throws bad_input,
/// naming the file, for anything else: another type, cut-off or surplus data, a whole number that
/// float32 does not have, or a number beyond its range.
[[nodiscard]] NpyArray read_npy(const std::string& path);
/// Reads the bytes of such a file; `path` is what messages call it.
[[nodiscard]] NpyArray parse_npy(const std::string& bytes, const std::string& path);

/// The file's bytes, format 1.0. Throws bad_input where the shape does not fit the values.
[[nodiscard]] std::string npy_bytes(const NpyArray& array);

/// What precedes the data in a file of format 1.0, padded to a multiple of 64 bytes; C order.
/// `type`: e.g. "<f4".
[[nodiscard]] std::string npy_header(const std::string& type,
                                     const std::vector<std::int64_t>& shape);

} // namespace texelscope::base
