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
#include "codegen/nest/operand.hpp"
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

struct NestLoop;

/// float4 `target` = the texel of an input; `access.image` is the index into LoopNest::inputs. In a
/// buffer y is 0, and `texels` consecutive texels can be read at once, into a vector of 4 * texels
/// numbers (in fp32 only).
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
/// `target` = `value`, or target += value, or target *= value.
struct NestAssign {
    enum class How { replace, add, multiply };
    NestValue target{};
    NumberExpr value;
    How how = How::replace;
};
/// A factor of a product: a whole value, or one component of it.
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
    /// A factor that is a single component is first written out as a vector of `splat` equal
    /// numbers. 0: it is not.
    int splat = 0;
};
/// const int `variable` = `definition`: a common part of later index expressions, which is
/// calculated once.
struct NestIndex {
    Variable variable;
    IndexExpr definition;
};
/// Writes `value`, a texel, to texel (x, y) of the output if every guard holds. Guards that always
/// hold are left out of the text. In a buffer y is 0.
struct NestWrite {
    IndexExpr x;
    IndexExpr y;
    std::vector<Guard> guards;
    NumberExpr value;
};
/// A barrier: all work-items of a group wait for each other, and then see what the others have
/// written to local memory.
struct NestBarrier {};
/// A reduction across work-items. The work-items of a group form `parts` parts of `items` each;
/// those at the same place in each part join their copies of every value (sum or largest), through
/// the local array number `array` of LoopNest::local_arrays. The order is always the same, so that
/// results are reproducible.
struct NestMeet {
    enum class How { sum, largest };
    std::vector<NestValue> values;
    How how = How::sum;
    int array = 0;
    std::int64_t parts = 1;
    std::int64_t items = 1;
    bool again = false; ///< the array was used before, so that a barrier must come first
    /// Which part a work-item belongs to, and its place (`home`) in that part. If not given, parts
    /// are consecutive ranges of the work-items' numbers in their group.
    struct Place {
        IndexExpr home;
        IndexExpr part;
    };
    std::optional<Place> place = {};
    bool everybody = false; ///< all parts get the result, else only the first does
};
/// Adds the half-precision sums to their float32 sums and sets them back (HalfSums).
struct NestCarry {
    std::vector<NestValue> sums;
};
/// OpenCL C that is copied into the kernel as it is. Nobody analyses it: it uses no values of the
/// nest, and counts as no work and no registers. For kernels that only probe a device.
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
    Variable variable; ///< the counter, in [0, extent - 1]
    std::vector<NestStatement> body;
};

/// Calls `visit` with each value that a statement uses, except those that it only defines. A value
/// may be visited twice. A loop uses none itself: its statements must be visited separately.
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

/// Calls `visit` with each index expression of a statement that is neither a coordinate nor a
/// guard: those in its arithmetic, and those in NestMeet::place.
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

/// A kernel: what is computed, in which order, from where. It has the prologue, the body and the
/// epilogue as lists of statements; see the head of this file.
struct LoopNest {
    std::string name;          ///< name of the kernel function
    std::string operator_text; ///< e.g. "matmul 64,64,64"
    std::string schedule_text;
    std::vector<Operand> inputs;
    Operand output;
    Dim3 groups{1, 1, 1};
    Dim3 local{1, 1, 1};
    /// Integers that the kernel defines before its statements, in order; a later definition may use
    /// an earlier variable. Their slots start at `first_named_slot`. The range of a variable may
    /// rely on the guards. The text prints "const int NAME = DEFINITION;", while launch_of()
    /// substitutes the definition. Kernel text also declares those work-item ids that definitions
    /// and coordinates use.
    using Named = NestIndex;
    static constexpr int first_named_slot = 1000;
    /// Slot of the name that stands for a work-item's number in its group, if there is one.
    static constexpr int item_slot = first_named_slot + 20;
    /// First slot of the NestIndex variables inside of bodies.
    static constexpr int first_index_slot = 2000;
    /// First slot of those NestIndex variables that arithmetic uses, rather than a coordinate.
    static constexpr int first_number_slot = 3000;
    std::vector<Named> names;
    /// Conditions on work-items. One that fails a guard takes no part: it reads and writes nothing.
    std::vector<Guard> guards;

