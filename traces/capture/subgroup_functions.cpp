#include "traces/capture/subgroup_functions.hpp"

#include "traces/capture/subgroup_folds.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace texelscope::traces {
namespace {

using Action = SubgroupAction;
using Fold = SubgroupFold;

struct NamedAction {
    const char* name;
    Action action;
    bool everyone;
};

constexpr NamedAction plain_functions[] = {
    {"get_sub_group_size", Action::size, false},
    {"get_max_sub_group_size", Action::max_size, false},
    {"get_num_sub_groups", Action::count, false},
    {"get_enqueued_num_sub_groups", Action::enqueued_count, false},
    {"get_sub_group_id", Action::number, false},
    {"get_sub_group_local_id", Action::lane, false},
    {"get_sub_group_eq_mask", Action::mask_eq, false},
    {"get_sub_group_ge_mask", Action::mask_ge, false},
    {"get_sub_group_gt_mask", Action::mask_gt, false},
    {"get_sub_group_le_mask", Action::mask_le, false},
    {"get_sub_group_lt_mask", Action::mask_lt, false},
    {"sub_group_inverse_ballot", Action::inverse_ballot, false},
    {"sub_group_ballot_bit_extract", Action::bit_extract, false},
    {"sub_group_ballot_bit_count", Action::bit_count, false},
    {"sub_group_ballot_inclusive_scan", Action::bits_inclusive, false},
    {"sub_group_ballot_exclusive_scan", Action::bits_exclusive, false},
    {"sub_group_ballot_find_lsb", Action::lowest_bit, false},
    {"sub_group_ballot_find_msb", Action::highest_bit, false},
    {"sub_group_barrier", Action::barrier, true},
    {"sub_group_all", Action::all, true},
    {"sub_group_any", Action::any, true},
    {"sub_group_broadcast", Action::broadcast, true},
    {"sub_group_non_uniform_all", Action::all, false},
    {"sub_group_non_uniform_any", Action::any, false},
    {"sub_group_non_uniform_all_equal", Action::all_equal, false},
    {"sub_group_elect", Action::elect, false},
    {"sub_group_ballot", Action::ballot, false},
    {"sub_group_non_uniform_broadcast", Action::broadcast, false},
    {"sub_group_broadcast_first", Action::broadcast_first, false},
    {"sub_group_shuffle", Action::shuffle, false},
    {"sub_group_shuffle_xor", Action::shuffle_xor, false},
    {"sub_group_shuffle_up", Action::shuffle_up, false},
    {"sub_group_shuffle_down", Action::shuffle_down, false},
    {"intel_sub_group_shuffle", Action::shuffle, false},
    {"intel_sub_group_shuffle_xor", Action::shuffle_xor, false},
    {"intel_sub_group_shuffle_up", Action::two_part_up, false},
    {"intel_sub_group_shuffle_down", Action::two_part_down, false},
};

constexpr std::pair<const char*, Fold> folds[] = {
    {"add", Fold::add},
    {"min", Fold::min},
    {"max", Fold::max},
    {"mul", Fold::mul},
    {"and", Fold::bit_and},
    {"or", Fold::bit_or},
    {"xor", Fold::bit_xor},
    {"logical_and", Fold::logical_and},
    {"logical_or", Fold::logical_or},
    {"logical_xor", Fold::logical_xor},
};

constexpr std::pair<const char*, Action> foldings[] = {
    {"reduce_", Action::reduce},
    {"scan_inclusive_", Action::scan_inclusive},
    {"scan_exclusive_", Action::scan_exclusive},
};

template <class T>
T loaded(const unsigned char* from)
{
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

template <class T>
void store(unsigned char* to, T value)
{
    std::memcpy(to, &value, sizeof value);
}

/// The bits of a ballot: OpenCL's uint4, the lowest bit for the first work-item.
using Bits = std::array<std::uint32_t, 4>;
constexpr std::size_t most_bits = 128;

bool bit(const Bits& bits, std::size_t at)
{
    return at < most_bits && (bits[at / 32] >> (at % 32) & 1U) != 0;
}

/// The bits of [begin, end) of which `taken(i)` is true.
template <class Taken>
Bits bits_where(std::size_t begin, std::size_t end, Taken taken)
{
    Bits bits{};
    for (std::size_t i = begin; i < end && i < most_bits; ++i) {
        if (taken(i)) {
            bits[i / 32] |= std::uint32_t{1} << (i % 32);
        }
    }
    return bits;
}

Bits bits_between(std::size_t begin, std::size_t end)
{
    return bits_where(begin, end, [](std::size_t) { return true; });
}

/// How many bits of [0, end) are set.
std::uint32_t count_below(const Bits& bits, std::size_t end)
{
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < end; ++i) {
        count += bit(bits, i) ? 1U : 0U;
    }
    return count;
}

[[noreturn]] void left_open(const SubgroupFunction& function, const std::string& why)
{
    throw std::runtime_error(function.name + ": " + why);
}

/// Where the work-item is, and the bits of its own operand.
void answer(const SubgroupFunction& function, const SubgroupPlace& place, std::size_t lanes,
            std::size_t lane, const SubgroupLane& mine)
{
    const auto number = [&](std::size_t value) {
        store(mine.result, static_cast<std::uint32_t>(value));
    };
    const auto bits = [&] { return loaded<Bits>(mine.operands[0]); };
    const std::size_t max = place.max_size;
    switch (function.action) {
    case Action::size:
        return number(lanes);
    case Action::max_size:
        return number(max);
    case Action::count:
        return number(place.count);
    case Action::enqueued_count:
        return number(place.enqueued_count);
    case Action::number:
        return number(place.number);
    case Action::lane:
        return number(lane);
    case Action::mask_eq:
        return store(mine.result, bits_between(lane, lane + 1));
    case Action::mask_ge:
        return store(mine.result, bits_between(lane, max));
    case Action::mask_gt:
        return store(mine.result, bits_between(lane + 1, max));
    case Action::mask_le:
        return store(mine.result, bits_between(0, lane + 1));
    case Action::mask_lt:
        return store(mine.result, bits_between(0, lane));
    case Action::inverse_ballot:
        return number(bit(bits(), lane) ? 1 : 0);
    case Action::bit_extract:
        return number(bit(bits(), loaded<std::uint32_t>(mine.operands[1])) ? 1 : 0);
    case Action::bit_count:
        return number(count_below(bits(), max));
    case Action::bits_inclusive:
        return number(count_below(bits(), lane + 1));
    case Action::bits_exclusive:
        return number(count_below(bits(), lane));
    default:
        break;
    }
    // find_lsb and find_msb; without a bit OpenCL leaves the result open, as GPUs do: all ones.
    std::uint32_t found = ~std::uint32_t{0};
    for (std::size_t i = 0; i < max; ++i) {
        const bool first = found == ~std::uint32_t{0};
        if (bit(bits(), i) && (first || function.action == Action::highest_bit)) {
            found = static_cast<std::uint32_t>(i);
        }
    }
    number(found);
}

/// all, any, elect, ballot.
void vote(const SubgroupFunction& function, std::span<const SubgroupLane> lanes)
{
    bool all = true;
    bool any = false;
    std::size_t first = lanes.size();
    const auto says_yes = [&](std::size_t i) {
        return lanes[i].calls && loaded<std::int32_t>(lanes[i].operands[0]) != 0;
    };
    for (std::size_t i = lanes.size(); i-- > 0;) {
        if (lanes[i].calls) {
            first = i;
            if (function.action != Action::elect) {
                all = all && says_yes(i);
                any = any || says_yes(i);
            }
        }
    }
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        if (!lanes[i].calls) {
            continue;
        }
        if (function.action == Action::ballot) {
            store(lanes[i].result, bits_where(0, lanes.size(), says_yes));
        } else {
            const bool yes = function.action == Action::all   ? all
                             : function.action == Action::any ? any
                                                              : i == first;
            store(lanes[i].result, std::int32_t{yes ? 1 : 0});
        }
    }
}

