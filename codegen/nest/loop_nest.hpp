#pragma once

#include "codegen/nest/half_sums.hpp"
#include "codegen/nest/schedule.hpp"
#include "codegen/nest/tensor_layout.hpp"
#include "traces/launch.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace texelscope::codegen {

/// A logical tensor: row-major float32.
struct Tensor {
    std::string name;
    std::vector<std::int64_t> shape;
    std::vector<std::string> dims = {}; ///< names of the dimensions, for people

    [[nodiscard]] std::int64_t size() const;
};

/// A tensor stored in RGBA texels, in an image or in a buffer.
struct Operand {
    Tensor tensor;
    /// A buffer is an image of one row here: texel (i, 0) is its number i.
    Image image;
    Memory memory = Memory::image;
    Storage storage = Storage::fp32;
    /// Where an element is kept: texel and component (0..3) over the variables of tensor_index(tensor). Every element has
    /// a place of its own.
    IndexExpr x;
    IndexExpr y;
    IndexExpr component;
    std::optional<TensorLayout> layout = {}; ///< from which these follow, where they do
};

/// The index of an element as variables: slot d is the index along dimension d, named d0, d1, ...
[[nodiscard]] std::vector<Variable> tensor_index(const Tensor& tensor);

/// An image as the tensor [height, width, 4] of its own texels.
[[nodiscard]] Operand texel_operand(const std::string& name, Extent2D extent);

/// Texels of the operand, 4 floats each, row-major; padding is zero. `values` has tensor.size() elements.
[[nodiscard]] std::vector<float> pack(const Operand& operand, std::span<const float> values);
/// The tensor back from the texels.
[[nodiscard]] std::vector<float> unpack(const Operand& operand, std::span<const float> texels);

struct NestLoop;

/// Number of a value in LoopNest::values.
using ValueId = int;

/// float4 `target` = the texel of an input; `access.image` is the index into LoopNest::inputs. Of a buffer, y is 0, and
/// `texels` that follow each other can be read at once, into a vector of four times as many numbers (fp32 alone).
struct NestRead {
    ValueId target = 0;
    AccessFunction access;
    int texels = 1;
};
/// One OpenCL C statement without memory access, or several that belong together. `defines`: the value that it declares,
/// or -1. `uses`: the values that occur in it otherwise.
struct NestCompute {
    std::string text;
    ValueId defines = -1;
    std::vector<ValueId> uses = {};
};
/// A value as a factor: all of it, or one component of it.
struct NestFactor {
    ValueId value = 0;
    int component = -1; ///< -1: all of them
};
/// `sum` += `a` * `b`, or the dot product of the two.
struct NestMultiplyAdd {
    ValueId sum = 0;
    NestFactor a;
    NestFactor b;
    bool dot = false;
    int splat = 0; ///< a component is written out as a vector of that many numbers; 0: it stands as it is
};
/// const int `variable` = `definition`: a part of later index expressions that is calculated once.
struct NestIndex {
    Variable variable;
    IndexExpr definition;
};
/// Writes `value`, an expression of type float4 over `uses`, to the output where every guard holds (guards that always
/// hold are left out of the text). Of a buffer, y is 0.
struct NestWrite {
    IndexExpr x;
    IndexExpr y;
    std::vector<Guard> guards;
    std::string value;
    std::vector<ValueId> uses = {};
};

/// float4 `target` = element `at` of an array in local memory; `array` is the index into LoopNest::local_arrays.
struct NestLocalRead {
    ValueId target = 0;
    int array = 0;
    IndexExpr at;
};
/// Element `at` of an array in local memory = `value`.
struct NestLocalWrite {
    int array = 0;
    IndexExpr at;
    ValueId value = 0;
};

using NestStatement =
    std::variant<NestRead, NestCompute, NestMultiplyAdd, NestIndex, NestWrite, NestLocalRead, NestLocalWrite, NestLoop>;

