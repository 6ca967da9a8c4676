// LLVM turns patterns of a kernel's text (x < 0 ? -x : x, a rotation of bits, a sum that saturates)
// into functions of its own, some of which Oclgrind 21.10 does not know: it refuses to create such
// a kernel. They are added to its table by what LLVM's reference says of them.

#include "traces/capture/plugin/integer_intrinsics.hpp"

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

struct Intrinsic {
    const char* name;
    std::uint64_t (*compute)(const Operands&);
    unsigned operands;
};

// Further operands (whether zero or the smallest number is undefined) change nothing here.
constexpr std::array intrinsics{
    Intrinsic{"llvm.abs.", magnitude, 1},
    Intrinsic{"llvm.ctpop.", ones_of, 1},
    Intrinsic{"llvm.ctlz.", leading_zeros, 1},
    Intrinsic{"llvm.cttz.", trailing_zeros, 1},
    Intrinsic{"llvm.bitreverse.", reversed, 1},
    Intrinsic{"llvm.fshl.", shifted_left, 3},
    Intrinsic{"llvm.fshr.", shifted_right, 3},
    Intrinsic{"llvm.uadd.sat.", unsigned_sum, 2},
    Intrinsic{"llvm.usub.sat.", unsigned_difference, 2},
    Intrinsic{"llvm.sadd.sat.", signed_sum, 2},
    Intrinsic{"llvm.ssub.sat.", signed_difference, 2},
};

void run(oclgrind::WorkItem* item, const llvm::CallInst* call, const std::string& /*name*/,
         const std::string& /*overload*/, TypedValue& result, void* op)
{
    const auto& intrinsic = *static_cast<const Intrinsic*>(op);
    std::array<TypedValue, 3> given{};
    for (unsigned i = 0; i < intrinsic.operands; ++i) {
        given[i] = item->getOperand(call_argument(call, i));
    }
    for (unsigned i = 0; i < result.num; ++i) {
        Operands operands{.bits = 8 * result.size};
        std::array<std::uint64_t*, 3> places{&operands.a, &operands.b, &operands.c};
        for (unsigned k = 0; k < intrinsic.operands; ++k) {
            *places[k] = given[k].getUInt(i);
        }
        result.setUInt(intrinsic.compute(operands), i);
    }
}

} // namespace

void add_integer_intrinsics()
{
    auto& table = oclgrind::workItemPrefixBuiltins;
    for (const Intrinsic& intrinsic : intrinsics) {
        const bool known = std::any_of(table.begin(), table.end(), [&](const auto& entry) {
            return std::string(intrinsic.name).starts_with(entry.first);
        });
        if (!known) {
            table.emplace_back(intrinsic.name,
                               oclgrind::BuiltinFunction(run, const_cast<Intrinsic*>(&intrinsic)));
        }
    }
}

} // namespace texelscope::traces
