#pragma once

// What a kernel does, as a value: the product of an operator and a schedule.
//
// What goes in: an operator's lowering (codegen/lowering) makes a LoopNest; it adds values
// (add_value(), add_factor()), then statements over them, in program order. Passes (codegen/passes)
// may name parts of coordinates. What comes out: kernel text (opencl_text()), reads and work for
// simulator and model (launch_of()), registers (register_footprint() here, estimated_registers() in
// devices/registers), all by visiting the same statements; none of them reads another's result.
//
// What always holds: a statement says all that it does in typed parts, AccessFunction, IndexExpr
// and NumberExpr, so that whoever visits it need not know its text (for_each_used() has the values
// that it uses). A value is defined by one statement, which stands before those that use it;
// NestText alone, of probes, is not looked into.

#include "codegen/nest/half_sums.hpp"
#include "codegen/nest/number_expr.hpp"
#include "codegen/nest/schedule.hpp"
#include "codegen/nest/tensor_layout.hpp"
#include "traces/launch.hpp"

#include <algorithm>
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
    /// Where an element is kept: texel and component (0..3) over the variables of
    /// tensor_index(tensor). Every element has a place of its own.
    IndexExpr x;
    IndexExpr y;
    IndexExpr component;
    std::optional<TensorLayout> layout = {}; ///< from which these follow, where they do
};

/// The index of an element as variables: slot d is the index along dimension d, named d0, d1, ...
[[nodiscard]] std::vector<Variable> tensor_index(const Tensor& tensor);

/// An image as the tensor [height, width, 4] of its own texels.
[[nodiscard]] Operand texel_operand(const std::string& name, Extent2D extent);

/// Texels of the operand, 4 floats each, row-major; padding is zero. `values` has tensor.size()
/// elements.
[[nodiscard]] std::vector<float> pack(const Operand& operand, std::span<const float> values);
/// The tensor back from the texels.
[[nodiscard]] std::vector<float> unpack(const Operand& operand, std::span<const float> texels);

struct NestLoop;

/// float4 `target` = the texel of an input; `access.image` is the index into LoopNest::inputs. Of a
/// buffer, y is 0, and `texels` that follow each other can be read at once, into a vector of four
/// times as many numbers (fp32 alone).
struct NestRead {
    NestValue target{};
    AccessFunction access;
    int texels = 1;
};
/// Declares `target` = `value`. A sum that is carried (LoopNest::Value::carried) starts from zero,
/// whatever the value is.
struct NestDeclare {
    NestValue target{};
    NumberExpr value;
    bool constant = true; ///< no statement changes it
};
/// `target` = `value`, or joined with it.
struct NestAssign {
    enum class How { replace, add, multiply };
    NestValue target{};
    NumberExpr value;
    How how = How::replace;
};
/// A value as a factor: all of it, or one component of it.
struct NestFactor {
    NestValue value{};
    int component = -1; ///< -1: all of them

    [[nodiscard]] NumberExpr expression() const
    {
        return component < 0 ? NumberExpr(value) : NumberExpr(value).component(component);
    }
};
/// `sum` += `a` * `b`, or the dot product of the two.
struct NestMultiplyAdd {
    NestValue sum{};
    NestFactor a;
    NestFactor b;
    bool dot = false;
    /// A component is written out as a vector of that many numbers; 0: it stands as it is.
    int splat = 0;
};
/// const int `variable` = `definition`: a part of later index expressions that is calculated once.
struct NestIndex {
    Variable variable;
    IndexExpr definition;
};
/// Writes `value`, a texel, to the output where every guard holds (guards that always hold are left
/// out of the text). Of a buffer, y is 0.
struct NestWrite {
    IndexExpr x;
    IndexExpr y;
    std::vector<Guard> guards;
    NumberExpr value;
};
/// All work-items of a group wait for each other; what they have written to local memory is seen by
/// all.
struct NestBarrier {};
/// The work-items of a group come in `parts` of `items` each; those of the same place in each part
/// join what they have of every value, through local memory, always in the same order. `array` is
/// the index into LoopNest::local_arrays.
struct NestMeet {
    enum class How { sum, largest };
    std::vector<NestValue> values;
    How how = How::sum;
    int array = 0;
    std::int64_t parts = 1;
    std::int64_t items = 1;
    bool again = false; ///< others may still be reading what was left in local memory before
    /// Where a work-item is: its place in its part, and the part. Nothing: parts follow each other
    /// in the work-item's number in its group.
    struct Place {
        IndexExpr home;
        IndexExpr part;
    };
    std::optional<Place> place = {};
    bool everybody = false; ///< all parts have the result, else the first alone
};
/// Sums in half precision become part of those in float32 (HalfSums).
struct NestCarry {
    std::vector<NestValue> sums;
};
/// OpenCL C of which nothing is known: no value of the nest, no work, no registers. For kernels
/// that only probe a device.
struct NestText {
    std::string text;
};

