#include "workbench/study/nest_read_stream.hpp"

#include "codegen/nest/kernel_launch.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "model/bottleneck/cache_path.hpp"
#include "sim/timed/warp_code.hpp"
#include "workbench/study/level_reads.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

namespace texelscope::workbench::study {
namespace {

/// The levels of cache that reads meet on this machine (CachePath).
std::vector<Level> levels_of(const SimulationOptions& options)
{
    const BufferPath& buffers = options.kernel.buffers;
    const CachePath path(options.machine);
    std::vector<Level> levels;
    for (const CacheLevel* level : path) {
        const bool first = level == path.front();
        levels.push_back({.geometry = level->geometry,
                          // L1 has none.
                          .banks = first ? 1 : level->banks.value_or(1),
                          .caches = {CacheSets(first ? first_level(options.machine, buffers, false)
                                                     : level->geometry),
                                     CacheSets(first ? first_level(options.machine, buffers, true)
                                                     : level->geometry)},
                          .buffers_apart = first && options.kernel.past_l1(true)});
    }
    return levels;
}

/// All that LevelReads depends on.
using LevelKind = std::array<std::int64_t, 9>;

LevelKind kind_of(const Level& level, const SimulationOptions& options)
{
    const CacheGeometry& geometry = level.geometry;
    const BufferPath& buffers = options.kernel.buffers;
    return {geometry.capacity.value,
            geometry.line.value,
            geometry.sector.value,
            geometry.ways,
            static_cast<std::int64_t>(geometry.index),
            level.banks,
            level.buffers_apart ? 1 : 0,
            level.buffers_apart ? static_cast<std::int64_t>(buffers.kind) : 0,
            level.buffers_apart ? buffers.capacity.value : 0};
}

} // namespace

/// A kernel's reads, and what is known of them in one storage layout after the other.
class ReadStreams::State {
public:
    State(const Launch& launch, std::size_t kept) : kernel_(launch), kept_(kept) {}

    ReadStream on(const SimulationOptions& options)
    {
        // Throws where the images are too large for this machine.
        const std::vector<StoredImage> images = store_images(kernel_.launch().images, options);
        const std::string layout = to_string(options.machine.layout);
        if (levels_.size() > kept_) {
            levels_.clear();
        }
        const std::vector<Level> levels = levels_of(options);
        std::vector<const LevelReads*> found;
        for (const Level& level : levels) {
            const auto [place, is_new] =
                levels_.try_emplace({layout, kind_of(level, options)}, LevelReads{});
            if (is_new) {
                place->second = level_reads(kernel_, images, level);
            }
            found.push_back(&place->second);
        }
        ReadStream stream = joined(found, images, options.machine);
        add_output(stream, options);
        return stream;
    }

private:
    [[nodiscard]] ReadStream joined(const std::vector<const LevelReads*>& levels,
                                    const std::vector<StoredImage>& images,
                                    const Machine& machine) const
    {
        const Launch& launch = kernel_.launch();
        ReadStream stream;
        stream.barriers = has_barriers(launch.body);
        for (std::size_t i = 0; i < images.size(); ++i) {
            ReadStream::Input& input = stream.inputs.emplace_back();
            input.buffer = launch.images[i].buffer;
            input.stored_bytes = static_cast<double>(images[i].layout.size().value);
            input.texel_bytes = static_cast<double>(images[i].bytes_per_texel);
            if (!kernel_.images()[i].together.empty()) {
                input.together.emplace();
            }
            for (const LevelReads* level : levels) {
                input.levels.push_back(level->inputs[i].at);
                if (input.together) {
                    input.together->levels.push_back(*level->inputs[i].together);
                }
            }
            add_blocks(input, kernel_.images()[i], images[i], machine.service_of(input.buffer));
            add_channels(input, kernel_.images()[i], images[i], machine.timing);
        }
        for (const LevelReads* level : levels) {
            stream.whole.push_back(level->whole);
        }
        add_reads(stream, levels);
        return stream;
    }

