#include "base/error.hpp"
#include "networks/lowering/lower_families.hpp"
#include "networks/operators/resize.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

namespace texelscope::networks {
// A kernel resizes along one dimension; decomposed() makes a chain of them where several change.
namespace {

using codegen::IndexExpr;

/// first + floor((step o + start) / over) for every place o of the output.
struct Line {
    std::int64_t step = 1, start = 0, over = 1;
};

/// The line that begins every place, if there is one. Places that are equally far apart in exact
/// arithmetic always have one whose denominator is at most as large as there are places (a digital
/// straight line).
std::optional<Line> line_through(const std::vector<ResizedPlace>& places, double distance)
{
    const auto count = std::ssize(places);
    constexpr std::int64_t most = 4096; // a search that takes no time to speak of
    for (std::int64_t over = 1; over <= std::min<std::int64_t>(count + 1, most); ++over) {
        const double slope = distance * static_cast<double>(over);
        const auto below = static_cast<std::int64_t>(std::floor(slope));
        for (std::int64_t step = below; step <= below + 1; ++step) {
            // over first <= step o + start < over (first + 1)
            std::int64_t least = std::numeric_limits<std::int64_t>::min();
            std::int64_t largest = std::numeric_limits<std::int64_t>::max();
            for (std::int64_t o = 0; o < count && least <= largest; ++o) {
                const std::int64_t rest =
                    over * places[static_cast<std::size_t>(o)].first - step * o;
                least = std::max(least, rest);
                largest = std::min(largest, rest + over - 1);
            }
            if (least <= largest) {
                return Line{step, least, over};
            }
        }
    }
    return std::nullopt;
}

/// How many taps from its first place on each output reads; 0: one reads in front of it.
std::int64_t reach(const std::vector<ResizedPlace>& places)
{
    std::int64_t most = 1;
    for (const ResizedPlace& each : places) {
        for (const ResizeTap& tap : each.taps) {
            if (tap.place < each.first) {
                return 0;
            }
            most = std::max(most, tap.place - each.first + 1);
        }
    }
    return most;
}

/// Whether each output is the one number at its first place.
bool is_move(const std::vector<ResizedPlace>& places)
{
    return std::ranges::all_of(places, [](const ResizedPlace& each) {
        return each.taps.size() == 1 && each.taps[0].place == each.first &&
               each.taps[0].weight == 1;
    });
}

/// Where the last taps lie beyond the end, the places before them are read in their stead: their
/// share is there, and that of what lies outside, which reads as zero, is none.
std::vector<float> weights_of(const std::vector<ResizedPlace>& places, std::int64_t taps,
                              bool from_start)
{
    std::vector<float> weights(places.size() * static_cast<std::size_t>(taps), 0.0F);
    for (std::size_t o = 0; o < places.size(); ++o) {
        for (const ResizeTap& tap : places[o].taps) {
            const std::int64_t number = from_start ? tap.place : tap.place - places[o].first;
            weights[o * static_cast<std::size_t>(taps) + static_cast<std::size_t>(number)] =
                static_cast<float>(tap.weight);
        }
    }
    return weights;
}

} // namespace

std::vector<NodeKernel> lower_resized(const NodeToLower& n)
{
    const std::vector<ResizedAxis> axes = resized_axes(n.node, n.input(0));
    const auto changed = std::ranges::find_if(axes, &ResizedAxis::changes);
    if (changed != axes.end() &&
        std::any_of(changed + 1, axes.end(), std::mem_fn(&ResizedAxis::changes))) {
        throw bad_input("no kernel resizes along several dimensions at once");
    }
    KernelBuilder builder = n.builder();
    const Index output = builder.outputs();
    Index image = output;
    if (changed == axes.end()) {
        builder.further(n.node.inputs[0], std::move(image));
        return {builder.finish(output, 0)};
    }
    const auto d = static_cast<std::size_t>(changed - axes.begin());
    std::vector<ResizedPlace> places = resized_places(n.node, *changed);
    // One place earlier where a tap lies in front of the first, as beyond the end.
    for (int i = 0; i < 4 && reach(places) == 0; ++i) {
        for (ResizedPlace& each : places) {
            --each.first;
        }
    }
    const std::optional<Line> line = line_through(places, resized_distance(n.node, *changed));
    const auto first = [&] { return floor_div(output[d] * line->step + line->start, line->over); };
    if (line && is_move(places)) {
        image[d] = first();
        builder.further(n.node.inputs[0], std::move(image));
        return {builder.finish(output, 0)};
    }
    // Without a line, which scales that are no fractions may not have, every place of the input is
    // a tap.
    const bool few = line && reach(places) > 0 && reach(places) < changed->in;
    const std::int64_t taps = few ? reach(places) : changed->in;
    const IndexExpr tap = builder.reduction("tap", taps);
    image[d] = few ? first() + tap : tap;
    builder.factor(n.node.inputs[0], std::move(image),
                   roles_of(n.input(0), n.packed_of(n.node.inputs[0])));
    builder.factor({changed->out, taps}, weights_of(places, taps, !few), {output[d], tap}, {0, 1});
    return {builder.finish(output, static_cast<double>(taps * element_count(n.output())))};
}

} // namespace texelscope::networks
