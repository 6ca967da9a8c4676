#include "experiments/study/read_stream.hpp"

#include "sim/cache/flat_map.hpp"
#include "sim/cache/lru_sets.hpp"
#include "sim/memory/image_storage.hpp"
#include "traces/launch.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace texelscope::experiments {
namespace {

constexpr std::int64_t enough_reads = 256; ///< of one work-item
constexpr std::int64_t most_lanes = 64;

/// The first read of each image in program order.
void first_reads(const std::vector<Statement>& body, std::vector<const AccessFunction*>& of_image)
{
    for (const Statement& statement : body) {
        if (const auto* access = std::get_if<AccessFunction>(&statement)) {
            auto& first = of_image[static_cast<std::size_t>(access->image)];
            first = first == nullptr ? access : first;
        } else if (const auto* loop = std::get_if<Loop>(&statement)) {
            first_reads(loop->body, of_image);
        }
    }
}

constexpr std::int64_t outside = 0;

/// The unit of memory that holds a texel, from 1 on; of one outside of its image, which touches nothing, a unit that all such share.
std::int64_t unit_of(const StoredImage& image, Texel texel, std::int64_t bytes)
{
    const std::optional<std::int64_t> address = image.address_of_read(texel);
    return address ? 1 + *address / bytes : outside;
}

/// Fills the tables of one axis, lane by lane.
class SpreadTable {
public:
    SpreadTable(LaneSpread& spread, std::size_t axis, const CacheGeometry& cache)
        : units_(spread.along[axis]), crowding_(spread.crowding[axis]), units_per_line_(cache.line / cache.granule()),
          set_of_(cache.sets(), cache.index == SetIndex::xor_folded), in_set_(static_cast<std::size_t>(cache.sets()), 0)
    {}

    void add(std::int64_t unit)
    {
        // What lies outside of the image takes no room.
        if (unit != outside && std::find(seen_.rbegin(), seen_.rend(), unit) == seen_.rend()) {
            seen_.push_back(unit);
            std::int64_t& here = in_set_[static_cast<std::size_t>(set_of_((unit - 1) / units_per_line_))];
            fullest_ = std::max(fullest_, ++here);
        }
        const double count = std::max(1.0, static_cast<double>(seen_.size()));
        units_.push_back(count);
        const double even = std::max(1.0, count / static_cast<double>(set_of_.sets()));
        crowding_.push_back(std::max(1.0, static_cast<double>(fullest_) / even));
    }

private:
    std::vector<double>& units_;
    std::vector<double>& crowding_;
    std::int64_t units_per_line_;
    SetOfLine set_of_;
    std::vector<std::int64_t> seen_;
    std::vector<std::int64_t> in_set_;
    std::int64_t fullest_ = 0;
};

Texel texel_at(const AccessFunction& access, const std::vector<std::int64_t>& values)
{
    return {static_cast<std::int32_t>(access.x.evaluate(values)), static_cast<std::int32_t>(access.y.evaluate(values))};
}

/// Puts every loop at that share of its way.
void set_loops(const std::vector<Statement>& body, double share, std::vector<std::int64_t>& values)
{
    for (const Statement& statement : body) {
        if (const auto* loop = std::get_if<Loop>(&statement)) {
            const auto slot = static_cast<std::size_t>(loop->variable.slot);
            values.resize(std::max(values.size(), slot + 1), 0);
            values[slot] = static_cast<std::int64_t>(share * static_cast<double>(loop->extent()));
            set_loops(loop->body, share, values);
        }
    }
}

class StreamMaker {
public:
    StreamMaker(const LoopNest& nest, const SimulationOptions& options)
        : options_(options), launch_(launch_of(nest)), images_(store_images(launch_.images, options)),
          granule_(options.l1.granule().value),
          line_(options.has_l2() ? options.l2.granule().value : options.l1.granule().value)
    {}

    ReadStream operator()()
    {
        ReadStream stream;
        for (const StoredImage& image : images_) {
            stream.stored_bytes += static_cast<double>(image.layout.size().value);
        }
        std::vector<const AccessFunction*> firsts(images_.size(), nullptr);
        first_reads(launch_.body, firsts);
        for (std::size_t i = 0; i < images_.size(); ++i) {
            ReadStream::Input& input = stream.inputs.emplace_back();
            for (std::size_t axis = 0; axis < 3 && firsts[i] != nullptr; ++axis) {
                add_spread(input, *firsts[i], images_[i], axis);
            }
        }
        add_reads(stream);
        return stream;
    }

private:
    /// A work-item away from the edges, so that what a kernel reads outside of an image does not count.
    [[nodiscard]] Dim3 middle() const { return {launch_.groups[0] / 2, launch_.groups[1] / 2, launch_.groups[2] / 2}; }