    /// A value of the nest: its name in the text, and the 32-bit registers it takes in float32 (one
    /// for each number) and in half precision.
    struct Value {
        std::string name;
        int registers = 4;
        int half_registers = 4;
        NumberType type = NumberType::single;
        /// It stands for two sums: one in float32, and one in half precision that is carried into
        /// it (HalfSums).
        bool carried = false;
    };
    /// All values, by number (NestValue).
    std::vector<Value> values;

    std::vector<NestStatement> prologue; ///< declarations that body and epilogue share
    std::vector<NestStatement> body;     ///< carried out by the work-items that pass the guards
    /// Statements after the body. If `collective`, it has barriers that all work-items of a group
    /// must reach: also those that fail a guard come here, and only writes check the guards. (A
    /// body may have barriers only if the nest has no guards.)
    std::vector<NestStatement> epilogue;
    bool collective = false;
    /// The text writes reduction loops out (Schedule::unroll).
    bool written_out = false;
    /// Arrays in local memory that the kernel declares.
    struct LocalArray {
        int width = 1; ///< numbers in one element: 1 is a float, 4 a float4, ...
        std::string name;
        /// Elements, unless it follows from the group (`of_item`).
        std::int64_t count = 0;
        /// It holds factors of products, which are in half precision where the device computes in
        /// that.
        bool factors = false;
        /// Where the count depends on the size of the group: elements that each work-item puts
        /// there. With `room` > 0 the array takes only that many bytes of them at a time.
        std::int64_t of_item = 0;
        std::int64_t room = 0;

        /// Elements of the array for a group of `items` work-items.
        [[nodiscard]] std::int64_t count_for(std::int64_t items) const;
    };
    std::vector<LocalArray> local_arrays;

    /// How products and sums use half precision. If not given, they are in float32 on every device.
    std::optional<HalfSums> half_sums = {};

    /// 32-bit registers, estimated from the live values (register_footprint()).
    int registers_per_item = 0;
    int half_registers_per_item = 0;   ///< the same where the device computes in half precision
    double multiply_adds_per_item = 0; ///< multiply-adds of one work-item, padding included
    double flops = 0;                  ///< operations of the whole operator, without padding

    [[nodiscard]] const std::string& name_of(NestValue value) const
    {
        return values[static_cast<std::size_t>(value)].name;
    }
    /// Adds a value of `numbers` float32 numbers, and returns it.
    NestValue add_value(std::string value_name, int numbers);
    /// Adds a value of `numbers` numbers that is a factor of products: it is in half precision
    /// where the device computes in that.
    NestValue add_factor(std::string value_name, int numbers);

    /// The precision in which the kernel computes, given whether the device computes in half
    /// precision.
    [[nodiscard]] Precision arithmetic(bool device_has_half) const
    {
        return half_sums && device_has_half ? Precision::fp16 : Precision::fp32;
    }
    [[nodiscard]] int registers(Precision in) const
    {
        return in == Precision::fp16 ? half_registers_per_item : registers_per_item;
    }
};

/// The launch of a nest, for simulator and model: its image reads and the work between them, in
/// program order, as functions of work-item ids and loop variables only. The images of the launch
/// are those inputs that lie in images, in input order.
[[nodiscard]] Launch launch_of(const LoopNest& nest);

/// Index into Launch::images of each input; -1 where it lies in a buffer.
[[nodiscard]] std::vector<int> launch_images(const LoopNest& nest);

/// Whether the access never leaves its image, judged by the bounds of its expressions.
[[nodiscard]] bool always_inside(const AccessFunction& access, const Image& image);

/// Which of work_item_variables() occur in a nest: in the definitions of its names, its guards, or
/// its statements. (NestText is not looked into.)
[[nodiscard]] std::array<bool, 6> used_work_item_ids(const LoopNest& nest);

} // namespace texelscope::codegen
