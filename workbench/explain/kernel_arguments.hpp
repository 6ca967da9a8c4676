#pragma once

#include "traces/native/trace_record.hpp"
#include "workbench/explain/kernel_signature.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace texelscope::workbench::explain {

// Arguments of a kernel as people give them, by the names that the kernel gives its parameters:
//
//     NAME=image:SIZE:FORMAT[:FILL]     SIZE: 256, 256x64, 256x64x4; FORMAT: rgba32f, r8 ...
//     NAME=buffer:BYTES[:FILL]          NAME=buffer:COUNT:TYPE[:FILL]
//     NAME=TYPE:NUMBER[,NUMBER...]      int:5, float4:1,2,3,4, float4:0
//     NAME=bytes:BYTES[:FILL]           a struct by value
//     NAME=local:BYTES
//     NAME=sampler[:border|edge|repeat|mirror|none][:nearest|linear][:normalized]
//
// FILL is zero, iota (0, 1, 2 ...) or random (-1 to 1, or 0 to 255 where numbers are whole). Where
// it is left out, numbers with a fraction are random and others zero, as they may be indexes.

/// A type of numbers. `name` as in OpenCL C.
struct NumberType {
    const char* name;
    int bytes;
    enum class Kind { floating, with_sign, without_sign } kind;
};
[[nodiscard]] std::span<const NumberType> number_types();

enum class Fill { zero, iota, random };
[[nodiscard]] std::string to_string(Fill fill);

struct KernelArgument {
    enum class Kind { image, buffer, value, bytes, local, sampler } kind = Kind::value;
    std::string name;
    std::vector<std::int32_t> size;   ///< of an image: one to three numbers
    std::string format;               ///< of an image
    int channels = 1;                 ///< of an image; width of a vector
    const NumberType* type = nullptr; ///< of the numbers; null: bytes
    std::int64_t bytes = 0;           ///< in all, apart from samplers
    Fill fill = Fill::zero;
    std::vector<std::string> numbers;   ///< of a value, as they were given
    std::array<std::string, 3> sampler; ///< address, filter, "normalized" or empty

    bool operator==(const KernelArgument&) const = default;
};

/// Throws bad_input, saying what is wrong in one line.
[[nodiscard]] KernelArgument parse_kernel_argument(const std::string& text);
/// The text that parses to it, with everything that was left out.
[[nodiscard]] std::string to_string(const KernelArgument& argument);

/// "float4" of a value or a buffer that has a type.
[[nodiscard]] std::string type_name(const KernelArgument& argument);
/// Channels and their type of a known format of images, in words of texelscope-run-kernel.
[[nodiscard]] std::array<std::string, 2> format_words(const std::string& format);

// In matched_arguments.cpp:

/// The arguments in the order of the parameters. Throws bad_input for one that fits no parameter or
/// is given twice, and one message for all that are missing, with what to type.
[[nodiscard]] std::vector<KernelArgument> matched(const KernelSignature& kernel,
                                                  std::vector<KernelArgument> given);

/// The bytes of an argument that has some. Those of random numbers depend on seed and name alone.
[[nodiscard]] std::string argument_data(const KernelArgument& argument, std::uint64_t seed);

/// The argument's line in the request of texelscope-run-kernel.
[[nodiscard]] std::string request_line(const KernelArgument& argument,
                                       const KernelParameter& parameter);

} // namespace texelscope::workbench::explain
