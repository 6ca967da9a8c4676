// Oclgrind 21.10 computes with float and double alone and ends the program at the first half number
// (cl_khr_fp16). Three of its functions are replaced here, as the library that they are in is
// loaded before Oclgrind's: they know numbers of 2 bytes as well. Its built-in functions are told
// that a half is a float. Oclgrind computes in double precision. A sum, product, quotient or root
// that is rounded to float and then to half is the same as one rounded to half at once: float has
// more than twice the digits (Figueroa, "When is double rounding innocuous?", 1995).

#include "traces/capture/plugin/half_numbers.hpp"

#include "base/half.hpp"
#include "traces/capture/plugin/llvm_values.hpp"
#include "traces/capture/plugin/next_function.hpp"

#include <oclgrind/WorkItem.h>
#include <oclgrind/common.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <string>
#include <utility>

namespace {

using oclgrind::BuiltinFunction;
using oclgrind::TypedValue;
using oclgrind::WorkItem;
using texelscope::base::from_half_bits;
using texelscope::base::half_bits;

template <class Number>
Number loaded(const unsigned char* data, unsigned index)
{
    Number number;
    std::memcpy(&number, data + index * sizeof number, sizeof number);
    return number;
}

template <class Number>
void store(unsigned char* data, unsigned index, Number number)
{
    std::memcpy(data + index * sizeof number, &number, sizeof number);
}

[[noreturn]] void refuse(unsigned size)
{
    std::fprintf(stderr, "a kernel has real numbers of %u bytes, which cannot be captured\n", size);
    std::abort();
}

/// Elements of a constant vector, array or structure.
unsigned elements_of(void* type)
{
    switch (LLVMGetTypeKind(type)) {
    case texelscope::traces::structure:
        return LLVMCountStructElementTypes(type);
    case texelscope::traces::array:
        return LLVMGetArrayLength(type);
    default:
        return LLVMGetVectorSize(type);
    }
}

/// The name of half in a mangled signature: its only use of these letters.
constexpr const char* mangled_half = "Dh";

/// Calls the function of floats whose entry is `op`: it computes with numbers of whatever size the
/// call has, and looks at the signature for their kind.
void with_floats(WorkItem* item, const llvm::CallInst* call, const std::string& name,
                 const std::string& signature, TypedValue& result, void* op)
{
    const auto& original = *static_cast<const BuiltinFunction*>(op);
    std::size_t at = signature.find(mangled_half);
    if (at == std::string::npos) {
        original.func(item, call, name, signature, result, original.op);
        return;
    }
    std::string floats = signature;
    for (; at != std::string::npos; at = floats.find(mangled_half, at)) {
        floats.replace(at, 2, "f");
    }
    original.func(item, call, name, floats, result, original.op);
}

/// OpenCL C 1.2, section 6.2.3.2: of a conversion's name.
enum class Rounding : char { nearest = 'e', zero = 'z', up = 'p', down = 'n' };

std::uint16_t rounded(float value, Rounding rounding)
{
    const std::uint16_t bits = half_bits(value); // the nearest
    const float nearest = from_half_bits(bits);
    const bool wrong_side = rounding == Rounding::up     ? nearest < value
                            : rounding == Rounding::down ? nearest > value
                            : rounding == Rounding::zero ? std::abs(nearest) > std::abs(value)
                                                         : false;
    if (!wrong_side) {
        return bits;
    }
    // The next number above has a larger magnitude where both are positive, below where negative.
    const bool larger = std::signbit(value) ? rounding == Rounding::down : rounding == Rounding::up;
    return static_cast<std::uint16_t>(larger ? bits + 1 : bits - 1);
}

/// Oclgrind's own ends the program where it converts from float.
void convert_half(WorkItem* item, const llvm::CallInst* call, const std::string& name,
                  const std::string& signature, TypedValue& result, void* /*op*/)
{
    const std::size_t suffix = name.find("_rt");
    const Rounding rounding =
        suffix == std::string::npos ? Rounding::nearest : Rounding{name.back()};
    const TypedValue given = item->getOperand(texelscope::traces::call_argument(call, 0));
    // A scalar's type, or behind the width of a vector: Dv4_f.
    const std::size_t vector = signature.find('_');
    const std::string type = signature.substr(vector == std::string::npos ? 0 : vector + 1);
    const bool whole_with_sign = type.find_first_of("acsil") == 0;
    const bool whole = whole_with_sign || type.find_first_of("htjm") == 0;
    for (unsigned i = 0; i < result.num; ++i) {
        const float value = !whole            ? static_cast<float>(given.getFloat(i))
                            : whole_with_sign ? static_cast<float>(given.getSInt(i))
                                              : static_cast<float>(given.getUInt(i));
        store(result.data, i, rounded(value, rounding));
    }
}

} // namespace

