#pragma once

#include "traces/native/replay_images.hpp"
#include "traces/native/trace_chunks.hpp"
#include "traces/trace_source.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace texelscope::traces {

/// A work-item of a recorded group, and the lane that does what it did.
struct ItemLane {
    std::int32_t item = 0;
    std::uint16_t lane = 0;
    bool reads_images = true;
};

/// Some work-items of a recorded group, ascending.
struct GroupPart {
    std::int64_t group = 0;
    std::vector<ItemLane> items;
};

/// The steps of one recorded group that are in some chunks, in order. `chunks` must outlive this.
class StepCursor {
public:
    StepCursor(const TraceChunks& chunks, int launch, std::span<const TraceChunks::Place> places,
               std::int64_t group);

    [[nodiscard]] bool at_end() const { return position_.begin == position_.end; }
    /// Not at the end, here and below.
    [[nodiscard]] const StepChunk::Step& step() const { return chunk_->steps[position_.begin]; }
    /// Not yet moved to where the step is.
    [[nodiscard]] std::span<const StepRow> rows() const { return chunk_->shape(step().shape); }
    void advance();

private:
    void find_steps();

    const TraceChunks* chunks_;
    int launch_;
    std::int64_t group_;
    std::span<const TraceChunks::Place> places_; ///< still to be read
    std::shared_ptr<const StepChunk> chunk_;
    StepRange position_;
};

/// The reads of a part of a recorded group, step after step.
///
/// Without reads of buffers, steps are those of the file. With them, the k-th step of a work-item
/// is the k-th texel that it reads, of images and buffers in its program order; a read of several
/// texels of a buffer takes as many steps. The file has image reads apart from the rest, and an
/// access of the rest has the number of all accesses before it. So, of a work-item's i-th access of
/// the rest with number p, p - i image reads are before it.
///
/// Both are read side by side. A step is handed out when nothing that is not yet read can belong
/// to it; only what lies between the work-items that are ahead and those that are behind is held.
class GroupReads {
public:
    /// `chunks` and `images` must outlive this.
    GroupReads(const TraceChunks& chunks, int launch, const ReplayImages& images,
               const GroupPart& part);

    /// Goes on to the first step that has not been taken; false where there is none.
    bool prepare();
    /// That step's number.
    [[nodiscard]] std::uint64_t step() const { return pending_.begin()->first; }
    /// Adds the reads of that step to `lanes`.
    void take(std::vector<LaneRead>& lanes);

private:
    /// Texels that a lane reads in successive steps.
    struct Reads {
        LaneRead read;
        std::int64_t buffer_texel = 0;
        std::int64_t left = 1; ///< more than 1: of a buffer
    };
    /// A read of a buffer, and how many image reads come before it.
    struct Waiting {
        std::uint64_t images_before = 0;
        ReplayImages::BufferTexels texels;
    };
    struct Item {
        ItemLane lane;
        std::uint64_t next_step = 0;     ///< the first one that is free
        std::uint64_t images = 0;        ///< image reads so far
        std::uint64_t others = 0;        ///< other accesses so far
        std::uint64_t buffer_texels = 0; ///< in steps that are known
        std::deque<Waiting> waiting = {};
    };

    /// Lower bounds of the steps of what has not been read.
    [[nodiscard]] std::uint64_t bound_of_images() const;
    [[nodiscard]] std::uint64_t bound_of_others() const;
    void read_images();
    void read_others();
    /// Gives steps to the reads of buffers whose image reads are all there.
    void place_waiting(Item& item);
    void add(Item& item, std::uint64_t step, const Reads& reads);
    /// Calls `visit` with each of our items that has a row in the step, and the row.
    template <class Visit>
    void for_rows(const StepCursor& cursor, Visit visit);

    const ReplayImages* images_;
    std::vector<Item> items_; ///< ascending
    StepCursor reads_;        ///< at its end where no item of ours reads an image
    StepCursor others_;       ///< at its end where no buffers are replayed
    std::uint64_t taken_ = 0; ///< steps below have been handed out
    std::map<std::uint64_t, std::vector<Reads>> pending_;
};

/// A warp of work-items of any recorded groups: lanes do their k-th steps at the same time.
class ReplayStream final : public WarpStream {
public:
    ReplayStream(std::shared_ptr<const TraceChunks> chunks, int launch,
                 std::shared_ptr<const ReplayImages> images, const std::vector<GroupPart>& parts);
    bool next(WarpAccess& access) override;

private:
    std::shared_ptr<const TraceChunks> chunks_;
    std::shared_ptr<const ReplayImages> images_;
    std::vector<GroupReads> parts_; ///< those with steps left
};

} // namespace texelscope::traces
