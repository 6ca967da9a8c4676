#include "workbench/explain/variants.hpp"

#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/parallel.hpp"
#include "devices/launch/buffer_reads.hpp"
#include "sim/layout/texel_layout.hpp"
#include "sim/options/occupancy.hpp"
#include "traces/first_groups.hpp"
#include "traces/index/index_expr.hpp"
#include "traces/mapped_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

namespace texelscope::workbench::explain {
namespace {

using Sizes = std::array<std::int64_t, 3>;
using Maps = std::vector<std::optional<ImageMap>>;

/// A change that is still to be simulated.
struct Candidate {
    Variant variant;
    std::optional<Sizes> local; ///< nullopt: as it was
    std::optional<std::pair<std::size_t, ImageMap>> map;
    int more_warps = 0;
};

/// Texels of an image by which its rows are made longer: a line, or the outermost tile.
std::int32_t padding_of(const Image& image, const SimulationOptions& options)
{
    const auto bytes = std::max<std::int64_t>(1, image.bytes_per_texel.value);
    const auto line = options.machine.l1().geometry.line.value / bytes;
    const TexelLayout layout(options.machine.layout, image.extent, image.bytes_per_texel);
    const std::int64_t tile = layout.blocks().empty() ? 1 : layout.blocks().back().width;
    return static_cast<std::int32_t>(std::max({std::int64_t{1}, line, tile}));
}

/// All changes of a kernel's data and launch that there are.
class Candidates {
public:
    Candidates(const RecordedKernel& kernel, const DeviceProfile& device, const KernelTime& now,
               std::span<const Image> images, std::span<const ArgumentReads> reads)
        : kernel_(kernel), device_(device), now_(now), images_(images)
    {
        local_size();
        for (std::size_t i = 0; i < images_.size(); ++i) {
            if (reads[i].reads == 0) {
                continue;
            }
            images_[i].buffer ? of_buffer(i) : of_image(i);
        }
        registers();
    }

    std::vector<Candidate> candidates;
    std::vector<std::string> skipped;

private:
    void local_size()
    {
        if (kernel_.fixed_local) {
            skipped.push_back("other local sizes: " + *kernel_.fixed_local);
            return;
        }
        const TracedLaunch& launch = kernel_.traced();
        for (const Sizes& local :
             local_sizes(launch.global, launch.local, now_.options.machine.warp_size,
                         device_.limits.work_group_size)) {
            candidates.push_back({{"local-size", "",
                                   fmt::format("launch with a local size of {} in place of {}",
                                               size_text(local), size_text(launch.local))},
                                  local,
                                  std::nullopt,
                                  0});
        }
    }

    void add(const char* kind, std::size_t i, std::string words, ImageMap map)
    {
        candidates.push_back({{kind, images_[i].name, std::move(words)},
                              std::nullopt,
                              std::pair(i, std::move(map)),
                              0});
    }

    void of_image(std::size_t i)
    {
        const Image& image = images_[i];
        const DeviceLimits& limits = device_.limits;
        if (!device_.limits.buffer_l1) {
            skipped.push_back(image.name + " as a buffer: the profile of " + device_.name +
                              " does not say through which cache buffers are read");
        } else if (image.extent.area() > INT32_MAX) {
            skipped.push_back(image.name + " as a buffer: it has more than 2^31 - 1 texels");
        } else {
            add("buffer", i,
                fmt::format("put {} into a buffer of rows of {} texels", image.name,
                            image.extent.width),
                as_buffer(image));
        }
        if (image.extent.height > 1 && image.extent.height <= limits.image_width &&
            image.extent.width <= limits.image_height) {
            add("transposed", i,
                fmt::format("store {} transposed, x and y swapped: {}x{}", image.name,
                            image.extent.height, image.extent.width),
                transposed(image));
        }
        const std::int32_t more = padding_of(image, now_.options);
        if (image.extent.height > 1 && image.extent.width <= limits.image_width - more) {
            add("padded", i,
                fmt::format("make the rows of {} {} texels longer: {}x{}", image.name, more,
                            image.extent.width + more, image.extent.height),
                padded(image, image.extent.width + more));
        }
    }