/// float4 `target` = element `at` of an array in local memory; `array` is the index into
/// LoopNest::local_arrays.
struct NestLocalRead {
    NestValue target{};
    int array = 0;
    IndexExpr at;
};
/// Element `at` of an array in local memory = `value`.
struct NestLocalWrite {
    int array = 0;
    IndexExpr at;
    NestValue value{};
};

using NestStatement = std::variant<NestRead, NestDeclare, NestAssign, NestMultiplyAdd, NestIndex,
                                   NestWrite, NestBarrier, NestMeet, NestCarry, NestText,
                                   NestLocalRead, NestLocalWrite, NestLoop>;

struct NestLoop {
    Variable variable; ///< range [0, extent - 1]
    std::vector<NestStatement> body;
};

/// Calls `visit` with each value that a statement uses beside those that it defines; some twice. Of
/// a loop with none: its statements are visited on their own.
template <class Visit>
void for_each_used(const NestDeclare& s, const Visit& visit)
{
    s.value.for_each_value(visit);
}
template <class Visit>
void for_each_used(const NestAssign& s, const Visit& visit)
{
    s.value.for_each_value(visit);
    visit(s.target);
}
template <class Visit>
void for_each_used(const NestMultiplyAdd& s, const Visit& visit)
{
    visit(s.sum);
    visit(s.a.value);
    visit(s.b.value);
}
template <class Visit>
void for_each_used(const NestWrite& s, const Visit& visit)
{
    s.value.for_each_value(visit);
}
template <class Visit>
void for_each_used(const NestMeet& s, const Visit& visit)
{
    std::for_each(s.values.begin(), s.values.end(), visit);
}
template <class Visit>
void for_each_used(const NestCarry& s, const Visit& visit)
{
    std::for_each(s.sums.begin(), s.sums.end(), visit);
}
template <class Visit>
void for_each_used(const NestLocalWrite& s, const Visit& visit)
{
    visit(s.value);
}
template <class Statement, class Visit>
void for_each_used(const Statement& /*uses none*/, const Visit& /*visit*/)
{}

/// Calls `visit` with each index expression of a statement that is no coordinate or guard: in its
/// arithmetic, and where it meets.
template <class Visit>
void for_each_index(const NestStatement& statement, const Visit& visit)
{
    const auto of = [&](const NumberExpr& value) {
        std::for_each(value.indices().begin(), value.indices().end(), visit);
    };
    if (const auto* declare = std::get_if<NestDeclare>(&statement)) {
        of(declare->value);
    } else if (const auto* assign = std::get_if<NestAssign>(&statement)) {
        of(assign->value);
    } else if (const auto* write = std::get_if<NestWrite>(&statement)) {
        of(write->value);
    } else if (const auto* meet = std::get_if<NestMeet>(&statement);
               meet != nullptr && meet->place) {
        visit(meet->place->home);
        visit(meet->place->part);
    }
}