struct NestLoop {
    Variable variable; ///< range [0, extent - 1]
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
    /// "const int NAME = DEFINITION;", launch_of() substitutes the definition. Kernel text declares the work-item ids that
    /// definitions and coordinates use.
    using Named = NestIndex;
    static constexpr int first_named_slot = 1000;
    /// Of the name of a work-item's number in its group, where it is one.
    static constexpr int item_slot = first_named_slot + 20;
    /// Slots of NestIndex variables inside of bodies start here.
    static constexpr int first_index_slot = 2000;
    /// Of those among them that are no part of a coordinate, but of a text.
    static constexpr int first_text_slot = 3000;
    std::vector<Named> names;
    /// A work-item that fails one takes no part: it reads and writes nothing.
    std::vector<Guard> guards;

    /// Values of the body by number: name in the text, and 32-bit registers in each arithmetic.
    struct Value {
        std::string name;
        int registers = 4;
        int half_registers = 4;
    };
    std::vector<Value> values;

    std::vector<NestStatement> prologue; ///< declarations that body and epilogue share
    std::vector<NestStatement> body;     ///< the work-items that pass the guards
    /// After the body. Where `collective`, work-items of a group meet in it at barriers: all of them come here, those
    /// that fail a guard too, and only writes heed the guards. (A body with barriers takes a nest without guards.)
    std::vector<NestStatement> epilogue;
    bool collective = false;
    /// Arrays in local memory that the kernel declares.
    struct LocalArray {
        int width = 1; ///< numbers of an element, which is a float, a float4, ...
        std::string name;
        std::int64_t count = 0;
        bool factors = false; ///< its numbers are what products are made of: of half precision in such arithmetic
        /// Where the count follows from how many work-items a group has: what each of them puts there, of which `room` bytes take a
        /// part at a time (0: all).
        std::int64_t of_item = 0;
        std::int64_t room = 0;

        /// The count for a group of so many work-items.
        [[nodiscard]] std::int64_t count_for(std::int64_t items) const;
    };
    std::vector<LocalArray> local_arrays;

    /// Of products and sums; nothing: they are float32 on every device.
    std::optional<HalfSums> half_sums = {};

    int registers_per_item = 0;        ///< 32-bit registers, estimated from the live values (register_footprint())
    int half_registers_per_item = 0;   ///< the same where the device computes in half precision
    double multiply_adds_per_item = 0; ///< those that one work-item carries out, padding included
    double flops = 0;                  ///< of the operator, without padding

    [[nodiscard]] const std::string& name_of(ValueId value) const
    {
        return values[static_cast<std::size_t>(value)].name;
    }
    /// A new value; returns its number.
    ValueId add_value(std::string value_name, int registers);
    /// A new value of so many numbers, of half precision in such arithmetic.
    ValueId add_factor(std::string value_name, int numbers);

    /// What the kernel computes in on a device that does or does not compute in half precision.
    [[nodiscard]] Precision arithmetic(bool device_has_half) const
    {
        return half_sums && device_has_half ? Precision::fp16 : Precision::fp32;
    }
    [[nodiscard]] int registers(Precision in) const
    {
        return in == Precision::fp16 ? half_registers_per_item : registers_per_item;
    }
};

/// The image reads of a nest and the work between them, in program order, over work-item ids and loop variables alone. Its
/// images are the inputs that lie in images, in input order.
[[nodiscard]] Launch launch_of(const LoopNest& nest);

/// Index into Launch::images of each input; -1 where it lies in a buffer.
[[nodiscard]] std::vector<int> launch_images(const LoopNest& nest);

/// OpenCL C type of so many of the numbers that products are made of: "float4", or "number4" where the device decides
/// whether they are float or half.
[[nodiscard]] std::string vector_type(const LoopNest& nest, int numbers);

/// Whether every coordinate that the access can take lies inside of its image, by the bounds of its expressions.
[[nodiscard]] bool always_inside(const AccessFunction& access, const Image& image);

/// Which of work_item_variables() occur in a nest: in the definitions of its names, its guards, or the coordinates and guards
/// of its statements. (What the text of a NestCompute names is not looked at.)
[[nodiscard]] std::array<bool, 6> used_work_item_ids(const LoopNest& nest);

} // namespace texelscope::codegen