    void of_buffer(std::size_t i)
    {
        const Image& buffer = images_[i];
        const auto bytes = buffer.bytes_per_texel.value;
        const TracedLaunch& launch = kernel_.traced();
        const auto found = std::ranges::find(launch.buffers, buffer.name, &TracedBuffer::name);
        const std::vector<std::int64_t>& writes =
            kernel_.trace.totals(kernel_.launch).buffer_writes;
        if (found != launch.buffers.end() &&
            writes[static_cast<std::size_t>(found - launch.buffers.begin())] > 0) {
            skipped.push_back(buffer.name + " as an image: the kernel writes it, too");
            return;
        }
        if (bytes > 16 || (bytes & (bytes - 1)) != 0) {
            skipped.push_back(
                fmt::format("{} as an image: no texel has {} bytes", buffer.name, bytes));
            return;
        }
        const std::size_t before = candidates.size();
        for (const std::int32_t width : {64, 256, 1024, 4096}) {
            if (width <= device_.limits.image_width &&
                ceil_div(buffer.extent.width, width) <= device_.limits.image_height &&
                (width < buffer.extent.width || width == 64)) {
                const ImageMap map = as_image(buffer, width);
                add("image", i,
                    fmt::format("put {} into an image of {}x{} texels of {} bytes, element i at "
                                "(i % {}, i / {})",
                                buffer.name, width, map.image.extent.height, bytes, width, width),
                    map);
            }
        }
        if (candidates.size() == before) {
            skipped.push_back(buffer.name + " as an image: it is larger than the device's images");
        }
    }

    void registers()
    {
        if (!now_.options.kernel.compiled_warps || !now_.simulation) {
            skipped.emplace_back("fewer registers: nothing is known of the kernel's");
        } else if (now_.simulation->occupancy.room_limiter != Occupancy::Limiter::registers) {
            skipped.push_back("fewer registers: what limits the warps is " +
                              to_string(now_.simulation->occupancy.room_limiter));
        } else {
            const int warps = now_.simulation->occupancy.warps;
            candidates.push_back(
                {{"registers", "",
                  fmt::format("make do with fewer than {} registers, so that {} warps have room in "
                              "place of {}",
                              now_.options.kernel.registers_per_item.value_or(0), warps + 1,
                              warps)},
                 std::nullopt,
                 std::nullopt,
                 1});
        }
    }

