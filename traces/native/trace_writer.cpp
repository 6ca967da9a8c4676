// Writes a native trace as a stream. Steps collect in two builders (image reads, other accesses)
// until one is full; then it becomes a chunk. The places of all chunks are kept for the index,
// which is written last.

#include "traces/native/trace_writer.hpp"

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "traces/native/byte_columns.hpp"
#include "traces/native/group_table.hpp"
#include "traces/native/launch_description.hpp"
#include "traces/native/step_chunk_builder.hpp"
#include "traces/native/trace_index.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <stdexcept>

namespace texelscope::traces {
namespace {

using framing::ChunkHeader;
using framing::ChunkType;

constexpr int level = 3;
constexpr std::size_t groups_wanted = std::size_t{1} << 16; // in a chunk of the table of groups

ChunkHeader header_of(const StepChunk& chunk, ChunkType type, std::uint32_t launch)
{
    ChunkHeader header;
    header.type = type;
    header.launch = launch;
    header.first_group = chunk.segments.front().group;
    header.last_group = chunk.segments.back().group;
    header.first_step = chunk.steps.front().number;
    return header;
}

} // namespace

class TraceWriter::Implementation {
public:
    Implementation(std::string path, const std::string& program)
        : file_(path), path_(std::move(path))
    {
        file_.write(framing::file_header());
        put({ChunkType::program}, program_json(program), 0);
    }

    void begin_launch(TracedLaunch launch)
    {
        require(!in_launch_, "a launch begins before the one before it has ended");
        try {
            check_launch(launch);
        } catch (const std::out_of_range& error) {
            throw bad_input(error.what(), path_);
        }
        in_launch_ = true;
        launch_ = std::move(launch);
        totals_ = empty_totals(launch_);
        put(launch_header(ChunkType::launch), to_json(launch_), 0);
    }

    void add_group(std::int64_t group, std::span<const TracedItem> items)
    {
        require(in_launch_, "a group comes outside of a launch");
        check_number(group);
        for (const TracedItem& item : items) {
            require(item.item >= 0, "a work-item has a negative number");
        }
        require(!group_ || group > *group_, "a group comes out of order, or twice");
        for_each_step(items, [&](bool reads, std::uint32_t step, std::span<const StepRow> rows) {
            add(group, reads, step, rows);
        });
    }

    void add_step(std::int64_t group, std::uint32_t step, std::span<const StepRow> rows, bool reads)
    {
        require(in_launch_, "a step comes outside of a launch");
        check_number(group);
        add(group, reads, step, rows);
    }

    void end_launch()
    {
        require(in_launch_, "a launch ends that never began");
        end_group();
        for (const bool reads : {true, false}) {
            flush(reads);
        }
        flush_groups();
        put(launch_header(ChunkType::end), to_json(totals_), 0);
        in_launch_ = false;
        group_.reset();
        ++launch_number_;
    }

    void finish()
    {
        require(!in_launch_, "the file ends before the launch has ended");
        require(!finished_, "the file ends twice");
        const std::int64_t index = file_.written();
        file_.write(framing::chunk({ChunkType::index}, encode_index(index_), level));
        file_.write(framing::trailer(index));
        file_.commit();
        finished_ = true;
    }

private:
    void require(bool holds, const char* what) const
    {
        if (!holds) {
            throw bad_input(what, path_);
        }
    }

    void check_number(std::int64_t group) const
    {
        require(group >= 0, "a group has a negative number");
        require(group < std::numeric_limits<std::int64_t>::max(),
                "a group's number is too large"); // group_count() is one more
    }

    [[nodiscard]] ChunkHeader launch_header(ChunkType type) const
    {
        ChunkHeader header;
        header.type = type;
        header.launch = launch_number_;
        return header;
    }

    void put(const ChunkHeader& header, std::string_view payload, std::int64_t accesses,
             std::span<const std::size_t> cuts = {})
    {
        index_.push_back({file_.written(), header, accesses});
        file_.write(framing::chunk(header, payload, level, cuts));
    }

