#include "traces/capture/subgroup_folds.hpp"

#include "base/half.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace texelscope::traces {
namespace {

using Fold = SubgroupFold;

/// A half number, as it lies in memory.
struct Half {
    std::uint16_t bits = 0;

    [[nodiscard]] float value() const { return base::from_half_bits(bits); }
    bool operator==(const Half& other) const { return value() == other.value(); }
};

template <class T>
T value_of(const SubgroupLane& lane)
{
    T value;
    std::memcpy(&value, lane.operands[0], sizeof value);
    return value;
}

template <class T>
void give(const SubgroupLane& lane, T value)
{
    std::memcpy(lane.result, &value, sizeof value);
}

template <std::floating_point T>
T combined(const SubgroupFunction& function, T a, T b)
{
    switch (function.fold) {
    case Fold::add:
        return a + b;
    case Fold::mul:
        return a * b;
    case Fold::min:
        return std::fmin(a, b);
    case Fold::max:
        return std::fmax(a, b);
    default:
        throw std::runtime_error(function.name + ": there is none for floating-point numbers");
    }
}

Half combined(const SubgroupFunction& function, Half a, Half b)
{
    return {base::half_bits(combined(function, a.value(), b.value()))};
}

template <std::integral T>
T combined(const SubgroupFunction& function, T a, T b)
{
    // Unsigned and wide: an overflow keeps the low bits, as in OpenCL.
    const auto x = static_cast<std::uint64_t>(a);
    const auto y = static_cast<std::uint64_t>(b);
    const auto truth = [](bool value) { return static_cast<T>(value ? 1 : 0); };
    switch (function.fold) {
    case Fold::add:
        return static_cast<T>(x + y);
    case Fold::mul:
        return static_cast<T>(x * y);
    case Fold::min:
        return std::min(a, b);
    case Fold::max:
        return std::max(a, b);
    case Fold::bit_and:
        return static_cast<T>(x & y);
    case Fold::bit_or:
        return static_cast<T>(x | y);
    case Fold::bit_xor:
        return static_cast<T>(x ^ y);
    case Fold::logical_and:
        return truth(x != 0 && y != 0);
    case Fold::logical_or:
        return truth(x != 0 || y != 0);
    case Fold::logical_xor:
        break;
    }
    return truth((x != 0) != (y != 0));
}

/// What the fold of no value is.
template <class T>
T neutral(Fold fold)
{
    using Limits = std::numeric_limits<T>;
    switch (fold) {
    case Fold::mul:
    case Fold::logical_and:
        return T{1};
    case Fold::bit_and:
        return static_cast<T>(-1);
    case Fold::min:
        return Limits::has_infinity ? Limits::infinity() : Limits::max();
    case Fold::max:
        return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    default:
        return T{};
    }
}

template <>
Half neutral<Half>(Fold fold)
{
    return {base::half_bits(neutral<float>(fold))};
}

template <class T>
void fold(const SubgroupFunction& function, std::size_t part, std::span<const SubgroupLane> lanes)
{
    const bool inclusive = function.action == SubgroupAction::scan_inclusive;
    const bool scan = inclusive || function.action == SubgroupAction::scan_exclusive;
    for (std::size_t begin = 0; begin < lanes.size(); begin += part) {
        const auto those = lanes.subspan(begin, std::min(part, lanes.size() - begin));
        T sum = neutral<T>(function.fold);
        for (const SubgroupLane& lane : those) {
            if (lane.calls) {
                const T before = sum;
                sum = combined(function, sum, value_of<T>(lane));
                if (scan) {
                    give(lane, inclusive ? sum : before);
                }
            }
        }
        for (const SubgroupLane& lane : those) {
            if (lane.calls && !scan) {
                give(lane, sum);
            }
        }
    }
}

template <class T>
void compare(std::span<const SubgroupLane> lanes)
{
    const SubgroupLane* first = nullptr;
    bool equal = true;
    for (const SubgroupLane& lane : lanes) {
        if (lane.calls) {
            first = first == nullptr ? &lane : first;
            equal = equal && value_of<T>(lane) == value_of<T>(*first);
        }
    }
    for (const SubgroupLane& lane : lanes) {
        if (lane.calls) {
            give(lane, std::int32_t{equal ? 1 : 0});
        }
    }
}

/// Calls `work` with a value of the type.
template <class Work>
void with_type(const SubgroupFunction& function, std::optional<SubgroupType> type, Work work)
{
    if (!type) {
        throw std::runtime_error(function.name + ": the type of its values is not supported");
    }
    switch (*type) {
    case SubgroupType::i8:
        return work(std::int8_t{});
    case SubgroupType::u8:
        return work(std::uint8_t{});
    case SubgroupType::i16:
        return work(std::int16_t{});
    case SubgroupType::u16:
        return work(std::uint16_t{});
    case SubgroupType::i32:
        return work(std::int32_t{});
    case SubgroupType::u32:
        return work(std::uint32_t{});
    case SubgroupType::i64:
        return work(std::int64_t{});
    case SubgroupType::u64:
        return work(std::uint64_t{});
    case SubgroupType::f16:
        return work(Half{});
    case SubgroupType::f32:
        return work(float{});
    case SubgroupType::f64:
        return work(double{});
    }
}

} // namespace

void fold_values(const SubgroupFunction& function, std::optional<SubgroupType> type,
                 std::size_t part, std::span<const SubgroupLane> lanes)
{
    with_type(function, type, [&](auto zero) { fold<decltype(zero)>(function, part, lanes); });
}

void compare_values(const SubgroupFunction& function, std::optional<SubgroupType> type,
                    std::span<const SubgroupLane> lanes)
{
    with_type(function, type, [&](auto zero) { compare<decltype(zero)>(lanes); });
}

} // namespace texelscope::traces
