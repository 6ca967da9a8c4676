#include "sim/memory/coalescer.hpp"

#include <algorithm>

namespace texelscope::sim {
namespace {

/// Upper bound of the number of granules that one texel lies across.
std::size_t most_granules(std::span<const StoredImage> images, std::int64_t granule)
{
    std::int64_t most = 0;
    for (const StoredImage& image : images) {
        most = std::max(most, image.bytes_per_texel / granule + 2);
    }
    return static_cast<std::size_t>(most);
}

} // namespace

// A shape is known by its lanes relative to the first one, so moved accesses have the same number.
int LaneShapes::number(std::span<const std::int32_t> x, std::span<const std::int32_t> y)
{
    std::vector<Texel> lanes(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        lanes[i] = {x[i] - x[0], y[i] - y[0]};
    }
    const auto [place, is_new] = numbers_.try_emplace(lanes, count());
    if (is_new) {
        LaneShape shape{std::move(lanes), {}, {}};
        for (const Texel lane : shape.lanes) {
            shape.min = {std::min(shape.min.x, lane.x), std::min(shape.min.y, lane.y)};
            shape.max = {std::max(shape.max.x, lane.x), std::max(shape.max.y, lane.y)};
        }
        shapes_.push_back(std::move(shape));
    }
    return place->second;
}

Coalescer::Coalescer(std::span<const StoredImage> images, std::int64_t granule)
    : images_(images), granule_(granule), sums_(images.size()),
      granules_per_texel_(most_granules(images, granule)), distinct_(granule_count(images, granule))
{}

// Tables of an image are made when it is first read.
const std::optional<GranuleSums>& Coalescer::sums_of(std::uint16_t image)
{
    ImageSums& known = sums_[image];
    if (!known.made) {
        known = {true, GranuleSums::of(images_[image], granule_)};
    }
    return known.sums;
}

// Grows the buffers to what so many lanes may need at most, and forgets the granules of the access
// before.
void Coalescer::start(std::size_t lanes)
{
    if (granules_.size() < lanes * granules_per_texel_) {
        granules_.resize(lanes * granules_per_texel_);
        granule_images_.resize(granules_.size());
        first_lanes_.resize(granules_.size());
    }
    distinct_.clear();
}

// The general way: each lane's texel is looked up, and its granules are kept if they are new.
template <class TexelOf>
Coalescer::Progress Coalescer::add(const StoredImage& image, std::size_t begin, std::size_t end,
                                   const TexelOf& texel_of, Progress progress)
{
    for (std::size_t lane = begin; lane < end; ++lane) {
        Texel texel = texel_of(lane);
        if (!image.extent.contains(texel)) {
            if (image.address_mode == AddressMode::border) {
                continue;
            }
            texel = image.extent.clamp(texel);
        }
        ++progress.texel_reads;
        const std::int64_t address = image.address(texel);
        const std::int64_t last = (address + image.bytes_per_texel - 1) / granule_;
        for (std::int64_t granule = address / granule_; granule <= last; ++granule) {
            if (distinct_.insert(granule)) {
                first_lanes_[progress.count] = static_cast<std::uint16_t>(lane);
                granules_[progress.count++] = static_cast<std::int32_t>(granule);
            }
        }
    }
    return progress;
}

Coalescer::Coalesced Coalescer::coalesce(std::span<const LaneRead> lanes, bool first_lanes)
{
    start(lanes.size());
    Progress progress;
    bool one_image = true;
    for (std::size_t begin = 0; begin < lanes.size();) {
        const std::uint16_t number = lanes[begin].image;
        const std::size_t before = progress.count;
        std::size_t end = begin;
        // Where the address is a sum of tables, granules of many lanes are found at once
        // (GranuleSums).
        if (!first_lanes && sums_of(number)) {
            std::int32_t* const granules = granules_.data() + progress.count;
            const GranuleSums::Found found = sums_of(number)->find(lanes.subspan(begin), granules);
            end += found.lanes;
            one_image = one_image && found.lanes == lanes.size();
            // Distinct granules of a single image need not be compared with those found before.
            progress.count += found.distinct && one_image
                                  ? found.count
                                  : distinct_.keep_new(granules, found.count);
            progress.texel_reads += static_cast<std::int64_t>(found.count);
        } else {
            while (end < lanes.size() && lanes[end].image == number) {
                ++end;
            }
            one_image = one_image && end - begin == lanes.size();
            progress = add(
                images_[number], begin, end,
                [lanes](std::size_t lane) { return lanes[lane].texel; }, progress);
        }
        if (!one_image) {
            std::fill(granule_images_.begin() + static_cast<std::ptrdiff_t>(before),
                      granule_images_.begin() + static_cast<std::ptrdiff_t>(progress.count),
                      number);
        }
        begin = end;
    }
    return {{granules_.data(), progress.count},
            one_image ? std::span<const std::uint16_t>{}
                      : std::span(granule_images_.data(), progress.count),
            lanes.empty() ? std::uint16_t{0} : lanes.front().image,
            progress.texel_reads,
            first_lanes ? std::span(first_lanes_.data(), progress.count)
                        : std::span<const std::uint16_t>{}};
}

Coalescer::Coalesced Coalescer::coalesce(std::uint16_t image, std::span<const Texel> lanes,
                                         Texel first)
{
    start(lanes.size());
    const auto texel_of = [lanes, first](std::size_t lane) {
        return Texel{first.x + lanes[lane].x, first.y + lanes[lane].y};
    };
    const Progress progress = add(images_[image], 0, lanes.size(), texel_of, {});
    return {{granules_.data(), progress.count},
            {},
            image,
            progress.texel_reads,
            {first_lanes_.data(), progress.count}};
}

} // namespace texelscope::sim
