#pragma once

#include "networks/graph/array.hpp"

#include <protozero/pbf_reader.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace texelscope::networks {

/// ONNX's numbers of the element types that are understood here (TensorProto.DataType).
enum class OnnxType : std::int32_t {
    none = 0,
    fp32 = 1,
    uint8 = 2,
    int8 = 3,
    uint16 = 4,
    int16 = 5,
    int32 = 6,
    int64 = 7,
    boolean = 9,
    fp16 = 10,
    fp64 = 11,
    uint32 = 12,
    uint64 = 13,
    bf16 = 16,
    uint4 = 21,
    int4 = 22,
};
/// "fp32", "uint8" ..., for messages.
[[nodiscard]] std::string onnx_type_name(std::int32_t type);
/// The same of integers, by what they can be.
[[nodiscard]] std::string type_name(const IntegerType& type);
/// Whether numbers of that type are real ones (fp32, fp64, fp16, bf16), which networks here have in
/// fp32, or integers other than booleans.
[[nodiscard]] bool is_real(OnnxType type);
[[nodiscard]] bool is_integer(OnnxType type);
/// The smallest and largest integer of a type.
[[nodiscard]] std::pair<std::int64_t, std::int64_t> range_of(const IntegerType& type);
/// Of integers and booleans.
[[nodiscard]] IntegerType integer_type(OnnxType type);

/// The number as it is after a cast to that type of real numbers: rounded to the nearest, ties to
/// even.
[[nodiscard]] float rounded_to(OnnxType type, float number);

/// Where files with weights may lie: in the folder of the model as it is named, or, where that is a
/// link, of the file that it leads to. Empty: nowhere.
struct WeightFolders {
    std::filesystem::path named;
    std::filesystem::path real;
};

/// A tensor as the file has it: its numbers, or why they are not understood.
struct OnnxTensor {
    std::string name;
    Array array;
    std::string refused = {}; ///< empty: it is understood
};

/// Reads a TensorProto. Refused are, in a line without the tensor's name, elements of a type that
/// is not understood, and another count than the shape says.
[[nodiscard]] OnnxTensor read_tensor(protozero::pbf_reader message, const WeightFolders& folders);

/// A tensor in a file of its own (TensorProto), as ONNX's tests have them: its name and what it
/// holds. Throws bad_input.
[[nodiscard]] std::pair<std::string, Array> parse_onnx_tensor(std::string_view bytes);

} // namespace texelscope::networks
