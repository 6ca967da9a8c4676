// LLVM turns patterns of a kernel's text (x < 0 ? -x : x, a rotation of bits, a sum that saturates)
// into functions of its own, some of which Oclgrind 21.10 does not know: it refuses to create such
// a kernel. They are added to its table by what LLVM's reference says of them; and OpenCL's packed
// products of bytes (cl_khr_integer_dot_product).

#include "traces/capture/plugin/missing_functions.hpp"

#include "traces/capture/plugin/llvm_values.hpp"

#include <oclgrind/WorkItem.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>

namespace texelscope::traces {
namespace {

using oclgrind::TypedValue;

/// Operands of one element, as many bits each; the low bits of the result count.
struct Operands {
    std::uint64_t a = 0, b = 0, c = 0;
    unsigned bits = 32;

    [[nodiscard]] std::uint64_t ones() const { return ~std::uint64_t{0} >> (64 - bits); }
    [[nodiscard]] std::uint64_t sign() const { return std::uint64_t{1} << (bits - 1); }
};

std::uint64_t magnitude(const Operands& o)
{
    return (o.a & o.sign()) != 0 ? ~o.a + 1 : o.a;
}

std::uint64_t ones_of(const Operands& o)
{
    return static_cast<std::uint64_t>(std::popcount(o.a));
}

std::uint64_t leading_zeros(const Operands& o)
{
    return static_cast<std::uint64_t>(std::countl_zero(o.a)) - (64 - o.bits);
}

std::uint64_t trailing_zeros(const Operands& o)
{
    return std::min<std::uint64_t>(o.bits, static_cast<std::uint64_t>(std::countr_zero(o.a)));
}

std::uint64_t reversed(const Operands& o)
{
    std::uint64_t out = 0;
    for (unsigned i = 0; i < o.bits; ++i) {
        out |= (o.a >> i & 1) << (o.bits - 1 - i);
    }
    return out;
}

/// The high half of a:b after a shift to the left by c, modulo the bits.
std::uint64_t shifted_left(const Operands& o)
{
    const std::uint64_t by = o.c % o.bits;
    return by == 0 ? o.a : o.a << by | o.b >> (o.bits - by);
}

/// The low half of a:b after a shift to the right.
std::uint64_t shifted_right(const Operands& o)
{
    const std::uint64_t by = o.c % o.bits;
    return by == 0 ? o.b : o.b >> by | o.a << (o.bits - by);
}

std::uint64_t unsigned_sum(const Operands& o)
{
    return o.a > o.ones() - o.b ? o.ones() : o.a + o.b;
}

std::uint64_t unsigned_difference(const Operands& o)
{
    return o.a < o.b ? 0 : o.a - o.b;
}

/// The sum is beyond the range where both operands have another sign than it.
std::uint64_t signed_sum(const Operands& o)
{
    const std::uint64_t sum = o.a + o.b;
    const bool beyond = ((sum ^ o.a) & (sum ^ o.b) & o.sign()) != 0;
    return !beyond ? sum : (o.a & o.sign()) != 0 ? o.sign() : o.ones() ^ o.sign();
}

std::uint64_t signed_difference(const Operands& o)
{
    const std::uint64_t difference = o.a - o.b;
    const bool beyond = ((o.a ^ o.b) & (difference ^ o.a) & o.sign()) != 0;
    return !beyond ? difference : (o.a & o.sign()) != 0 ? o.sign() : o.ones() ^ o.sign();
}

/// Byte number `i` of a packed operand.
std::int64_t byte_of(std::uint64_t packed, int i, bool with_sign)
{
    const auto byte = static_cast<std::uint8_t>(packed >> (8 * i));
    return with_sign ? static_cast<std::int8_t>(byte) : std::int64_t{byte};
}

template <bool sign_of_a, bool sign_of_b>
std::int64_t packed_product(const Operands& o)
{
    std::int64_t sum = 0;
    for (int i = 0; i < 4; ++i) {
        sum += byte_of(o.a, i, sign_of_a) * byte_of(o.b, i, sign_of_b);
    }
    return sum;
}

template <bool sign_of_a, bool sign_of_b>
std::uint64_t product(const Operands& o)
{
    return static_cast<std::uint64_t>(packed_product<sign_of_a, sign_of_b>(o));
}

/// The product and c, saturated.
template <bool sign_of_a, bool sign_of_b>
std::uint64_t product_and_sum(const Operands& o)
{
    const std::int64_t products = packed_product<sign_of_a, sign_of_b>(o);
    if constexpr (!sign_of_a && !sign_of_b) {
        return std::min<std::uint64_t>(static_cast<std::uint64_t>(products) + o.c, UINT32_MAX);
    }
    const std::int64_t sum = products + static_cast<std::int32_t>(o.c);
    return static_cast<std::uint64_t>(std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX));
}

struct IntegerFunction {
    const char* name;
    std::uint64_t (*compute)(const Operands&);
    unsigned operands;
};

// Further operands (whether zero or the smallest number is undefined) change nothing here.
constexpr std::array functions{
    IntegerFunction{"llvm.abs.", magnitude, 1},
    IntegerFunction{"llvm.ctpop.", ones_of, 1},
    IntegerFunction{"llvm.ctlz.", leading_zeros, 1},
    IntegerFunction{"llvm.cttz.", trailing_zeros, 1},
    IntegerFunction{"llvm.bitreverse.", reversed, 1},
    IntegerFunction{"llvm.fshl.", shifted_left, 3},
    IntegerFunction{"llvm.fshr.", shifted_right, 3},
    IntegerFunction{"llvm.uadd.sat.", unsigned_sum, 2},
    IntegerFunction{"llvm.usub.sat.", unsigned_difference, 2},
    IntegerFunction{"llvm.sadd.sat.", signed_sum, 2},
    IntegerFunction{"llvm.ssub.sat.", signed_difference, 2},
    IntegerFunction{"dot_4x8packed_uu_uint", product<false, false>, 2},
    IntegerFunction{"dot_4x8packed_ss_int", product<true, true>, 2},
    IntegerFunction{"dot_4x8packed_us_int", product<false, true>, 2},
    IntegerFunction{"dot_4x8packed_su_int", product<true, false>, 2},
    IntegerFunction{"dot_acc_sat_4x8packed_uu_uint", product_and_sum<false, false>, 3},
    IntegerFunction{"dot_acc_sat_4x8packed_ss_int", product_and_sum<true, true>, 3},
    IntegerFunction{"dot_acc_sat_4x8packed_us_int", product_and_sum<false, true>, 3},
    IntegerFunction{"dot_acc_sat_4x8packed_su_int", product_and_sum<true, false>, 3},
};

void run(oclgrind::WorkItem* item, const llvm::CallInst* call, const std::string& /*name*/,
         const std::string& /*overload*/, TypedValue& result, void* op)
{
    const auto& function = *static_cast<const IntegerFunction*>(op);
    std::array<TypedValue, 3> given{};
    for (unsigned i = 0; i < function.operands; ++i) {
        given[i] = item->getOperand(call_argument(call, i));
    }
    for (unsigned i = 0; i < result.num; ++i) {
        Operands operands{.bits = 8 * result.size};
        std::array<std::uint64_t*, 3> places{&operands.a, &operands.b, &operands.c};
        for (unsigned k = 0; k < function.operands; ++k) {
            *places[k] = given[k].getUInt(i);
        }
        result.setUInt(function.compute(operands), i);
    }
}

/// What tells the compiler something, and computes nothing.
constexpr std::array hints{"llvm.assume", "llvm.experimental.noalias.scope.decl"};

void nothing(oclgrind::WorkItem* /*item*/, const llvm::CallInst* /*call*/,
             const std::string& /*name*/, const std::string& /*overload*/, TypedValue& /*result*/,
             void* /*op*/)
{}

} // namespace

void add_missing_functions()
{
    auto& table = oclgrind::workItemPrefixBuiltins;
    const auto add = [&](const char* name, const oclgrind::BuiltinFunction& function) {
        const bool known = std::any_of(table.begin(), table.end(), [&](const auto& entry) {
            return std::string(name).starts_with(entry.first);
        });
        if (!known) {
            table.emplace_back(name, function);
        }
    };
    for (const IntegerFunction& function : functions) {
        add(function.name, oclgrind::BuiltinFunction(run, const_cast<IntegerFunction*>(&function)));
    }
    for (const char* hint : hints) {
        add(hint, oclgrind::BuiltinFunction(nothing, nullptr));
    }
}

} // namespace texelscope::traces