namespace texelscope::traces {

void add_half_builtins()
{
    // The entries outlive every context; the library is never unloaded.
    static std::list<BuiltinFunction> originals;
    if (!originals.empty()) {
        return;
    }
    const auto replace = [](BuiltinFunction& entry) {
        originals.push_back(entry);
        entry = BuiltinFunction(with_floats, &originals.back());
    };
    for (auto& [name, entry] : oclgrind::workItemBuiltins) {
        replace(entry);
    }
    for (auto& [prefix, entry] : oclgrind::workItemPrefixBuiltins) {
        if (prefix == "convert_half") {
            entry = BuiltinFunction(convert_half, nullptr);
        } else {
            replace(entry);
        }
    }
    // Oclgrind has no reads and writes of half numbers; its functions for floats convert.
    for (const auto& [half, full] :
         {std::pair("read_imageh", "read_imagef"), {"write_imageh", "write_imagef"}}) {
        const auto entry = oclgrind::workItemBuiltins.find(full);
        if (entry != oclgrind::workItemBuiltins.end()) {
            oclgrind::workItemBuiltins.emplace(half, entry->second);
        }
    }
}

} // namespace texelscope::traces

namespace oclgrind {

[[gnu::visibility("default")]] double TypedValue::getFloat(unsigned index) const
{
    switch (size) {
    case 2:
        return from_half_bits(loaded<std::uint16_t>(data, index));
    case 4:
        return loaded<float>(data, index);
    case 8:
        return loaded<double>(data, index);
    default:
        refuse(size);
    }
}

[[gnu::visibility("default")]] void TypedValue::setFloat(double value, unsigned index)
{
    switch (size) {
    case 2:
        store(data, index, half_bits(static_cast<float>(value)));
        break;
    case 4:
        store(data, index, static_cast<float>(value));
        break;
    case 8:
        store(data, index, value);
        break;
    default:
        refuse(size);
    }
}

// The original goes through vectors, arrays and structures by itself: so does this one, and leaves
// it the numbers that it knows.
[[gnu::visibility("default")]] void getConstantData(unsigned char* data,
                                                    const llvm::Constant* constant)
{
    using namespace texelscope::traces;
    static auto* const original = next_function<void(unsigned char*, const llvm::Constant*)>(
        "_ZN8oclgrind15getConstantDataEPhPKN4llvm8ConstantE");
    void* const value = llvm_handle(constant);
    void* const type = LLVMTypeOf(value);
    const int kind = LLVMGetTypeKind(type);
    const bool aggregate = kind == vector || kind == array || kind == structure;
    if (LLVMIsUndef(value) != 0 || (kind != half && !aggregate)) {
        original(data, constant);
    } else if (LLVMIsNull(value) != 0) {
        std::memset(data, 0, getTypeSize(static_cast<const llvm::Type*>(type)));
    } else if (kind == half) {
        int inexact = 0;
        store(data, 0, half_bits(static_cast<float>(LLVMConstRealGetDouble(value, &inexact))));
    } else {
        for (unsigned i = 0; i < elements_of(type); ++i) {
            const auto* const element = static_cast<const llvm::Constant*>(
                LLVMIsAConstantDataSequential(value) != nullptr ? LLVMGetElementAsConstant(value, i)
                                                                : LLVMGetOperand(value, i));
            const unsigned offset =
                kind == structure
                    ? getStructMemberOffset(static_cast<const llvm::StructType*>(type), i)
                    : i * getTypeSize(
                              static_cast<const llvm::Type*>(LLVMTypeOf(llvm_handle(element))));
            getConstantData(data + offset, element);
        }
    }
}

} // namespace oclgrind
