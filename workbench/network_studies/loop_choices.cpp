#include "workbench/network_studies/loop_choices.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>

namespace texelscope::workbench::network_studies {
namespace {

using codegen::Contraction;

constexpr std::int64_t most_searched = 32;
constexpr std::int64_t most_legal = 128;

std::vector<std::string> names_of(const Contraction& contraction, const std::vector<int>& slots)
{
    std::vector<std::string> names;
    for (const int slot : slots) {
        names.push_back(contraction.dim(slot).name);
    }
    return names;
}

/// The names of the loops; empty for the operator's own order.
std::vector<std::string> order_of(const Contraction& contraction, const std::vector<int>& slots)
{
    return slots == contraction.reductions ? std::vector<std::string>{}
                                           : names_of(contraction, slots);
}

/// The last `count` loops; fewer if they have more iterations together.
std::vector<int> innermost(const Contraction& contraction, const std::vector<int>& slots,
                           std::size_t count, std::int64_t iterations)
{
    std::vector<int> last;
    for (std::size_t i = slots.size(); i-- > 0 && last.size() < count;) {
        iterations /= contraction.dim(slots[i]).extent();
        if (iterations == 0) {
            break;
        }
        last.insert(last.begin(), slots[i]);
    }
    return last;
}

} // namespace

void LoopChoice::put_into(codegen::Schedule& schedule) const
{
    schedule.order = order;
    schedule.unroll = unroll;
}

std::vector<LoopChoice> loop_choices(const Contraction& contraction, bool orders, bool written_out)
{
    // A loop of one iteration may stand anywhere, so such loops are put in front and left alone.
    std::vector<int> slots = contraction.reductions;
    const auto turns = [&](int slot) { return contraction.dim(slot).extent() > 1; };
    const auto first =
        std::stable_partition(slots.begin(), slots.end(), [&](int slot) { return !turns(slot); });
    std::vector<LoopChoice> choices;
    // Loops that are left in their order, and the set of those that are written out: two choices
    // that agree in both make the same kernel.
    std::set<std::pair<std::vector<int>, std::set<int>>> seen;
    std::vector<int> places(static_cast<std::size_t>(slots.end() - first));
    for (std::size_t i = 0; i < places.size(); ++i) {
        places[i] = static_cast<int>(i);
    }
    const std::vector<int> turning(first, slots.end());
    bool own = true;
    do {
        for (std::size_t i = 0; i < places.size(); ++i) {
            *(first + static_cast<std::ptrdiff_t>(i)) =
                turning[static_cast<std::size_t>(places[i])];
        }
        for (std::size_t count = 0; count <= (written_out ? turning.size() : 0); ++count) {
            const std::vector<int> unrolled =
                innermost(contraction, {first, slots.end()}, count, most_searched);
            std::vector<int> left(first,
                                  slots.end() - static_cast<std::ptrdiff_t>(unrolled.size()));
            if (unrolled.size() == count &&
                seen.emplace(left, std::set<int>(unrolled.begin(), unrolled.end())).second) {
                choices.push_back({own ? std::vector<std::string>{} : names_of(contraction, slots),
                                   names_of(contraction, unrolled)});
            }
        }
        own = false;
    } while (orders && std::ranges::next_permutation(places).found);
    return choices;
}

LoopChoice loops_with(const Contraction& contraction, bool channels_outermost, int taps_written_out)
{
    std::vector<int> slots = contraction.reductions;
    const auto of_channels = [&](int slot) { return contraction.dim(slot).name == "ci"; };
    if (channels_outermost) {
        std::stable_partition(slots.begin(), slots.end(), of_channels);
    }
    std::vector<int> taps;
    std::ranges::copy_if(slots, std::back_inserter(taps), [&](int slot) {
        return !of_channels(slot) && contraction.dim(slot).name != "k";
    });
    const std::vector<int> unrolled =
        innermost(contraction, taps, static_cast<std::size_t>(taps_written_out), most_legal);
    return {order_of(contraction, slots), names_of(contraction, unrolled)};
}

} // namespace texelscope::workbench::network_studies
