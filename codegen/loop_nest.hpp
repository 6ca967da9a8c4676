#pragma once

#include "traces/launch.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace texelscope {

/// A logical tensor: row-major float32.
struct Tensor {
    std::string name;
    std::vector<std::int64_t> shape;

    [[nodiscard]] std::int64_t size() const;
};

/// A tensor stored in an image of RGBA float texels.
struct Operand {
    Tensor tensor;
    Image image;
    /// Index into the tensor of component 0..3 of a texel of the image, or -1 where the texel is padding.
    std::function<std::int64_t(Texel, int)> element;
};

/// Texels of the image, 4 floats each, row-major; padding is zero. `values` has tensor.size() elements.
[[nodiscard]] std::vector<float> pack(const Operand& operand, std::span<const float> values);
/// The tensor back from the texels. Every element must be stored somewhere.
[[nodiscard]] std::vector<float> unpack(const Operand& operand, std::span<const float> texels);

struct NestLoop;

/// float4 `target` = the texel.
struct NestRead {
    std::string target;
    AccessFunction access;
};
/// OpenCL C statements without memory access.
struct NestCompute {
    std::string text;
};
/// Writes `value`, an expression of type float4, to the output image where every guard holds (guards that always hold
/// are left out of the text).
struct NestWrite {
    IndexExpr x;
    IndexExpr y;
    std::vector<Guard> guards;
    std::string value;
};

using NestStatement = std::variant<NestRead, NestCompute, NestWrite, NestLoop>;

struct NestLoop {
    Variable variable;
    std::vector<NestStatement> body;
};

/// The product of an operator and a schedule: what is computed, in which order, from where. Kernel text and launch
/// are both derived from it.
struct LoopNest {
    std::string name;          ///< of the kernel function
    std::string operator_text; ///< e.g. "matmul 64,64,64"
    std::string schedule_text;
    std::vector<Operand> inputs;
    Operand output;
    Dim3 groups{1, 1, 1};
    Dim3 local{1, 1, 1};
    /// Values that the kernel names, in order; a later definition may use an earlier variable. Their slots start at
    /// `first_named_slot`; the range of a variable may use what the guards promise. The text prints
    /// "const int NAME = DEFINITION;", launch_of() substitutes the definition. Kernel text declares the
    /// work-item ids that definitions use, so expressions of the body go over named values and loop variables.
    struct Named {
        Variable variable;
        IndexExpr definition;
    };
    static constexpr int first_named_slot = 1000;
    std::vector<Named> names;
    /// A work-item that fails one returns at once.
    std::vector<Guard> guards;
    std::vector<NestStatement> body;
    int registers_per_item = 0;        ///< 32-bit registers, estimated from the live values
    double multiply_adds_per_item = 0; ///< those that one work-item carries out, padding included
    double flops = 0;                  ///< of the operator, without padding
};

/// The reads of a nest, in program order, over work-item ids and loop variables alone.
[[nodiscard]] Launch launch_of(const LoopNest& nest);

/// Whether every coordinate that the access can take lies inside of its image, by the bounds of its expressions.
[[nodiscard]] bool always_inside(const AccessFunction& access, const Image& image);

} // namespace texelscope
