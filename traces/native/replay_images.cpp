#include "traces/native/replay_images.hpp"

#include "base/error.hpp"
#include "traces/native/trace_chunks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace texelscope::traces {
namespace {

constexpr std::int64_t widest_texel = 16; // bytes
constexpr std::size_t most_images = std::numeric_limits<std::uint16_t>::max();

/// An array of one layer has one place for whatever layer is asked for; a 3D image of one slice has
/// not.
bool has_layers(const TracedImage& image)
{
    return image.depth > 1 || image.kind == ImageKind::three;
}

bool is_array(const TracedImage& image)
{
    return image.kind == ImageKind::one_array || image.kind == ImageKind::two_array;
}

Image flat(const TracedImage& image, std::string name)
{
    return {.name = std::move(name),
            .extent = {image.width, image.height},
            .bytes_per_texel = Bytes{image.bytes_per_texel},
            .address_mode = image.address_mode,
            .row_multiple = image.is_linear() ? 1 : 0};
}

std::int32_t nearest_layer(std::int32_t z, std::int32_t depth)
{
    return std::clamp(z, 0, depth - 1);
}

[[noreturn]] void refuse_images(const TraceChunks& chunks)
{
    throw bad_input(
        fmt::format("the launch reads more than {} images, layers counted one by one", most_images),
        chunks.name(), "record fewer work-groups with trace capture --groups");
}

/// The layers of each image that are read; of images without layers, none.
std::vector<std::set<std::int32_t>> layers_read(const TraceChunks& chunks, int number)
{
    const TraceChunks::LaunchChunks& launch = chunks.launches()[static_cast<std::size_t>(number)];
    const std::vector<TracedImage>& images = launch.launch.images;
    std::vector<std::set<std::int32_t>> read(images.size());
    if (std::ranges::none_of(images, has_layers)) {
        return read;
    }
    std::size_t count = 0;
    for (const TraceChunks::Place& place : launch.reads) {
        const auto chunk = chunks.steps(number, place);
        // What a shape reads of images with layers, wherever it is: few places for many rows.
        std::vector<std::vector<std::pair<std::uint16_t, std::int32_t>>> of_shapes;
        for (std::uint32_t shape = 0; shape < chunk->shape_count(); ++shape) {
            std::set<std::pair<std::uint16_t, std::int32_t>> places;
            for (const StepRow& row : chunk->shape(shape)) {
                if (has_layers(images[row.object])) {
                    places.emplace(row.object, row.z);
                }
            }
            of_shapes.emplace_back(places.begin(), places.end());
        }
        for (const StepChunk::Step& step : chunk->steps) {
            for (const auto& [image, z] : of_shapes[step.shape]) {
                StepRow row;
                row.z = z;
                const auto layer = nearest_layer(moved(row, step).z, images[image].depth);
                count += read[image].insert(layer).second ? 1U : 0U;
                if (count > most_images) {
                    refuse_images(chunks);
                }
            }
        }
    }
    return read;
}

/// What is to be known of the buffers' reads before the first one is replayed.
struct BufferReads {
    /// Of each buffer: all offsets and sizes of its reads, their bits together. 0: nobody reads it.
    std::vector<std::uint64_t> bits;
    GroupTable readers;
};

BufferReads look_at_buffers(const TraceChunks& chunks, int number)
{
    const TraceChunks::LaunchChunks& launch = chunks.launches()[static_cast<std::size_t>(number)];
    BufferReads found{std::vector<std::uint64_t>(launch.launch.buffers.size()), {}};
    std::int64_t group = -1;
    std::vector<std::int32_t> items;
    const auto end_group = [&] {
        std::ranges::sort(items);
        items.erase(std::unique(items.begin(), items.end()), items.end());
        if (!items.empty()) {
            found.readers.add(group, items);
        }
        items.clear();
    };
    for (const TraceChunks::Place& place : launch.others) {
        const auto chunk = chunks.steps(number, place);
        std::vector<std::size_t> seen(chunk->shape_count()); // in which segment, from 1 on
        std::size_t step = 0;
        for (std::size_t s = 0; s < chunk->segments.size(); ++s) {
            if (chunk->segments[s].group != group) { // a group may go on in the next chunk
                end_group();
                group = chunk->segments[s].group;
            }
            for (std::uint32_t i = 0; i < chunk->segments[s].steps; ++i, ++step) {
                const StepChunk::Step& at = chunk->steps[step];
                // A shape has the same work-items wherever it is.
                const bool is_new = std::exchange(seen[at.shape], s + 1) != s + 1;
                for (const StepRow& row : chunk->shape(at.shape)) {
                    if (row.kind == AccessKind::buffer_read && row.bytes > 0) {
                        found.bits[row.object] |= static_cast<std::uint64_t>(moved(row, at).x) |
                                                  static_cast<std::uint64_t>(row.bytes);
                        if (is_new) {
                            items.push_back(row.item);
                        }
                    }
                }
            }
        }
    }
    end_group();
    return found;
}

} // namespace

