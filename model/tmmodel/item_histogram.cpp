#include "model/tmmodel/item_histogram.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

namespace texelscope::model {
namespace {

/// Any number serves here: what a lane reads does not depend on who its neighbours are.
constexpr int lanes_at_once = 64;

std::optional<Texel> touched(const LaneRead& read, std::span<const Image> images)
{
    const Image& image = images[read.image];
    if (image.extent.contains(read.texel)) {
        return read.texel;
    }
    if (image.address_mode == AddressMode::border || image.extent.area() == 0) {
        return std::nullopt;
    }
    return Texel{std::clamp(read.texel.x, 0, image.extent.width - 1),
                 std::clamp(read.texel.y, 0, image.extent.height - 1)};
}

/// sequences[lane][image]
using LaneSequences = std::vector<std::vector<std::vector<Texel>>>;

/// Of all lanes, or of one alone (the others stay empty).
LaneSequences read_warp(const TraceSource& source, std::int64_t group, std::int32_t warp,
                        std::optional<std::int32_t> only = {}, const StopToken& stop = {})
{
    constexpr std::int64_t accesses_between_questions = 4096;
    std::int64_t asked = 0;
    LaneSequences sequences(lanes_at_once, std::vector<std::vector<Texel>>(source.images().size()));
    const std::unique_ptr<WarpStream> stream = source.open(group, warp, lanes_at_once);
    WarpAccess access;
    while (stream->next(access)) {
        if (stop && ++asked % accesses_between_questions == 0 && stop()) {
            throw Interrupted{};
        }
        for (const LaneRead& read : access.lanes) {
            if (only && read.lane != *only) {
                continue;
            }
            if (const std::optional<Texel> texel = touched(read, source.images())) {
                sequences[read.lane][read.image].push_back(*texel);
            }
        }
    }
    return sequences;
}

void add(CrossBlockHistogram& sum, const CrossBlockHistogram& other)
{
    for (std::size_t i = 0; i < sum.bins.size(); ++i) {
        sum.bins[i].x += other.bins[i].x;
        sum.bins[i].y += other.bins[i].y;
    }
    sum.accesses += other.accesses;
}

} // namespace

std::vector<std::vector<Texel>> item_texels(const TraceSource& source, std::int64_t group,
                                            std::int32_t item, const StopToken& stop)
{
    if (group < 0 || group >= source.group_count() || item < 0) {
        throw bad_input(
            "there is no work-item " + std::to_string(item) + " in group " + std::to_string(group),
            source.name(), "groups are 0 to " + std::to_string(source.group_count() - 1));
    }
    const std::int32_t warp = item / lanes_at_once;
    const std::vector<std::int32_t> warps = source.warps(group, lanes_at_once);
    if (std::find(warps.begin(), warps.end(), warp) == warps.end()) {
        return std::vector<std::vector<Texel>>(source.images().size());
    }
    const std::int32_t lane = item % lanes_at_once;
    return std::move(read_warp(source, group, warp, lane, stop)[static_cast<std::size_t>(lane)]);
}

CrossBlockHistogram ItemHistograms::mean(int image) const
{
    CrossBlockHistogram mean = total[static_cast<std::size_t>(image)];
    const auto share = [&](std::int64_t sum) {
        return items == 0 ? 0 : std::llround(static_cast<double>(sum) / static_cast<double>(items));
    };
    for (CrossBlockHistogram::Bin& bin : mean.bins) {
        bin.x = share(bin.x);
        bin.y = share(bin.y);
    }
    mean.accesses = share(mean.accesses);
    return mean;
}

ItemHistograms item_histograms(const TraceSource& source, std::span<const Extent2D> shapes,
                               const StopToken& stop)
{
    ItemHistograms histograms;
    histograms.total.assign(source.images().size(), cross_block_histogram({}, shapes));
    for (std::int64_t group = source.next_group(0); group < source.group_count();
         group = source.next_group(group + 1)) {
        if (stop && stop()) {
            throw Interrupted{};
        }
        for (const std::int32_t warp : source.warps(group, lanes_at_once)) {
            for (const std::vector<std::vector<Texel>>& lane : read_warp(source, group, warp)) {
                bool reads = false;
                for (std::size_t image = 0; image < lane.size(); ++image) {
                    if (!lane[image].empty()) {
                        add(histograms.total[image], cross_block_histogram(lane[image], shapes));
                        reads = true;
                    }
                }
                histograms.items += reads ? 1 : 0;
            }
        }
    }
    return histograms;
}

} // namespace texelscope::model