    /// Values of all variables at a read by the work-item in the middle that lies within the image, if there is one: what
    /// a first iteration reads, or a tap that a phase of a strided transposed convolution does not have, may lie outside.
    [[nodiscard]] std::vector<std::int64_t> inner_read(const AccessFunction& access, const StoredImage& image) const
    {
        std::vector<std::int64_t> values(slots::first_loop_slot, 0);
        const Dim3 at = middle();
        for (std::size_t i = 0; i < 3; ++i) {
            values[slots::group_x + i] = at[i];
        }
        for (const double share : {0.5, 0.25, 0.75, 0.0}) {
            set_loops(launch_.body, share, values);
            if (image.extent.contains(texel_at(access, values))) {
                break;
            }
        }
        return values;
    }

    void add_spread(ReadStream::Input& input, const AccessFunction& access, const StoredImage& image, std::size_t axis)
    {
        const int slot = slots::group_x + static_cast<int>(axis);
        if (launch_.groups[axis] < 2 || !(access.x.uses_slots(slot, slot + 1) || access.y.uses_slots(slot, slot + 1))) {
            return;
        }
        const std::int64_t lanes = std::min<std::int64_t>(most_lanes, launch_.groups[axis]);
        std::vector<std::int64_t> values = inner_read(access, image);
        const std::int64_t first =
            std::min<std::int64_t>(middle()[axis], launch_.groups[axis] - lanes) / most_lanes * most_lanes;
        SpreadTable granules(input.granules, axis, options_.l1);
        SpreadTable lines(input.lines, axis, options_.has_l2() ? options_.l2 : options_.l1);
        std::optional<SpreadTable> blocks;
        if (const Timing& timing = options_.timing; timing.texture_lanes > 0) { // no cache: all in one set
            blocks.emplace(input.blocks, axis,
                           CacheGeometry{.capacity = timing.texture_block, .line = timing.texture_block});
        }
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
            values[static_cast<std::size_t>(slot)] = first + lane;
            const Texel texel = texel_at(access, values);
            granules.add(unit_of(image, texel, granule_));
            lines.add(unit_of(image, texel, line_));
            if (blocks) {
                blocks->add(unit_of(image, texel, options_.timing.texture_block.value));
            }
        }
    }

    /// For each read of a list from number `from` on: how it finds its unit again.
    [[nodiscard]] std::vector<ReadStream::Reuse> reuses(const std::vector<ItemRead>& reads, std::int64_t bytes,
                                                        std::size_t from) const
    {
        std::vector<ReadStream::Reuse> list;
        list.reserve(reads.size() - from);
        FlatMap<std::int64_t> last; // place of the last read of a unit, plus one
        std::vector<std::int64_t> before;
        before.reserve(reads.size());
        for (std::size_t i = 0; i < reads.size(); ++i) {
            const auto image = static_cast<std::size_t>(reads[i].image);
            std::int64_t& place = last[unit_of(images_[image], reads[i].texel, bytes)];
            if (i >= from) {
                ReadStream::Reuse& reuse = list.emplace_back();
                reuse.first = place == 0;
                reuse.between.assign(images_.size(), 0);
                // Reads in between that themselves go to something that was not read since.
                for (auto at = static_cast<std::size_t>(place); place > 0 && at < i; ++at) {
                    reuse.between[static_cast<std::size_t>(reads[at].image)] += before[at] < place ? 1.0F : 0.0F;
                }
            }
            before.push_back(place);
            place = static_cast<std::int64_t>(i) + 1;
        }
        return list;
    }

    void add_reads(ReadStream& stream)
    {
        stream.code = WarpCode(&launch_, options_).totals();
        const std::int64_t all = reads_per_item(launch_.body);
        const std::int64_t iterations = longest_loop(launch_);
        const std::int64_t fewer =
            std::max<std::int64_t>(4, iterations * enough_reads / std::max<std::int64_t>(1, all));
        const Launch part = fewer < iterations ? with_longest_loop(launch_, fewer) : launch_;
        const std::vector<ItemRead> reads = item_reads(part, middle(), {0, 0, 0});
        const std::size_t steady = reads.size() < static_cast<std::size_t>(all) ? reads.size() / 2 : 0;
        const std::vector<ReadStream::Reuse> granules = reuses(reads, granule_, steady);
        const std::vector<ReadStream::Reuse> lines = reuses(reads, line_, steady);
        const double each =
            static_cast<double>(all) / static_cast<double>(std::max<std::size_t>(1, reads.size() - steady));
        for (std::size_t i = steady; i < reads.size(); ++i) {
            const auto input = static_cast<std::size_t>(reads[i].image);
            const auto same = std::find_if(stream.reads.begin(), stream.reads.end(), [&](const ReadStream::Read& r) {
                return r.input == input && r.granule == granules[i - steady] && r.line == lines[i - steady];
            });
            if (same != stream.reads.end()) {
                same->count += each;
            } else {
                stream.reads.push_back({input, granules[i - steady], lines[i - steady], each});
            }
        }
    }

    const SimulationOptions& options_;
    Launch launch_;
    std::vector<StoredImage> images_;
    std::int64_t granule_;
    std::int64_t line_;
};

} // namespace

ReadStream read_stream(const LoopNest& nest, const SimulationOptions& options)
{
    return StreamMaker(nest, options)();
}

} // namespace texelscope::experiments
