#include "traces/native/group_reads.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace texelscope::traces {
namespace {

constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

/// The steps of a group among these chunks, or none where they are not wanted.
StepCursor cursor(const TraceChunks& chunks, int launch,
                  const std::vector<TraceChunks::Place>& places, std::int64_t group, bool wanted)
{
    return {chunks, launch,
            wanted ? chunks_of(places, group) : std::span<const TraceChunks::Place>{}, group};
}

} // namespace

StepCursor::StepCursor(const TraceChunks& chunks, int launch,
                       std::span<const TraceChunks::Place> places, std::int64_t group)
    : chunks_(&chunks), launch_(launch), group_(group), places_(places)
{
    find_steps();
}

void StepCursor::advance()
{
    ++position_.begin;
    find_steps();
}

void StepCursor::find_steps()
{
    while (at_end() && !places_.empty()) {
        chunk_ = chunks_->steps(launch_, places_.front());
        places_ = places_.subspan(1);
        position_ = steps_of(*chunk_, group_);
    }
    if (at_end()) {
        chunk_ = nullptr;
    }
}

GroupReads::GroupReads(const TraceChunks& chunks, int launch, const ReplayImages& images,
                       const GroupPart& part)
    : images_(&images),
      reads_(cursor(chunks, launch, chunks.launches()[static_cast<std::size_t>(launch)].reads,
                    part.group, std::ranges::any_of(part.items, &ItemLane::reads_images))),
      others_(cursor(chunks, launch, chunks.launches()[static_cast<std::size_t>(launch)].others,
                     part.group, images.reads_buffers()))
{
    for (const ItemLane& lane : part.items) {
        items_.push_back({.lane = lane});
    }
}

// Items and rows ascend alike.
template <class Visit>
void GroupReads::for_rows(const StepCursor& cursor, Visit visit)
{
    const std::span<const StepRow> rows = cursor.rows();
    auto row = rows.begin();
    for (Item& item : items_) {
        row = std::partition_point(row, rows.end(),
                                   [&](const StepRow& r) { return r.item < item.lane.item; });
        if (row == rows.end()) {
            return;
        }
        if (row->item == item.lane.item) {
            visit(item, *row);
        }
    }
}

void GroupReads::add(Item& item, std::uint64_t step, const Reads& reads)
{
    // A file that was not written by us may have steps that are out of line: then later ones are
    // taken.
    const std::uint64_t free = std::max({step, item.next_step, taken_});
    pending_[free].push_back(reads);
    item.next_step = free + static_cast<std::uint64_t>(reads.left);
}

void GroupReads::place_waiting(Item& item)
{
    const bool no_more_images = reads_.at_end() || !item.lane.reads_images;
    while (!item.waiting.empty() &&
           (no_more_images || item.waiting.front().images_before <= item.images)) {
        const auto [images_before, texels] = item.waiting.front();
        item.waiting.pop_front();
        add(item, images_before + item.buffer_texels,
            {{{}, texels.image, item.lane.lane}, texels.first, texels.count});
        item.buffer_texels += static_cast<std::uint64_t>(texels.count);
    }
}

void GroupReads::read_others()
{
    const StepChunk::Step& step = others_.step();
    for_rows(others_, [&](Item& item, const StepRow& row) {
        const std::uint64_t before =
            step.number - std::min<std::uint64_t>(step.number, item.others);
        ++item.others;
        const ReplayImages::BufferTexels texels = images_->buffer_texels(moved(row, step));
        if (texels.count > 0) {
            item.waiting.push_back({before, texels});
            place_waiting(item);
        }
    });
    others_.advance();
}

void GroupReads::read_images()
{
    // Reads of buffers that come before are to be known.
    const auto waits = [&] {
        bool any = false;
        for_rows(reads_, [&](const Item& item, const StepRow&) {
            any = any || others_.step().number <= item.images + item.others;
        });
        return any;
    };
    while (!others_.at_end() && waits()) {
        read_others();
    }
    const StepChunk::Step& step = reads_.step();
    for_rows(reads_, [&](Item& item, const StepRow& row) {
        add(item, step.number + item.buffer_texels,
            {images_->image_read(moved(row, step), item.lane.lane)});
        ++item.images;
        place_waiting(item);
    });
    reads_.advance();
    if (reads_.at_end()) {
        for (Item& item : items_) {
            place_waiting(item);
        }
    }
}

std::uint64_t GroupReads::bound_of_images() const
{
    if (reads_.at_end()) {
        return never;
    }
    std::uint64_t least = never;
    for (const Item& item : items_) {
        least = item.lane.reads_images ? std::min(least, item.buffer_texels) : least;
    }
    return reads_.step().number + least;
}

std::uint64_t GroupReads::bound_of_others() const
{
    std::uint64_t least = never;
    for (const Item& item : items_) {
        if (!item.waiting.empty()) {
            least = std::min(least, item.waiting.front().images_before + item.buffer_texels);
        } else if (!others_.at_end()) {
            const std::uint64_t number = others_.step().number;
            least = std::min(least, number - std::min<std::uint64_t>(number, item.others) +
                                        item.buffer_texels);
        }
    }
    return least;
}

bool GroupReads::prepare()
{
    while (true) {
        const std::uint64_t images = bound_of_images();
        const std::uint64_t others = bound_of_others();
        if (!pending_.empty() && pending_.begin()->first < std::min(images, others)) {
            return true;
        }
        if (!reads_.at_end() && (images <= others || others_.at_end())) {
            read_images();
        } else if (!others_.at_end()) {
            read_others();
        } else {
            return !pending_.empty();
        }
    }
}

void GroupReads::take(std::vector<LaneRead>& lanes)
{
    auto node = pending_.extract(pending_.begin());
    taken_ = node.key() + 1;
    for (Reads& reads : node.mapped()) {
        if (images_->images()[reads.read.image].buffer) {
            reads.read.texel = images_->buffer_texel(reads.read.image, reads.buffer_texel);
        }
        lanes.push_back(reads.read);
        if (reads.left > 1) {
            // modulo 2^64: a file may say anything
            reads.buffer_texel =
                static_cast<std::int64_t>(static_cast<std::uint64_t>(reads.buffer_texel) + 1);
            --reads.left;
            pending_[taken_].push_back(reads);
        }
    }
}

ReplayStream::ReplayStream(std::shared_ptr<const TraceChunks> chunks, int launch,
                           std::shared_ptr<const ReplayImages> images,
                           const std::vector<GroupPart>& parts)
    : chunks_(std::move(chunks)), images_(std::move(images))
{
    for (const GroupPart& part : parts) {
        GroupReads reads(*chunks_, launch, *images_, part);
        if (reads.prepare()) {
            parts_.push_back(std::move(reads));
        }
    }
}

bool ReplayStream::next(WarpAccess& access)
{
    access.repeated = nullptr;
    access.lanes.clear();
    if (parts_.empty()) {
        return false;
    }
    std::uint64_t step = never;
    for (const GroupReads& part : parts_) {
        step = std::min(step, part.step());
    }
    if (step > std::numeric_limits<std::uint32_t>::max()) {
        throw bad_input(fmt::format("a work-item reads more than {} texels",
                                    std::numeric_limits<std::uint32_t>::max()),
                        chunks_->name(), "record fewer work-groups, or a shorter launch");
    }
    access.step = static_cast<std::uint32_t>(step);
    std::erase_if(parts_, [&](GroupReads& part) {
        if (part.step() != step) {
            return false;
        }
        part.take(access.lanes);
        return !part.prepare();
    });
    std::ranges::sort(access.lanes, {}, &LaneRead::lane);
    return true;
}

} // namespace texelscope::traces