ReplayImages::ReplayImages(const TraceChunks& chunks, int launch, bool buffers)
{
    add_images(chunks, launch);
    of_buffers_.resize(chunks.launches()[static_cast<std::size_t>(launch)].launch.buffers.size());
    if (buffers) {
        add_buffers(chunks, launch);
    }
}

std::uint16_t ReplayImages::add(Image image, const TraceChunks& chunks)
{
    if (images_.size() == most_images) {
        refuse_images(chunks);
    }
    images_.push_back(std::move(image));
    texels_.push_back(0);
    return static_cast<std::uint16_t>(images_.size() - 1);
}

void ReplayImages::add_images(const TraceChunks& chunks, int launch)
{
    const std::vector<std::set<std::int32_t>> layers = layers_read(chunks, launch);
    const std::vector<TracedImage>& images =
        chunks.launches()[static_cast<std::size_t>(launch)].launch.images;
    for (std::size_t i = 0; i < images.size(); ++i) {
        const TracedImage& image = images[i];
        OfImage made{has_layers(image),
                     !is_array(image) && image.address_mode == AddressMode::border,
                     image.depth,
                     0,
                     {}};
        if (!made.layered) {
            made.number = add(flat(image, image.name), chunks);
        }
        for (const std::int32_t layer : layers[i]) {
            const std::string name =
                image.depth > 1 ? fmt::format("{}[{}]", image.name, layer) : image.name;
            made.layers.emplace(layer, add(flat(image, name), chunks));
        }
        of_images_.push_back(std::move(made));
    }
}

void ReplayImages::add_buffers(const TraceChunks& chunks, int launch)
{
    BufferReads reads = look_at_buffers(chunks, launch);
    buffer_readers_ = std::move(reads.readers);
    const std::vector<TracedBuffer>& buffers =
        chunks.launches()[static_cast<std::size_t>(launch)].launch.buffers;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        if (reads.bits[i] == 0) {
            continue;
        }
        const std::uint64_t lowest = reads.bits[i] & (~reads.bits[i] + 1);
        const std::int64_t texel =
            static_cast<std::int64_t>(std::min(lowest, static_cast<std::uint64_t>(widest_texel)));
        const std::int64_t bytes = std::max<std::int64_t>(buffers[i].bytes, 0);
        const std::int64_t texels = bytes / texel + (bytes % texel > 0 ? 1 : 0);
        if (texels > std::numeric_limits<std::int32_t>::max()) {
            throw bad_input(
                fmt::format("buffer {} of {} bytes is read in parts of {} bytes, and has more than "
                            "{} of them",
                            buffers[i].name, bytes, texel,
                            std::numeric_limits<std::int32_t>::max()),
                chunks.name(), "replay the image reads alone, or record with smaller buffers");
        }
        const std::uint16_t number =
            add({.name = buffers[i].name,
                 .extent = {static_cast<std::int32_t>(std::max<std::int64_t>(texels, 1)), 1},
                 .bytes_per_texel = Bytes{texel},
                 .buffer = true},
                chunks);
        texels_[number] = texels;
        of_buffers_[i] = {texel, number};
    }
}

LaneRead ReplayImages::image_read(const StepRow& row, std::uint16_t lane) const
{
    const OfImage& image = of_images_[row.object];
    const Texel texel{static_cast<std::int32_t>(row.x), row.y};
    if (!image.layered) {
        return {texel, image.number, lane};
    }
    const std::int32_t layer = nearest_layer(row.z, image.depth);
    const std::uint16_t number = image.layers.at(layer);
    return {layer != row.z && image.touches_nothing_beyond ? Texel{-1, -1} : texel, number, lane};
}

ReplayImages::BufferTexels ReplayImages::buffer_texels(const StepRow& row) const
{
    if (row.kind != AccessKind::buffer_read || row.bytes <= 0) {
        return {};
    }
    const OfBuffer& buffer = of_buffers_[row.object];
    return {buffer.number, row.x / buffer.texel, row.bytes / buffer.texel};
}

Texel ReplayImages::buffer_texel(std::uint16_t image, std::int64_t index) const
{
    return index >= 0 && index < texels_[image] ? Texel{static_cast<std::int32_t>(index), 0}
                                                : Texel{-1, 0};
}

} // namespace texelscope::traces