/// The product of an operator and a schedule: what is computed, in which order, from where. Kernel
/// text and launch are both derived from it.
struct LoopNest {
    std::string name;          ///< of the kernel function
    std::string operator_text; ///< e.g. "matmul 64,64,64"
    std::string schedule_text;
    std::vector<Operand> inputs;
    Operand output;
    Dim3 groups{1, 1, 1};
    Dim3 local{1, 1, 1};
    /// Values that the kernel names, in order; a later definition may use an earlier variable.
    /// Their slots start at `first_named_slot`; the range of a variable may use what the guards
    /// promise. The text prints "const int NAME = DEFINITION;", launch_of() substitutes the
    /// definition. Kernel text declares the work-item ids that definitions and coordinates use.
    using Named = NestIndex;
    static constexpr int first_named_slot = 1000;
    /// Of the name of a work-item's number in its group, where it is one.
    static constexpr int item_slot = first_named_slot + 20;
    /// Slots of NestIndex variables inside of bodies start here.
    static constexpr int first_index_slot = 2000;
    /// Of those among them that arithmetic needs rather than a coordinate.
    static constexpr int first_number_slot = 3000;
    std::vector<Named> names;
    /// A work-item that fails one takes no part: it reads and writes nothing.
    std::vector<Guard> guards;

    /// Values of the body by number: name in the text, and 32-bit registers in each arithmetic; in
    /// float32 that is how many numbers it has.
    struct Value {
        std::string name;
        int registers = 4;
        int half_registers = 4;
        NumberType type = NumberType::single;
        /// A sum in float32, and beside it the run of terms that is carried into it (HalfSums).
        bool carried = false;
    };
    std::vector<Value> values;

    std::vector<NestStatement> prologue; ///< declarations that body and epilogue share
    std::vector<NestStatement> body;     ///< the work-items that pass the guards
    /// After the body. Where `collective`, work-items of a group meet in it at barriers: all of
    /// them come here, those that fail a guard too, and only writes heed the guards. (A body with
    /// barriers takes a nest without guards.)
    std::vector<NestStatement> epilogue;
    bool collective = false;
    /// Arrays in local memory that the kernel declares.
    struct LocalArray {
        int width = 1; ///< numbers of an element, which is a float, a float4, ...
        std::string name;
        std::int64_t count = 0;
        /// Its numbers are what products are made of: of half precision in such arithmetic.
        bool factors = false;
        /// Where the count follows from how many work-items a group has: what each of them puts
        /// there, of which `room` bytes take a part at a time (0: all).
        std::int64_t of_item = 0;
        std::int64_t room = 0;

        /// The count for a group of so many work-items.
        [[nodiscard]] std::int64_t count_for(std::int64_t items) const;
    };
    std::vector<LocalArray> local_arrays;

    /// Of products and sums; nothing: they are float32 on every device.
    std::optional<HalfSums> half_sums = {};

    /// 32-bit registers, estimated from the live values (register_footprint()).
    int registers_per_item = 0;
    int half_registers_per_item = 0;   ///< the same where the device computes in half precision
    double multiply_adds_per_item = 0; ///< those that one work-item carries out, padding included
    double flops = 0;                  ///< of the operator, without padding

    [[nodiscard]] const std::string& name_of(NestValue value) const
    {
        return values[static_cast<std::size_t>(value)].name;
    }
    /// A new value of so many numbers in float32; returns its number.
    NestValue add_value(std::string value_name, int numbers);
    /// A new value of so many numbers, of half precision in such arithmetic.
    NestValue add_factor(std::string value_name, int numbers);

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

/// The image reads of a nest and the work between them, in program order, over work-item ids and
/// loop variables alone. Its images are the inputs that lie in images, in input order.
[[nodiscard]] Launch launch_of(const LoopNest& nest);

/// Index into Launch::images of each input; -1 where it lies in a buffer.
[[nodiscard]] std::vector<int> launch_images(const LoopNest& nest);

/// Whether every coordinate that the access can take lies inside of its image, by the bounds of its
/// expressions.
[[nodiscard]] bool always_inside(const AccessFunction& access, const Image& image);

/// Which of work_item_variables() occur in a nest: in the definitions of its names, its guards, or
/// its statements. (NestText is not looked into.)
[[nodiscard]] std::array<bool, 6> used_work_item_ids(const LoopNest& nest);

} // namespace texelscope::codegen
