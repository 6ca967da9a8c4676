// A launch of a native trace file as a TraceSource. Chunks are decoded when a stream comes to them,
// and TraceChunks keeps those decoded last for the streams of other warps.

#include "traces/native/trace_file.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace texelscope::traces {
namespace {

using Place = TraceChunks::Place;

/// The reads of one warp. Most shapes come up once, or again and again. From its second use on, the
/// lanes of a shape are kept, and a use only moves them; next_repeated() hands out the kept lanes
/// themselves.
class FileStream final : public WarpStream {
public:
    FileStream(std::shared_ptr<const TraceChunks> chunks, int launch, std::int64_t group,
               std::int64_t first_item, std::int64_t end_item,
               std::span<const std::int32_t> image_numbers)
        : chunks_(std::move(chunks)), launch_(launch), group_(group), first_item_(first_item),
          end_item_(end_item), image_numbers_(image_numbers),
          places_(chunks_of(chunks_->launches()[static_cast<std::size_t>(launch)].reads, group))
    {}

    bool next(WarpAccess& access) override { return next(access, false); }
    bool next_repeated(WarpAccess& access) override { return next(access, true); }

private:
    struct Shape {
        bool came_up = false;
        bool has_lanes = true; ///< of this warp
        std::shared_ptr<RepeatedLanes> repeated;
    };

    bool next(WarpAccess& access, bool may_repeat)
    {
        while (position_.begin < position_.end || next_chunk()) {
            const StepChunk::Step& step = chunk_->steps[position_.begin++];
            Shape& shape = shapes_[step.shape];
            // The shape belongs to other warps of the group: this one is idle in this step.
            if (!shape.has_lanes) {
                continue;
            }
            access.step = step.number;
            const Texel shift{static_cast<std::int32_t>(step.x), step.y}; // modulo 2^32
            if (!shape.came_up) {
                shape.came_up = true;
                access.repeated = nullptr;
                put_lanes(access.lanes, step.shape, shift);
                shape.has_lanes = !access.lanes.empty();
                if (!shape.has_lanes) {
                    continue;
                }
                return true;
            }
            if (!shape.repeated) {
                shape.repeated = std::make_shared<RepeatedLanes>();
                put_lanes(shape.repeated->lanes, step.shape, {});
            }
            // The pointer is compared first, because assigning a shared pointer costs atomic
            // operations.
            if (may_repeat) {
                if (access.repeated != shape.repeated) {
                    access.repeated = shape.repeated;
                }
                access.shift = shift;
                return true;
            }
            access.repeated = nullptr;
            access.lanes.resize(shape.repeated->lanes.size());
            std::transform(shape.repeated->lanes.begin(), shape.repeated->lanes.end(),
                           access.lanes.begin(), [&](const LaneRead& read) {
                               return LaneRead{plus(read.texel, shift), read.image, read.lane};
                           });
            return true;
        }
        access.repeated = nullptr;
        return false;
    }

    /// Goes to the group's steps in the next chunk that has some; false where there is none.
    bool next_chunk()
    {
        while (position_.begin == position_.end) {
            if (places_.empty()) {
                return false;
            }
            chunk_ = chunks_->steps(launch_, places_.front());
            places_ = places_.subspan(1);
            position_ = steps_of(*chunk_, group_);
            shapes_.assign(chunk_->shape_count(), {});
        }
        return true;
    }

    static Texel plus(Texel a, Texel b) // modulo 2^32
    {
        return {static_cast<std::int32_t>(static_cast<std::uint32_t>(a.x) +
                                          static_cast<std::uint32_t>(b.x)),
                static_cast<std::int32_t>(static_cast<std::uint32_t>(a.y) +
                                          static_cast<std::uint32_t>(b.y))};
    }

    /// Replaces `lanes` by what this warp does in a shape, moved.
    void put_lanes(std::vector<LaneRead>& lanes, std::uint32_t shape, Texel shift) const
    {
        const auto rows = chunk_->shape(shape);
        const auto from_item = [&](std::int64_t item) {
            return std::partition_point(rows.begin(), rows.end(),
                                        [&](const StepRow& r) { return r.item < item; });
        };
        const auto begin = from_item(first_item_);
        const auto end = from_item(end_item_);
        lanes.resize(static_cast<std::size_t>(end - begin));
        std::size_t count = 0;
        for (auto row = begin; row != end; ++row) {
            const std::int32_t image = image_numbers_[row->object];
            if (image >= 0) {
                lanes[count++] = {plus({static_cast<std::int32_t>(row->x), row->y}, shift),
                                  static_cast<std::uint16_t>(image),
                                  static_cast<std::uint16_t>(row->item - first_item_)};
            }
        }
        lanes.resize(count);
    }

