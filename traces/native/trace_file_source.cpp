// A launch of a native trace file as a TraceSource. Chunks are decoded when a stream comes to them,
// and TraceChunks keeps those decoded last for the streams of other warps. Image reads in the
// groups that were recorded have a stream of their own (FileStream); buffers and groups of another
// size take ReplayStream.

#include "traces/native/group_reads.hpp"
#include "traces/native/regrouping.hpp"
#include "traces/native/replay_images.hpp"
#include "traces/native/trace_file.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace texelscope::traces {
namespace {

using Place = TraceChunks::Place;

/// The image reads of one warp. Most shapes come up once, or again and again. From its second use
/// on, the lanes of a shape are kept, and a use only moves them; next_repeated() hands out the kept
/// lanes themselves. Where a shape reads images with layers, its image changes as it moves, and
/// nothing is kept.
class FileStream final : public WarpStream {
public:
    FileStream(std::shared_ptr<const TraceChunks> chunks, int launch, std::int64_t group,
               std::int64_t first_item, std::int64_t end_item,
               std::shared_ptr<const ReplayImages> images)
        : chunks_(std::move(chunks)), launch_(launch), group_(group), first_item_(first_item),
          end_item_(end_item), images_(std::move(images)),
          places_(chunks_of(chunks_->launches()[static_cast<std::size_t>(launch)].reads, group))
    {}

    bool next(WarpAccess& access) override { return next(access, false); }
    bool next_repeated(WarpAccess& access) override { return next(access, true); }

private:
    struct Shape {
        bool came_up = false;
        bool has_lanes = true; ///< of this warp
        bool is_plain = true;  ///< reads images without layers
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
            if (!shape.came_up || !shape.is_plain) {
                shape.came_up = true;
                access.repeated = nullptr;
                shape.is_plain = put_lanes(access.lanes, step.shape, step);
                shape.has_lanes = !access.lanes.empty();
                if (!shape.has_lanes) {
                    continue;
                }
                return true;
            }
            if (!shape.repeated) {
                shape.repeated = std::make_shared<RepeatedLanes>();
                (void)put_lanes(shape.repeated->lanes, step.shape, {});
            }
            const Texel shift{static_cast<std::int32_t>(step.x), step.y}; // modulo 2^32
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

    /// Replaces `lanes` by what this warp does in a shape that is moved by a step. False where an
    /// image with layers is among what it reads.
    bool put_lanes(std::vector<LaneRead>& lanes, std::uint32_t shape,
                   const StepChunk::Step& step) const
    {
        const auto rows = chunk_->shape(shape);
        const auto from_item = [&](std::int64_t item) {
            return std::partition_point(rows.begin(), rows.end(),
                                        [&](const StepRow& r) { return r.item < item; });
        };
        const auto begin = from_item(first_item_);
        const auto end = from_item(end_item_);
        bool is_plain = true;
        lanes.clear();
        for (auto row = begin; row != end; ++row) {
            is_plain = is_plain && images_->is_plain(row->object);
            lanes.push_back(images_->image_read(
                moved(*row, step), static_cast<std::uint16_t>(row->item - first_item_)));
        }
        return is_plain;
    }

    std::shared_ptr<const TraceChunks> chunks_;
    int launch_;
    std::int64_t group_;
    std::int64_t first_item_;
    std::int64_t end_item_;
    std::shared_ptr<const ReplayImages> images_;
    std::span<const Place> places_; ///< still to be read
    std::shared_ptr<const StepChunk> chunk_;
    StepRange position_;
    std::vector<Shape> shapes_; ///< of the chunk
};

/// What sources of a launch share: its images, and who reads.
class ReplaySource : public TraceSource {
public:
    ReplaySource(std::shared_ptr<const TraceChunks> chunks, int launch,
                 std::shared_ptr<const ReplayImages> images)
        : chunks_(std::move(chunks)), launch_(launch), images_(std::move(images)),
          name_(recorded().launch.kernel)
    {
        if (images_->reads_buffers()) {
            readers_ = united(recorded().groups, images_->buffer_readers());
        }
    }

