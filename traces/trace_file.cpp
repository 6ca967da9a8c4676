#include "traces/trace_file.hpp"

#include "traces/trace_chunks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>

namespace texelscope {
namespace {

using Place = TraceChunks::Place;

/// The chunks that hold steps of a group.
std::span<const Place> chunks_of(const std::vector<Place>& places, std::int64_t group)
{
    const auto begin =
        std::partition_point(places.begin(), places.end(), [&](const Place& p) { return p.header.last_group < group; });
    const auto end =
        std::partition_point(begin, places.end(), [&](const Place& p) { return p.header.first_group <= group; });
    return {begin, end};
}

struct StepRange {
    std::size_t begin = 0;
    std::size_t end = 0;
};
StepRange steps_of(const StepChunk& chunk, std::int64_t group)
{
    std::size_t begin = 0;
    for (const StepChunk::Segment& segment : chunk.segments) {
        if (segment.group == group) {
            return {begin, begin + segment.steps};
        }
        begin += segment.steps;
    }
    return {begin, begin};
}

/// The reads of one warp. What its lanes are in a shape is found out once for each chunk.
class FileStream final : public WarpStream {
public:
    FileStream(std::shared_ptr<const TraceChunks> chunks, int launch, std::int64_t group, std::int64_t first_item,
               std::int64_t end_item, std::span<const std::int32_t> image_numbers)
        : chunks_(std::move(chunks)), launch_(launch), group_(group), first_item_(first_item), end_item_(end_item),
          image_numbers_(image_numbers),
          places_(chunks_of(chunks_->launches()[static_cast<std::size_t>(launch)].reads, group))
    {}

    bool next(WarpAccess& access) override { return next(access, false); }
    bool next_repeated(WarpAccess& access) override { return next(access, true); }

private:
    struct Lanes {
        std::size_t begin = 0;
        std::size_t count = 0;
        bool is_known = false;
        std::shared_ptr<RepeatedLanes> repeated; ///< from the second time on
    };

    bool next(WarpAccess& access, bool may_repeat)
    {
        access.repeated = nullptr;
        while (true) {
            if (position_.begin == position_.end) {
                if (places_.empty()) {
                    return false;
                }
                chunk_ = chunks_->steps(launch_, places_.front());
                places_ = places_.subspan(1);
                position_ = steps_of(*chunk_, group_);
                lanes_.clear();
                known_.assign(chunk_->shape_count(), {});
                continue;
            }
            const StepChunk::Step& step = chunk_->steps[position_.begin++];
            Lanes& known = known_[step.shape];
            const bool is_new = !known.is_known;
            if (is_new) {
                known = find(step.shape);
            }
            if (known.count == 0) {
                continue;
            }
            access.step = step.number;
            if (may_repeat && !is_new) {
                if (!known.repeated) {
                    const auto begin = lanes_.begin() + static_cast<std::ptrdiff_t>(known.begin);
                    known.repeated = std::make_shared<RepeatedLanes>(
                        RepeatedLanes{{begin, begin + static_cast<std::ptrdiff_t>(known.count)}});
                }
                access.repeated = known.repeated;
                access.shift = {static_cast<std::int32_t>(step.x), static_cast<std::int32_t>(step.y)};
                return true;
            }
            access.lanes.resize(known.count);
            const LaneRead* const from = lanes_.data() + known.begin;
            LaneRead* const to = access.lanes.data();
            const auto x = static_cast<std::uint32_t>(step.x); // modulo 2^32
            const auto y = static_cast<std::uint32_t>(step.y);
            for (std::size_t i = 0; i < known.count; ++i) {
                to[i] = {Texel{static_cast<std::int32_t>(static_cast<std::uint32_t>(from[i].texel.x) + x),
                               static_cast<std::int32_t>(static_cast<std::uint32_t>(from[i].texel.y) + y)},
                         from[i].image, from[i].lane};
            }
            return true;
        }
    }