    std::shared_ptr<const TraceChunks> chunks_;
    int launch_;
    std::int64_t group_;
    std::int64_t first_item_;
    std::int64_t end_item_;
    std::span<const std::int32_t> image_numbers_;
    std::span<const Place> places_; ///< still to be read
    std::shared_ptr<const StepChunk> chunk_;
    StepRange position_;
    std::vector<Shape> shapes_; ///< of the chunk
};

bool has_layers(const TracedImage& image)
{
    return image.depth > 1;
}

/// How many reads are left out.
std::int64_t reads_of_layers(const TraceChunks::LaunchChunks& launch)
{
    std::int64_t reads = 0;
    for (std::size_t i = 0; i < launch.launch.images.size(); ++i) {
        reads += has_layers(launch.launch.images[i]) ? launch.totals.reads[i] : 0;
    }
    return reads;
}

class FileSource final : public TraceSource {
public:
    FileSource(std::shared_ptr<const TraceChunks> chunks, int launch)
        : chunks_(std::move(chunks)), launch_(launch),
          name_(chunks_->launches()[static_cast<std::size_t>(launch)].launch.kernel)
    {
        const TraceChunks::LaunchChunks& read =
            chunks_->launches()[static_cast<std::size_t>(launch)];
        const auto& images = read.launch.images;
        for (const TracedImage& image : images) {
            numbers_.push_back(has_layers(image) ? -1 : static_cast<std::int32_t>(images_.size()));
            if (!has_layers(image)) {
                images_.push_back({.name = image.name,
                                   .extent = {image.width, image.height},
                                   .bytes_per_texel = Bytes{image.bytes_per_texel},
                                   .address_mode = image.address_mode,
                                   .row_multiple = image.is_linear() ? 1 : 0});
            }
        }
        // Work-items that read layered images alone read nothing here, so the table of groups in
        // the file, which counts them, cannot be taken.
        groups_ =
            reads_of_layers(read) == 0
                ? read.groups
                : chunks_->count(launch, [&](std::uint16_t image) { return numbers_[image] >= 0; })
                      .groups;
    }

    [[nodiscard]] const std::string& name() const override { return name_; }
    [[nodiscard]] std::span<const Image> images() const override { return images_; }
    [[nodiscard]] std::int64_t group_count() const override
    {
        return groups_.size() == 0 ? 0 : groups_.group(groups_.size() - 1) + 1;
    }
    [[nodiscard]] std::int64_t next_group(std::int64_t from) const override
    {
        const std::size_t i = groups_.find(from);
        return i == groups_.size() ? group_count() : groups_.group(i);
    }
    [[nodiscard]] std::vector<std::int32_t> warps(std::int64_t group, int warp_size) const override
    {
        std::vector<std::int32_t> present;
        const std::size_t i = groups_.find(group);
        if (i < groups_.size() && groups_.group(i) == group) {
            for (const ItemRange& range : groups_.ranges(i)) {
                const std::int64_t first = range.first / warp_size;
                const std::int64_t last = range.last / warp_size;
                // Two ranges of items may lie in the same warp: it is listed once.
                for (std::int64_t warp = !present.empty() && present.back() == first ? first + 1
                                                                                     : first;
                     warp <= last; ++warp) {
                    present.push_back(static_cast<std::int32_t>(warp));
                }
            }
        }
        return present;
    }
    [[nodiscard]] std::unique_ptr<WarpStream> open(std::int64_t group, std::int32_t warp,
                                                   int warp_size) const override
    {
        const std::int64_t first = std::int64_t{warp} * warp_size;
        return std::make_unique<FileStream>(chunks_, launch_, group, first, first + warp_size,
                                            numbers_);
    }

private:
    std::shared_ptr<const TraceChunks> chunks_;
    int launch_;
    std::string name_;
    std::vector<Image> images_;
    std::vector<std::int32_t> numbers_; ///< of the launch's images here; -1: left out
    GroupTable groups_;
};

} // namespace

std::int64_t TraceFile::left_out(int number) const
{
    return reads_of_layers(launch_chunks(number));
}

std::unique_ptr<TraceSource> TraceFile::source(int number) const
{
    return std::make_unique<FileSource>(chunks_, number);
}

} // namespace texelscope::traces
