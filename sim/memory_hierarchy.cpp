#include "sim/memory_hierarchy.hpp"

#include "traces/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace texelscope {
namespace {

constexpr std::int64_t page = 4096; ///< images start at multiples of it, in declaration order

std::int64_t round_up(std::int64_t value, std::int64_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

} // namespace

MemoryHierarchy::MemoryHierarchy(std::span<const Image> images, const SimulationOptions& options)
    : texel_reads_(static_cast<std::size_t>(options.cores), 0), granule_bytes_(options.l1.granule().value),
      line_bytes_(options.l1.line.value)
{
    std::int64_t base = 0;
    for (const Image& image : images) {
        TexelLayout layout(options.layout, image.extent, image.bytes_per_texel);
        const std::int64_t size = layout.size().value;
        images_.push_back({std::move(layout), base, image.extent, image.bytes_per_texel.value, image.address_mode});
        base = round_up(base + size, page);
        constexpr std::int64_t most = std::int64_t{1} << 36;
        if (base > most) {
            throw bad_input(fmt::format("the images take {} bytes in this layout, more than {}", base, most),
                            "image '" + image.name + "'", "use smaller images");
        }
    }
    // Every cache has tables over the lines of all images: 4 bytes a line, twice that where sets are wide.
    const double lines =
        static_cast<double>(base) / static_cast<double>(options.l1.line.value) * options.cores +
        (options.has_l2() ? static_cast<double>(base) / static_cast<double>(options.l2.line.value) : 0);
    constexpr double most_lines = 1 << 30;
    if (lines > most_lines) {
        throw bad_input(
            fmt::format("the images take {} bytes in this layout, too many lines for the caches of {} cores", base,
                        options.cores),
            "layout '" + to_string(options.layout) + "'", "use smaller images or blocks, fewer cores, or longer lines");
    }
    for (int core = 0; core < options.cores; ++core) {
        CacheGeometry geometry = options.l1;
        geometry.seed += static_cast<std::uint64_t>(core); // so that random victims differ between the cores
        l1_.emplace_back(geometry, Bytes{base});
    }
    if (options.has_l2()) {
        l2_.emplace_back(options.l2, Bytes{base});
    }
    std::int64_t widest = 0; // granules that one texel can overlap
    for (const StoredImage& image : images_) {
        widest = std::max(widest, image.bytes_per_texel / granule_bytes_ + 2);
    }
    seen_.resize(std::bit_ceil(static_cast<std::size_t>(options.warp_size * widest * 2 + 2)));
}

bool MemoryHierarchy::first_occurrence(std::int64_t granule)
{
    const std::size_t mask = seen_.size() - 1;
    std::size_t place = (static_cast<std::uint64_t>(granule) * 0x9e3779b97f4a7c15ULL >> 20) & mask;
    while (seen_[place].stamp == stamp_) {
        if (seen_[place].granule == granule) {
            return false;
        }
        place = (place + 1) & mask;
    }
    seen_[place] = {granule, stamp_};
    return true;
}

MemoryHierarchy::Outcome MemoryHierarchy::access(int core, const WarpAccess& access)
{
    lanes_.clear();
    lookups_.clear();
    ++stamp_;
    std::int64_t previous = -1;
    for (LaneRead read : access.lanes) {
        const StoredImage& image = images_[read.image];
        if (!image.extent.contains(read.texel)) {
            if (image.address_mode == AddressMode::border) {
                continue;
            }
            read.texel = {std::clamp(read.texel.x, 0, image.extent.width - 1),
                          std::clamp(read.texel.y, 0, image.extent.height - 1)};
        }
        lanes_.push_back(read);
        const std::int64_t first_byte = image.base + image.layout.offset(read.texel);
        const std::int64_t last = (first_byte + image.bytes_per_texel - 1) / granule_bytes_;
        for (std::int64_t granule = first_byte / granule_bytes_; granule <= last; ++granule) {
            if (granule == previous || !first_occurrence(granule)) {
                continue;
            }
            previous = granule;
            LookupEvent event;
            event.core = core;
            event.step = access.step;
            event.image = read.image;
            event.texel = read.texel;
            event.address = granule * granule_bytes_;
            event.line = event.address / line_bytes_ * line_bytes_;
            event.l1 = l1_[static_cast<std::size_t>(core)].lookup(event.address);
            if (!event.l1.hit() && !l2_.empty()) {
                event.l2 = l2_.front().lookup(event.address);
            }
            lookups_.push_back(event);
        }
    }
    texel_reads_[static_cast<std::size_t>(core)] += static_cast<std::int64_t>(lanes_.size());
    return {lanes_, lookups_, static_cast<std::int64_t>(access.lanes.size() - lanes_.size())};
}

CacheStatistics MemoryHierarchy::l1(int core) const
{
    CacheStatistics statistics = l1_[static_cast<std::size_t>(core)].statistics();
    statistics.texel_reads = texel_reads_[static_cast<std::size_t>(core)];
    return statistics;
}

CacheStatistics MemoryHierarchy::l2() const
{
    return l2_.empty() ? CacheStatistics{} : l2_.front().statistics();
}

Bytes MemoryHierarchy::memory_bytes() const
{
    if (!l2_.empty()) {
        return l2_.front().statistics().bytes_filled;
    }
    Bytes sum{0};
    for (const Cache& cache : l1_) {
        sum += cache.statistics().bytes_filled;
    }
    return sum;
}

} // namespace texelscope