    [[nodiscard]] const std::string& name() const override { return name_; }
    [[nodiscard]] std::span<const Image> images() const override { return images_->images(); }

protected:
    [[nodiscard]] const TraceChunks::LaunchChunks& recorded() const
    {
        return chunks_->launches()[static_cast<std::size_t>(launch_)];
    }
    /// The work-items that read something.
    [[nodiscard]] const GroupTable& readers() const
    {
        return images_->reads_buffers() ? readers_ : recorded().groups;
    }
    [[nodiscard]] std::unique_ptr<WarpStream> replay(const std::vector<GroupPart>& parts) const
    {
        return std::make_unique<ReplayStream>(chunks_, launch_, images_, parts);
    }

    std::shared_ptr<const TraceChunks> chunks_;
    int launch_;
    std::shared_ptr<const ReplayImages> images_;

private:
    std::string name_;
    GroupTable readers_;
};

/// In the groups that were recorded.
class FileSource final : public ReplaySource {
public:
    using ReplaySource::ReplaySource;

    [[nodiscard]] std::int64_t group_count() const override
    {
        return readers().size() == 0 ? 0 : readers().group(readers().size() - 1) + 1;
    }
    [[nodiscard]] std::int64_t next_group(std::int64_t from) const override
    {
        const std::size_t i = readers().find(from);
        return i == readers().size() ? group_count() : readers().group(i);
    }
    [[nodiscard]] std::vector<std::int32_t> warps(std::int64_t group, int warp_size) const override
    {
        std::vector<std::int32_t> present;
        const std::size_t i = readers().find(group);
        if (i < readers().size() && readers().group(i) == group) {
            for (const ItemRange& range : readers().ranges(i)) {
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
        if (!images_->reads_buffers()) {
            return std::make_unique<FileStream>(chunks_, launch_, group, first, first + warp_size,
                                                images_);
        }
        GroupPart part{group, {}};
        for (std::int64_t item = first; item < first + warp_size; ++item) {
            if (readers().has(group, item)) {
                part.items.push_back({static_cast<std::int32_t>(item),
                                      static_cast<std::uint16_t>(item - first),
                                      recorded().groups.has(group, item)});
            }
        }
        return replay({part});
    }
};

/// In groups of another size.
class RegroupedSource final : public ReplaySource {
public:
    RegroupedSource(std::shared_ptr<const TraceChunks> chunks, int launch,
                    std::shared_ptr<const ReplayImages> images,
                    const std::array<std::int64_t, 3>& local)
        : ReplaySource(std::move(chunks), launch, std::move(images)),
          groups_(recorded().launch, local, readers(), recorded().groups, chunks_->name())
    {}

    [[nodiscard]] std::int64_t group_count() const override { return groups_.group_count(); }
    [[nodiscard]] std::int64_t next_group(std::int64_t from) const override
    {
        return groups_.next_group(from);
    }
    [[nodiscard]] std::vector<std::int32_t> warps(std::int64_t group, int warp_size) const override
    {
        return groups_.warps(group, warp_size);
    }
    [[nodiscard]] std::unique_ptr<WarpStream> open(std::int64_t group, std::int32_t warp,
                                                   int warp_size) const override
    {
        return replay(groups_.parts(group, warp, warp_size));
    }

private:
    Regrouping groups_;
};

} // namespace

std::unique_ptr<TraceSource> TraceFile::source(int number, const ReplayOptions& options) const
{
    auto images = std::make_shared<const ReplayImages>(*chunks_, number, options.buffers);
    // In the groups as they are, the file need not be looked at by where its work-items are.
    if (options.local && *options.local != launch(number).local) {
        return std::make_unique<RegroupedSource>(chunks_, number, std::move(images),
                                                 *options.local);
    }
    return std::make_unique<FileSource>(chunks_, number, std::move(images));
}

} // namespace texelscope::traces
