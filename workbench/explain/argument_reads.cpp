#include "workbench/explain/argument_reads.hpp"

#include "sim/memory/image_storage.hpp"
#include "traces/access_walk.hpp"
#include "workbench/study/memory_need.hpp"

#include <algorithm>
#include <utility>

namespace texelscope::workbench::explain {
namespace {

HeatMap empty_map(Extent2D extent)
{
    return {extent, std::vector<std::int64_t>(static_cast<std::size_t>(extent.area()))};
}

std::int64_t& count_at(HeatMap& map, Texel texel)
{
    return map.counts[static_cast<std::size_t>(std::int64_t{texel.y} * map.extent.width + texel.x)];
}

/// Bytes of the lines in which reads of images, or of buffers, arrive first.
std::int64_t first_line(const SimulationOptions& options, bool buffer)
{
    const auto first = first_level(options.machine, options.kernel.buffers, buffer);
    return first ? first->line.value : options.machine.common_line();
}

} // namespace

std::vector<ArgumentReads> argument_reads(const TraceSource& source,
                                          const SimulationOptions& options, const StopToken& stop)
{
    const std::span<const Image> images = source.images();
    study::check_memory(study::launch_memory(images, options), study::available_memory(),
                        source.name());
    std::vector<ArgumentReads> all;
    std::vector<std::vector<bool>> seen; // by texel
    for (const Image& image : images) {
        ArgumentReads reads;
        reads.image = image;
        if (!image.buffer) {
            reads.map = empty_map(image.extent);
            reads.misses = empty_map(image.extent);
        }
        all.push_back(std::move(reads));
        seen.emplace_back(static_cast<std::size_t>(image.extent.area()));
    }
    const std::vector<StoredImage> stored = store_images(images, options);
    std::vector<std::vector<std::int64_t>> lines(images.size()); // of one access, by image
    std::int64_t steps = 0;
    AccessWalk walk(source, options.machine.warp_size);
    while (walk.next()) {
        if ((++steps & 0xFFF) == 0) {
            check_stop(stop);
        }
        for (const LaneRead& read : walk.access().lanes) {
            ArgumentReads& of = all[read.image];
            const Image& image = of.image;
            const bool inside = image.extent.contains(read.texel);
            ++of.reads;
            of.outside += inside ? 0 : 1;
            const auto address = stored[read.image].address_of_read(read.texel);
            if (!address) {
                continue; // the border touches no memory
            }
            const Texel texel = image.extent.clamp(read.texel);
            const auto place =
                static_cast<std::size_t>(std::int64_t{texel.y} * image.extent.width + texel.x);
            of.distinct += seen[read.image][place] ? 0 : 1;
            seen[read.image][place] = true;
            if (of.map) {
                ++count_at(*of.map, texel);
            }
            // A texel may reach over two lines.
            const std::int64_t line = first_line(options, image.buffer);
            const std::int64_t last = (*address + image.bytes_per_texel.value - 1) / line;
            for (std::int64_t i = *address / line; i <= last; ++i) {
                lines[read.image].push_back(i);
            }
        }
        for (std::size_t i = 0; i < lines.size(); ++i) {
            if (!lines[i].empty()) {
                std::sort(lines[i].begin(), lines[i].end());
                all[i].lines += std::unique(lines[i].begin(), lines[i].end()) - lines[i].begin();
                ++all[i].accesses;
                lines[i].clear();
            }
        }
    }
    return all;
}

HitObserver::HitObserver(std::span<ArgumentReads> arguments, std::vector<std::size_t> numbers)
    : arguments_(arguments), numbers_(std::move(numbers))
{}

void HitObserver::on_lookup(const LookupEvent& event)
{
    ArgumentReads& of = arguments_[numbers_[event.image]];
    ++of.lookups;
    of.hits += event.l1.hit() ? 1 : 0;
    if (!event.l1.hit() && of.misses) {
        ++count_at(*of.misses, event.texel);
    }
}

} // namespace texelscope::workbench::explain