    void check(std::span<const StepRow> rows) const
    {
        require(!rows.empty() && rows.size() <= most_rows, "a step has too many work-items");
        for (const StepRow& row : rows) {
            const bool image = is_image(row.kind);
            if (row.object >= (image ? launch_.images.size() : launch_.buffers.size())) {
                throw bad_input(fmt::format("an access names {} {}, which the launch has not",
                                            image ? "image" : "buffer", row.object),
                                path_);
            }
        }
    }

    void add(std::int64_t group, bool reads, std::uint32_t step, std::span<const StepRow> rows)
    {
        check(rows);
        if (group_ != group) {
            require(!group_ || group > *group_, "a group comes out of order, or twice");
            end_group();
            group_ = group;
            ++totals_.groups;
        }
        for (const StepRow& row : rows) {
            traces::add(totals_, row);
        }
        if (reads) {
            note_items(rows);
        }
        builders_[reads ? 1 : 0].add(group, step, rows);
        if (builders_[reads ? 1 : 0].full()) {
            flush(reads);
        }
    }

    void note_items(std::span<const StepRow> rows)
    {
        // Mostly the same items read in every step of a group.
        if (std::equal(rows.begin(), rows.end(), items_.begin(), items_.end(),
                       [](const StepRow& row, std::int32_t item) { return row.item == item; })) {
            return;
        }
        std::vector<std::int32_t> now;
        for (const StepRow& row : rows) {
            now.push_back(row.item);
        }
        std::vector<std::int32_t> all;
        std::set_union(items_.begin(), items_.end(), now.begin(), now.end(),
                       std::back_inserter(all));
        items_ = std::move(all);
    }

    // A group ends when another begins, or the launch ends. Groups may have accesses but no reading
    // items; they are in the table all the same.
    void end_group()
    {
        if (group_) {
            groups_.add(*group_, items_);
            items_.clear();
            if (groups_.size() >= groups_wanted) {
                flush_groups();
            }
        }
    }

    void flush(bool reads)
    {
        StepChunkBuilder& builder = builders_[reads ? 1 : 0];
        if (builder.empty()) {
            return;
        }
        const StepChunk chunk = builder.take();
        const ByteWriter columns = encode(chunk);
        put(header_of(chunk, reads ? ChunkType::reads : ChunkType::others, launch_number_),
            columns.bytes(), chunk.accesses(), columns.cuts());
    }

    void flush_groups()
    {
        if (groups_.size() > 0) {
            ChunkHeader header = launch_header(ChunkType::groups);
            header.first_group = groups_.group(0);
            header.last_group = groups_.group(groups_.size() - 1);
            put(header, encode(groups_), 0);
            groups_ = {};
        }
    }

    AtomicFile file_;
    std::string path_;
    std::vector<ChunkPlace> index_;
    bool in_launch_ = false;
    bool finished_ = false;
    TracedLaunch launch_;
    std::uint32_t launch_number_ = 0;
    TraceTotals totals_;
    std::array<StepChunkBuilder, 2> builders_; ///< others, reads
    GroupTable groups_;
    std::optional<std::int64_t> group_; ///< the one under way
    std::vector<std::int32_t> items_;   ///< of that group, that have read an image
};

TraceWriter::TraceWriter(std::string path, const std::string& program)
    : implementation_(std::make_unique<Implementation>(std::move(path), program))
{}

TraceWriter::~TraceWriter() = default;

void TraceWriter::begin_launch(TracedLaunch launch)
{
    implementation_->begin_launch(std::move(launch));
}

void TraceWriter::add_group(std::int64_t group, std::span<const TracedItem> items)
{
    implementation_->add_group(group, items);
}

void TraceWriter::add_step(std::int64_t group, std::uint32_t step, std::span<const StepRow> rows,
                           bool reads)
{
    implementation_->add_step(group, step, rows, reads);
}

void TraceWriter::end_launch()
{
    implementation_->end_launch();
}

void TraceWriter::finish()
{
    implementation_->finish();
}

} // namespace texelscope::traces