/// Of which lane and operand the work-item gets the value; nothing where OpenCL leaves it open.
struct Source {
    std::size_t lane = 0;
    std::size_t operand = 0;
};
std::optional<Source> source_of(const SubgroupFunction& function, std::size_t max,
                                std::size_t first, std::size_t lane, const SubgroupLane& mine)
{
    if (function.action == Action::broadcast_first) {
        return Source{first};
    }
    const bool two_parts =
        function.action == Action::two_part_up || function.action == Action::two_part_down;
    const std::size_t by = loaded<std::uint32_t>(mine.operands[two_parts ? 2 : 1]);
    switch (function.action) {
    case Action::shuffle_xor:
        return Source{lane ^ by};
    case Action::shuffle_up:
        return by <= lane ? std::optional(Source{lane - by}) : std::nullopt;
    case Action::shuffle_down:
        return Source{lane + by};
    case Action::two_part_up: // the current values are behind the previous ones
        if (by > lane + max) {
            return std::nullopt;
        }
        return by <= lane ? Source{lane - by, 1} : Source{lane + max - by, 0};
    case Action::two_part_down:
        return lane + by < max ? Source{lane + by, 0} : Source{lane + by - max, 1};
    default:
        return Source{by};
    }
}

/// Broadcasts and shuffles. A value that OpenCL leaves open is the work-item's own, as on most
/// GPUs: kernels shuffle beyond the end and then take no notice of what came. A broadcast has no
/// such use.
void move_values(const SubgroupFunction& function, std::size_t bytes, std::size_t max,
                 std::span<const SubgroupLane> lanes)
{
    std::size_t first = 0;
    while (!lanes[first].calls) {
        ++first;
    }
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        if (!lanes[i].calls) {
            continue;
        }
        auto source = source_of(function, max, first, i, lanes[i]);
        if (source && (source->lane >= lanes.size() || !lanes[source->lane].calls)) {
            if (function.action == Action::broadcast) {
                left_open(function, "work-item " + std::to_string(source->lane) +
                                        " of the sub-group, whose value is asked for, does not "
                                        "call it");
            }
            source = std::nullopt;
        }
        const std::size_t own = function.action == Action::two_part_up ? 1 : 0;
        const unsigned char* from =
            source ? lanes[source->lane].operands[source->operand] : lanes[i].operands[own];
        std::memcpy(lanes[i].result, from, bytes);
    }
}