    const RecordedKernel& kernel_;
    const DeviceProfile& device_;
    const KernelTime& now_;
    std::span<const Image> images_;
};

/// Of a launch with more steps than that, the first work-groups alone are simulated for each
/// change, and of the changes that seem best, so many as a whole.
constexpr std::int64_t most_steps = 20'000;
constexpr std::size_t most_checked = 4;

/// A launch with a change.
struct ChangedLaunch {
    std::shared_ptr<const TraceSource> source;
    KernelWork work;
};

ChangedLaunch changed_launch(const RecordedKernel& kernel,
                             const std::shared_ptr<const TraceSource>& source, const Candidate& one)
{
    ChangedLaunch changed{source, kernel.work};
    if (one.local) {
        changed.source = kernel.trace.source(kernel.launch, {one.local, true});
        changed.work.items_of_group = (*one.local)[0] * (*one.local)[1] * (*one.local)[2];
    } else if (one.map) {
        Maps maps = mapped(source->images(),
                           [](const Image& image) { return std::optional(unchanged(image)); });
        maps[one.map->first] = one.map->second;
        changed.source = mapped_source(source, maps);
    }
    return changed;
}

/// The time of a launch, from about that share of its work-groups: the first ones, in whole waves
/// (as many as all cores hold at a time), two at least. The others are taken to go on likewise.
double first_groups_ns(const ChangedLaunch& launch, const DeviceProfile& device, int more_warps,
                       double share, const StopToken& stop)
{
    const Machine& machine = device.simulation.machine;
    const std::int64_t groups = launch.source->group_count();
    SimulationOptions options = options_of(*launch.source, launch.work, device, more_warps);
    const std::int64_t warps =
        (launch.work.items_of_group + options.machine.warp_size - 1) / options.machine.warp_size;
    const std::int64_t wave =
        machine.cores * std::max<std::int64_t>(1, occupancy(options, warps).groups);
    const auto wanted = static_cast<std::int64_t>(share * static_cast<double>(groups));
    const std::int64_t taken =
        std::min(groups, std::max<std::int64_t>(2, (wanted + wave - 1) / wave) * wave);
    const double part = static_cast<double>(taken) / static_cast<double>(groups);
    const double ns = kernel_time(*first_groups(launch.source, taken), part_of(launch.work, part),
                                  device, more_warps, {}, stop)
                          .ns();
    return (ns - machine.timing.launch_ns) / part + machine.timing.launch_ns;
}

} // namespace

std::vector<Sizes> local_sizes(const Sizes& global, const Sizes& now, int warp_size,
                               std::int64_t most)
{
    std::vector<Sizes> sizes;
    for (std::int64_t z = 1; z <= global[2] && global[2] % z == 0; z *= 2) {
        for (std::int64_t y = 1; y <= global[1] && global[1] % y == 0; y *= 2) {
            for (std::int64_t x = 1; x <= global[0] && global[0] % x == 0; x *= 2) {
                const std::int64_t items = x * y * z;
                const Sizes size{x, y, z};
                if (items >= warp_size && items <= std::min<std::int64_t>(4 * warp_size, most) &&
                    size != now) {
                    sizes.push_back(size);
                }
            }
        }
    }
    return sizes;
}

TriedVariants try_variants(const RecordedKernel& kernel,
                           const std::shared_ptr<const TraceSource>& source,
                           const DeviceProfile& device, const KernelTime& now,
                           std::span<const ArgumentReads> reads, int threads,
                           const Progress& progress, const StopToken& stop)
{
    Candidates all(kernel, device, now, source->images(), reads);
    std::vector<Candidate>& candidates = all.candidates;
    const double share = now.simulation ? static_cast<double>(most_steps) /
                                              static_cast<double>(now.simulation->steps)
                                        : 1;
    const bool whole = share >= 1;
    const double now_ns =
        whole ? now.ns() : first_groups_ns({source, kernel.work}, device, 0, share, stop);
    std::vector<std::optional<std::string>> failed(candidates.size());
    const auto simulate_one = [&](std::size_t i, bool as_a_whole) {
        Candidate& one = candidates[i];
        try {
            const ChangedLaunch changed = changed_launch(kernel, source, one);
            Variant& variant = one.variant;
            variant.whole = as_a_whole;
            variant.ns =
                as_a_whole
                    ? kernel_time(*changed.source, changed.work, device, one.more_warps, {}, stop)
                          .ns()
                    : first_groups_ns(changed, device, one.more_warps, share, stop) *
                          (now.ns() / now_ns);
            variant.ratio = now.ns() / variant.ns;
        } catch (const Error& error) {
            failed[i] = one.variant.words + ": " + error.what();
        }
    };
    parallel_for(
        candidates.size(), threads, [&](std::size_t i) { simulate_one(i, whole); }, stop,
        [&](std::size_t done) { tell(progress, "changes", done, candidates.size()); });
    if (!whole) { // those that seem best, as a whole
        std::vector<std::size_t> best;
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            if (!failed[i] && candidates[i].variant.ratio >= least_gain) {
                best.push_back(i);
            }
        }
        std::ranges::stable_sort(best, std::greater{},
                                 [&](std::size_t i) { return candidates[i].variant.ratio; });
        best.resize(std::min(best.size(), most_checked));
        parallel_for(
            best.size(), threads, [&](std::size_t i) { simulate_one(best[i], true); }, stop,
            [&](std::size_t done) { tell(progress, "the best of them", done, best.size()); });
    }
    TriedVariants out{{}, std::move(all.skipped)};
    for (std::size_t i = 0; i < failed.size(); ++i) {
        if (failed[i]) {
            out.skipped.push_back(*failed[i]);
        } else {
            out.tried.push_back(std::move(candidates[i].variant));
        }
    }
    std::ranges::stable_sort(out.tried, std::greater{}, &Variant::ratio);
    return out;
}

} // namespace texelscope::workbench::explain