    Lanes find(std::uint32_t shape)
    {
        const auto rows = chunk_->shape(shape);
        const std::size_t begin = lanes_.size();
        auto row =
            std::partition_point(rows.begin(), rows.end(), [&](const StepRow& r) { return r.item < first_item_; });
        for (; row != rows.end() && row->item < end_item_; ++row) {
            const std::int32_t image = image_numbers_[row->object];
            if (image >= 0) {
                lanes_.push_back({Texel{static_cast<std::int32_t>(row->x), row->y}, static_cast<std::uint16_t>(image),
                                  static_cast<std::uint16_t>(row->item - first_item_)});
            }
        }
        return {begin, lanes_.size() - begin, true, nullptr};
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
    std::vector<LaneRead> lanes_; ///< of the shapes of the chunk that came up
    std::vector<Lanes> known_;    ///< by shape
};

bool has_layers(const TracedImage& image)
{
    return image.depth > 1;
}

class FileSource final : public TraceSource {
public:
    FileSource(const TraceFile& file, int launch)
        : chunks_(file.chunks()), launch_(launch), name_(file.launch(launch).kernel)
    {
        const auto& images = file.launch(launch).images;
        for (const TracedImage& image : images) {
            numbers_.push_back(has_layers(image) ? -1 : static_cast<std::int32_t>(images_.size()));
            if (!has_layers(image)) {
                images_.push_back(
                    {image.name, {image.width, image.height}, Bytes{image.bytes_per_texel}, image.address_mode});
            }
        }
        // Who reads layers alone does not read here.
        groups_ = file.left_out(launch) == 0
                      ? file.groups(launch)
                      : chunks_->count(launch, [&](std::uint16_t image) { return numbers_[image] >= 0; }).groups;
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
                for (std::int64_t warp = !present.empty() && present.back() == first ? first + 1 : first; warp <= last;
                     ++warp) {
                    present.push_back(static_cast<std::int32_t>(warp));
                }
            }
        }
        return present;
    }
    [[nodiscard]] std::unique_ptr<WarpStream> open(std::int64_t group, std::int32_t warp, int warp_size) const override
    {
        const std::int64_t first = std::int64_t{warp} * warp_size;
        return std::make_unique<FileStream>(chunks_, launch_, group, first, first + warp_size, numbers_);
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

TraceFile::TraceFile(const std::string& path, Damage damage)
    : chunks_(std::make_shared<const TraceChunks>(path, map_file(path), damage == Damage::salvage))
{}

TraceFile::TraceFile(std::string name, std::string bytes, Damage damage)
    : chunks_(
          std::make_shared<const TraceChunks>(std::move(name), held_bytes(std::move(bytes)), damage == Damage::salvage))
{}

const std::string& TraceFile::name() const
{
    return chunks_->name();
}

const std::string& TraceFile::program() const
{
    return chunks_->program();
}

int TraceFile::launch_count() const
{
    return static_cast<int>(chunks_->launches().size());
}

const TracedLaunch& TraceFile::launch(int number) const
{
    return chunks_->launches()[static_cast<std::size_t>(number)].launch;
}

const TraceTotals& TraceFile::totals(int number) const
{
    return chunks_->launches()[static_cast<std::size_t>(number)].totals;
}

const GroupTable& TraceFile::groups(int number) const
{
    return chunks_->launches()[static_cast<std::size_t>(number)].groups;
}

const std::vector<std::string>& TraceFile::damages() const
{
    return chunks_->damages();
}

std::int64_t TraceFile::left_out(int number) const
{
    std::int64_t reads = 0;
    for (std::size_t i = 0; i < launch(number).images.size(); ++i) {
        reads += has_layers(launch(number).images[i]) ? totals(number).reads[i] : 0;
    }
    return reads;
}

std::unique_ptr<TraceSource> TraceFile::source(int number) const
{
    return std::make_unique<FileSource>(*this, number);
}

std::vector<TracedItem> TraceFile::group(int number, std::int64_t group) const
{
    struct Item {
        std::vector<TracedAccess> reads;
        std::vector<std::pair<std::uint32_t, TracedAccess>> others; ///< with their place among all
    };
    std::map<std::int32_t, Item> items;
    const TraceChunks::LaunchChunks& launch = chunks_->launches()[static_cast<std::size_t>(number)];
    for (const bool reads : {true, false}) {
        for (const Place& place : chunks_of(reads ? launch.reads : launch.others, group)) {
            const auto chunk = chunks_->steps(number, place);
            const StepRange range = steps_of(*chunk, group);
            for (std::size_t i = range.begin; i < range.end; ++i) {
                for (const StepRow& row : chunk->rows_of(chunk->steps[i])) {
                    Item& item = items[row.item];
                    if (reads) {
                        item.reads.push_back(access_of(row));
                    } else {
                        item.others.emplace_back(chunk->steps[i].number, access_of(row));
                    }
                }
            }
        }
    }
    std::vector<TracedItem> in_order;
    for (const auto& [number_in_group, item] : items) {
        TracedItem one{number_in_group, {}};
        auto read = item.reads.begin();
        for (const auto& [place, access] : item.others) {
            while (one.accesses.size() < place && read != item.reads.end()) {
                one.accesses.push_back(*read++);
            }
            one.accesses.push_back(access);
        }
        one.accesses.insert(one.accesses.end(), read, item.reads.end());
        in_order.push_back(std::move(one));
    }
    return in_order;
}

bool is_native_trace(const std::string& path)
{
    std::ifstream in(path, std::ios::binary);
    std::array<char, framing::file_magic.size()> begin{};
    in.read(begin.data(), begin.size());
    return std::string_view(begin.data(), static_cast<std::size_t>(in.gcount())) == framing::file_magic;
}

TraceSteps::TraceSteps(const TraceFile& file, int launch, bool reads)
    : chunks_(file.chunks()), launch_(launch), reads_(reads)
{}

bool TraceSteps::next()
{
    const TraceChunks::LaunchChunks& launch = chunks_->launches()[static_cast<std::size_t>(launch_)];
    const std::vector<Place>& places = reads_ ? launch.reads : launch.others;
    while (chunk_ == nullptr || position_ == chunk_->steps.size()) {
        if (next_chunk_ == places.size()) {
            return false;
        }
        chunk_ = chunks_->steps(launch_, places[next_chunk_++]);
        segment_ = 0;
        in_segment_ = 0;
        position_ = 0;
    }
    if (in_segment_ == chunk_->segments[segment_].steps) {
        ++segment_;
        in_segment_ = 0;
    }
    ++in_segment_;
    const StepChunk::Step& step = chunk_->steps[position_++];
    group_ = chunk_->segments[segment_].group;
    step_ = step.number;
    rows_.clear();
    for (const StepRow& row : chunk_->shape(step.shape)) {
        rows_.push_back(moved(row, step));
    }
    return true;
}

} // namespace texelscope