/// The work-items of a part of the sub-group that are folded together.
std::size_t part_of(const SubgroupFunction& function, std::size_t max,
                    std::span<const SubgroupLane> lanes)
{
    if (function.action != Action::clustered_reduce) {
        return max;
    }
    std::size_t part = 0;
    for (const SubgroupLane& lane : lanes) {
        if (lane.calls) {
            const std::size_t said = loaded<std::uint32_t>(lane.operands[1]);
            if (!std::has_single_bit(said) || said > max || (part != 0 && said != part)) {
                left_open(function, "a cluster of " + std::to_string(said) +
                                        " work-items is none in a sub-group of " +
                                        std::to_string(max));
            }
            part = said;
        }
    }
    return part;
}

} // namespace

std::vector<SubgroupFunction> subgroup_functions()
{
    std::vector<SubgroupFunction> all;
    for (const NamedAction& each : plain_functions) {
        all.push_back({each.name, each.action, Fold::add, each.everyone});
    }
    for (const auto& [word, fold] : folds) {
        for (const auto& [kind, action] : foldings) {
            if (fold == Fold::add || fold == Fold::min || fold == Fold::max) {
                all.push_back({std::string("sub_group_") + kind + word, action, fold, true});
            }
            all.push_back(
                {std::string("sub_group_non_uniform_") + kind + word, action, fold, false});
        }
        all.push_back({std::string("sub_group_clustered_reduce_") + word, Action::clustered_reduce,
                       fold, false});
    }
    return all;
}

std::optional<SubgroupType> subgroup_type(std::string_view overload)
{
    if (overload.starts_with("Dv")) {
        overload.remove_prefix(std::min(overload.find('_'), overload.size() - 1) + 1);
    }
    if (overload.starts_with("Dh")) {
        return SubgroupType::f16;
    }
    constexpr std::pair<char, SubgroupType> letters[] = {
        {'c', SubgroupType::i8},  {'h', SubgroupType::u8},  {'s', SubgroupType::i16},
        {'t', SubgroupType::u16}, {'i', SubgroupType::i32}, {'j', SubgroupType::u32},
        {'l', SubgroupType::i64}, {'m', SubgroupType::u64}, {'f', SubgroupType::f32},
        {'d', SubgroupType::f64},
    };
    for (const auto& [letter, type] : letters) {
        if (overload.starts_with(letter)) {
            return type;
        }
    }
    return std::nullopt;
}

void call_subgroup(const SubgroupFunction& function, std::optional<SubgroupType> type,
                   std::size_t bytes, const SubgroupPlace& place,
                   std::span<const SubgroupLane> lanes)
{
    if (std::none_of(lanes.begin(), lanes.end(), [](const auto& lane) { return lane.calls; })) {
        return;
    }
    if (!function.waits_for_others()) {
        for (std::size_t i = 0; i < lanes.size(); ++i) {
            if (lanes[i].calls) {
                answer(function, place, lanes.size(), i, lanes[i]);
            }
        }
        return;
    }
    switch (function.action) {
    case Action::barrier:
        return;
    case Action::all:
    case Action::any:
    case Action::elect:
    case Action::ballot:
        return vote(function, lanes);
    case Action::all_equal:
        return compare_values(function, type, lanes);
    case Action::reduce:
    case Action::scan_inclusive:
    case Action::scan_exclusive:
    case Action::clustered_reduce:
        return fold_values(function, type, part_of(function, place.max_size, lanes), lanes);
    default:
        return move_values(function, bytes, place.max_size, lanes);
    }
}

} // namespace texelscope::traces
