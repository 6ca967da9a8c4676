// The granules of a shape of lanes, remembered. Where the storage layout has a period, an access at
// two places that differ by whole periods has the same granules, moved. So a pattern is coalesced
// once for each place within the period.

#include "sim/memory/line_patterns.hpp"

#include <algorithm>
#include <numeric>

namespace texelscope::sim {
namespace {

/// Most places in a period whose patterns are remembered.
constexpr std::int64_t most_places = 1 << 16;

/// Lengthens a period along one direction until it moves by a multiple of `alignment` bytes.
void align(std::int32_t& texels, std::int64_t& bytes, std::int32_t extent, std::int64_t alignment)
{
    // After so many periods the bytes moved are a multiple of the alignment.
    const std::int64_t times = alignment / std::gcd(bytes, alignment);
    // Where the period is at least as long as the image, nothing repeats within the image.
    if (texels >= extent || times * texels >= extent) {
        texels = std::max(texels, extent);
        bytes = 0;
        return;
    }
    texels = static_cast<std::int32_t>(times * texels);
    bytes *= times;
}

} // namespace

LinePatterns::LinePatterns(std::span<const StoredImage> images, const SimulationOptions& options,
                           const LaneShapes& shapes)
    : images_(images), shapes_(shapes), granule_(options.machine.l1().geometry.granule().value),
      // Runs of lines in one set are only known for modulo indices without sectors.
      sets_(options.machine.l1().geometry.sector.value == 0 &&
                    options.machine.l1().geometry.index == SetIndex::modulo
                ? options.machine.l1().geometry.sets()
                : 0),
      memo_(images.size()), coalescer_(images, granule_), turns_(images, options)
{
    std::int64_t alignment = options.machine.common_line();
    for (const bool buffer : {false, true}) {
        const ReadService service = options.machine.service_of(buffer);
        if (options.mode.timed && service.lanes && service.block.value > 0) {
            alignment = std::lcm(alignment, service.block.value);
        }
    }
    for (const StoredImage& image : images) {
        Tables tables;
        tables.period = image.layout.period();
        tables.extent = image.extent;
        align(tables.period.texels.width, tables.period.x_bytes, image.extent.width, alignment);
        align(tables.period.texels.height, tables.period.y_bytes, image.extent.height, alignment);
        // An image that does not begin at a whole line, or whose period is too large, is coalesced
        // anew each time.
        const Extent2D period = tables.period.texels;
        tables.repeats = image.base % alignment == 0 && period.area() <= most_places;
        if (tables.repeats) {
            for (std::int32_t x = 0; x < image.extent.width; ++x) {
                tables.columns.push_back(
                    {x % period.width, x / period.width * (tables.period.x_bytes / granule_) +
                                           image.base / granule_});
            }
            for (std::int32_t y = 0; y < image.extent.height; ++y) {
                tables.rows.push_back({y % period.height * period.width,
                                       y / period.height * (tables.period.y_bytes / granule_)});
            }
        }
        tables_.push_back(std::move(tables));
    }
}

void LinePatterns::remember(std::vector<const LinePattern*>& known, std::size_t phase, int image,
                            const LaneShape& lanes, Texel first, std::int64_t anchor)
{
    known.resize(std::max(known.size(), phase + 1), nullptr);
    patterns_.push_back(coalesce(image, lanes, first, anchor));
    LinePattern& pattern = patterns_.back();
    for (std::size_t i = 0; sets_ > 0 && i < pattern.granules.size(); ++i) {
        // Lines whose difference is a multiple of the sets share a set, wherever the pattern is
        // placed.
        if (i > 0 && (pattern.granules[i] - pattern.granules[i - 1]) % sets_ == 0) {
            ++pattern.runs.back();
        } else {
            pattern.runs.push_back(1);
        }
        pattern.longest_run = std::max(pattern.longest_run, pattern.runs.back());
    }
    known[phase] = &patterns_.back();
    if (phase > 0 && known[phase - 1] != nullptr && *known[phase - 1] == patterns_.back()) {
        // The texel before has the same pattern: share it, so that equal patterns of neighbours
        // have equal addresses.
        known[phase] = known[phase - 1];
        patterns_.pop_back();
    }
}

const LinePattern& LinePatterns::coalesce(int image, const LaneShape& lanes, Texel first,
                                          std::int64_t anchor)
{
    const Coalescer::Coalesced found =
        coalescer_.coalesce(static_cast<std::uint16_t>(image), lanes.lanes, first);
    scratch_.granules.resize(found.granules.size());
    std::transform(
        found.granules.begin(), found.granules.end(), scratch_.granules.begin(),
        [anchor](std::int32_t granule) { return static_cast<std::int32_t>(granule - anchor); });
    scratch_.first_lane.assign(found.first_lanes.begin(), found.first_lanes.end());
    scratch_.texel_reads = found.texel_reads;
    scratch_.turns = turns_.of(image, lanes.lanes, first);
    return scratch_;
}

} // namespace texelscope::sim