    void add_output(ReadStream& stream, const SimulationOptions& options) const
    {
        const std::optional<Image>& image = kernel_.launch().output;
        if (!image) {
            return;
        }
        const StoredImage stored = store_images({&*image, 1}, options).front();
        ReadStream::Output& output = stream.output.emplace();
        output.writers = kernel_.writers();
        output.texel_bytes = static_cast<double>(stored.bytes_per_texel);
        output.stored_bytes = static_cast<double>(stored.layout.size().value);
        const Bytes sector = options.machine.stores.sector;
        if (sector.value == 0) {
            return;
        }
        const Bytes line = options.machine.shared_level().geometry.line;
        const KernelReads::OfImage& places = kernel_.output();
        for (std::size_t axis = 0; axis < 3; ++axis) {
            count_units(output.sectors.along[axis], places.along[axis], stored, sector);
            count_units(output.lines.along[axis], places.along[axis], stored, line);
        }
        count_units(output.sectors_together, places.together, stored, sector);
        count_units(output.lines_together, places.together, stored, line);
    }

    static void add_blocks(ReadStream::Input& input, const KernelReads::OfImage& reads,
                           const StoredImage& image, const ReadService& service)
    {
        if (!service.lanes || service.block.value == 0) {
            return;
        }
        for (std::size_t axis = 0; axis < 3; ++axis) {
            count_units(input.blocks.along[axis], reads.along[axis], image, service.block);
        }
        if (input.together) {
            count_units(input.together->blocks, reads.together, image, service.block);
        }
    }

    static void add_channels(ReadStream::Input& input, const KernelReads::OfImage& reads,
                             const StoredImage& image, const Timing& timing)
    {
        const int channels = timing.memory_channels.value_or(1);
        const std::int64_t bytes = timing.memory_interleave.value;
        for (std::size_t axis = 0; axis < 3 && channels > 1; ++axis) {
            if (!reads.along[axis].empty()) {
                input.channels.banks = channels;
                add_banks(input.channels.along[axis].banks, &input.channels.along[axis].lines,
                          reads.along[axis], image, bytes, channels);
            }
        }
        if (channels > 1 && input.together) {
            input.channels.banks = channels;
            add_banks(input.channels.together, nullptr, reads.together, image, bytes, channels);
        }
    }

    /// Reads that return alike in all levels are one entry of the stream with their count.
    void add_reads(ReadStream& stream, const std::vector<const LevelReads*>& levels) const
    {
        const std::size_t from = kernel_.steady();
        const std::vector<ItemRead>& reads = kernel_.reads();
        const double each = static_cast<double>(kernel_.all()) /
                            static_cast<double>(std::max<std::size_t>(1, reads.size() - from));
        std::map<std::vector<std::size_t>, std::size_t> known; // image, returns by level
        for (std::size_t i = from; i < reads.size(); ++i) {
            std::vector<std::size_t> kind{static_cast<std::size_t>(reads[i].image)};
            for (const LevelReads* level : levels) {
                kind.push_back(level->of_read[i - from]);
            }
            const auto [place, is_new] = known.try_emplace(kind, stream.reads.size());
            if (is_new) {
                ReadStream::Read& read = stream.reads.emplace_back();
                read.input = kind.front();
                for (std::size_t level = 0; level < levels.size(); ++level) {
                    read.returns.push_back(levels[level]->returns[kind[level + 1]]);
                }
            }
            stream.reads[place->second].count += each;
        }
    }

    KernelReads kernel_;
    std::map<std::pair<std::string, LevelKind>, LevelReads> levels_;
    std::size_t kept_;
};

ReadStreams::ReadStreams(const Launch& launch, std::size_t kept)
    : state_(std::make_unique<State>(launch, kept))
{}

ReadStreams::~ReadStreams() = default;
ReadStreams::ReadStreams(ReadStreams&&) noexcept = default;
ReadStreams& ReadStreams::operator=(ReadStreams&&) noexcept = default;

ReadStream ReadStreams::on(const SimulationOptions& options)
{
    return state_->on(options);
}

ReadStream read_stream(const LoopNest& nest, const SimulationOptions& options)
{
    const Launch launch = launch_of(nest);
    ReadStream stream = ReadStreams(launch).on(options);
    stream.code = WarpCode(&launch, options).totals();
    return stream;
}

} // namespace texelscope::workbench::study
