#include "workbench/study/nest_read_stream.hpp"

#include "codegen/nest/loop_nest.hpp"
#include "model/bottleneck/cache_path.hpp"
#include "sim/cache/flat_map.hpp"
#include "sim/cache/lru_sets.hpp"
#include "sim/memory/image_storage.hpp"
#include "traces/launch.hpp"

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <array>
#include <optional>

namespace texelscope::workbench::study {
namespace {

constexpr std::int64_t enough_reads = 256; ///< reads of one work-item that are looked at
constexpr std::int64_t enough_of_several =
    4096; ///< where loops follow each other, since a later loop reads what an earlier one did
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

/// The unit of reads outside of an image, see unit_of().
constexpr std::int64_t outside = 0;

/// The number, from 1 on, of the unit of memory (of `bytes` each) that holds a texel. A read
/// outside of the image touches no memory: all of these have the number `outside`.
std::int64_t unit_of(const StoredImage& image, Texel texel, std::int64_t bytes)
{
    const std::optional<std::int64_t> address = image.address_of_read(texel);
    return address ? 1 + *address / bytes : outside;
}

/// Appends to `counts`, lane by lane, how many distinct units the lanes so far touch.
class DistinctUnits {
public:
    explicit DistinctUnits(std::vector<double>& counts) : counts_(counts) {}

    void add(std::int64_t unit)
    {
        // What lies outside of the image takes no room.
        if (unit != outside && std::find(seen_.rbegin(), seen_.rend(), unit) == seen_.rend()) {
            seen_.push_back(unit);
        }
        counts_.push_back(std::max(1.0, static_cast<double>(seen_.size())));
    }

private:
    std::vector<double>& counts_;
    std::vector<std::int64_t> seen_;
};

/// A list of units, renumbered from 0 on in order of appearance.
class Numbered {
public:
    explicit Numbered(const std::vector<std::int64_t>& units) : number_(units.size())
    {
        numbers_.reserve(units.size());
        for (const std::int64_t unit : units) {
            numbers_.push_back(
                number_.try_emplace(unit, static_cast<int>(number_.size())).first->second);
        }
    }

    [[nodiscard]] const std::vector<int>& numbers() const { return numbers_; }
    /// The numbers of another list's units; -1 for a unit that this list does not have.
    [[nodiscard]] std::vector<int> numbers_of(const std::vector<std::int64_t>& units) const
    {
        std::vector<int> numbers;
        numbers.reserve(units.size());
        for (const std::int64_t unit : units) {
            const auto known = number_.find(unit);
            numbers.push_back(known == number_.end() ? -1 : known->second);
        }
        return numbers;
    }
    /// By place of this list: the last earlier place at which the other list has the same unit,
    /// plus one; 0 where there is none. `other`: numbers_of() that list.
    [[nodiscard]] std::vector<std::size_t> places_before(const std::vector<int>& other) const
    {
        std::vector<std::size_t> places;
        places.reserve(numbers_.size());
        std::vector<std::size_t> last(number_.size(), 0);
        for (std::size_t i = 0; i < numbers_.size(); ++i) {
            places.push_back(last[static_cast<std::size_t>(numbers_[i])]);
            if (other[i] >= 0) {
                last[static_cast<std::size_t>(other[i])] = i + 1;
            }
        }
        return places;
    }

private:
    FlatMap<int> number_;
    std::vector<int> numbers_;
};

Texel texel_at(const AccessFunction& access, const std::vector<std::int64_t>& values)
{
    return {static_cast<std::int32_t>(access.x.evaluate(values)),
            static_cast<std::int32_t>(access.y.evaluate(values))};
}

/// Sets every loop variable to that share (0 to 1) of its loop's iterations.
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

/// The number of loops with that many iterations; a loop inside of another such loop does not
/// count.
std::int64_t loops_of(const std::vector<Statement>& body, std::int64_t iterations)
{
    std::int64_t count = 0;
    for (const Statement& statement : body) {
        if (const auto* loop = std::get_if<Loop>(&statement)) {
            count += loop->extent() == iterations ? 1 : loops_of(loop->body, iterations);
        }
    }
    return count;
}

class StreamMaker {
public:
    StreamMaker(const LoopNest& nest, const SimulationOptions& options)
        : options_(options), launch_(launch_of(nest)),
          images_(store_images(launch_.images, options)),
          first_levels_{CacheSets(first_level(options.machine, options.kernel.buffers, false)),
                        CacheSets(first_level(options.machine, options.kernel.buffers, true))}
    {
        const CachePath path(options.machine);
        behind_.reserve(path.size());
        for (const CacheLevel* level : path) {
            Level& here = levels_.emplace_back();
            here.geometry = level->geometry;
            here.banks = level->banks.value_or(1);
            if (level == path.front()) {
                for (const Image& image : launch_.images) {
                    here.caches.push_back(
                        &first_levels_[options.kernel.past_l1(image.buffer) ? 1 : 0]);
                }
            } else {
                here.caches.assign(images_.size(), &behind_.emplace_back(level->geometry));
            }
        }
    }

    ReadStream operator()()
    {
        ReadStream stream;
        std::vector<const AccessFunction*> firsts(images_.size(), nullptr);
        first_reads(launch_.body, firsts);
        for (std::size_t i = 0; i < images_.size(); ++i) {
            ReadStream::Input& input = stream.inputs.emplace_back();
            input.buffer = launch_.images[i].buffer;
            input.stored_bytes = static_cast<double>(images_[i].layout.size().value);
            input.texel_bytes = static_cast<double>(images_[i].bytes_per_texel);
            input.levels.resize(levels_.size());
            for (std::size_t axis = 0; axis < 3 && firsts[i] != nullptr; ++axis) {
                add_spread(input, *firsts[i], i, axis);
            }
            if (launch_.group_size() > 1 && firsts[i] != nullptr) {
                input.together = together(input, *firsts[i], i);
            }
            for (std::size_t level = 0; level < levels_.size(); ++level) {
                add_runs(input.levels[level].lines, images_[i], levels_[level].geometry.line.value);
            }
        }
        add_reads(stream);
        return stream;
    }

private:
    /// By image: the cache that its reads meet.
    using Caches = std::vector<const CacheSets*>;
    /// A level of cache (ReadStream, "by level").
    struct Level {
        CacheGeometry geometry;
        Caches caches;
        int banks = 1;
    };

    /// The work-item (or group) in the middle of the grid: at the edges, reads outside of the image
    /// would distort the counts.
    [[nodiscard]] Dim3 middle() const
    {
        return {launch_.groups[0] / 2, launch_.groups[1] / 2, launch_.groups[2] / 2};
    }

    /// Values of all variables for one read by the work-item in the middle. If possible they are
    /// such that the read lies within the image: the first iteration of a loop may lie outside, and
    /// so may a tap that a phase of a strided transposed convolution does not have.
    [[nodiscard]] std::vector<std::int64_t> inner_read(const AccessFunction& access,
                                                       const StoredImage& image) const
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

    void add_spread(ReadStream::Input& input, const AccessFunction& access, std::size_t number,
                    std::size_t axis)
    {
        const StoredImage& image = images_[number];
        const int slot = slots::group_x + static_cast<int>(axis);
        if (launch_.groups[axis] < 2 ||
            !(access.x.uses_slots(slot, slot + 1) || access.y.uses_slots(slot, slot + 1))) {
            return;
        }
        const std::int64_t lanes = std::min<std::int64_t>(most_lanes, launch_.groups[axis]);
        std::vector<std::int64_t> values = inner_read(access, image);
        const std::int64_t first =
            std::min<std::int64_t>(middle()[axis], launch_.groups[axis] - lanes) / most_lanes *
            most_lanes;
        std::vector<Texel> texels;
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
            values[static_cast<std::size_t>(slot)] = first + lane;
            texels.push_back(texel_at(access, values));
        }
        for (std::size_t level = 0; level < levels_.size(); ++level) {
            const CacheGeometry& geometry = levels_[level].geometry;
            ReadStream::Input::AtLevel& at = input.levels[level];
            count_units(at.granules.along[axis], texels, image, geometry.granule());
            add_lines(at.lines.along[axis], texels, image, *levels_[level].caches[number],
                      geometry.line.value);
        }
        count_blocks(input.blocks.along[axis], texels, image);
        for_each_bank_spread(input, [&](BankSpread& spread, std::int64_t unit) {
            add_banks(spread.along[axis].banks, &spread.along[axis].lines, texels, image, unit,
                      spread.banks);
        });
    }

    /// Visits what the input knows of banks and channels, with the bytes that lie in one of them
    /// side by side; nothing where the machine has a single one.
    template <class Visit>
    void for_each_bank_spread(ReadStream::Input& input, const Visit& visit) const
    {
        for (std::size_t level = 1; level < levels_.size(); ++level) {
            if (const int banks = levels_[level].banks; banks > 1) {
                input.levels[level].banks.banks = banks;
                visit(input.levels[level].banks, levels_[level].geometry.line.value);
            }
        }
        const Timing& timing = options_.machine.timing;
        if (timing.memory_channels.value_or(1) > 1) {
            input.channels.banks = *timing.memory_channels;
            visit(input.channels, timing.memory_interleave.value);
        }
    }
    /// The banks of the distinct units that texels touch, relative to the first; and how many units
    /// the first n texels touch, where that is asked for.
    static void add_banks(std::vector<int>& banks, std::vector<std::int32_t>* counts,
                          const std::vector<Texel>& texels, const StoredImage& image,
                          std::int64_t bytes, int all)
    {
        std::vector<std::int64_t> seen;
        for (const Texel texel : texels) {
            const std::int64_t unit = unit_of(image, texel, bytes);
            if (unit != outside && std::find(seen.rbegin(), seen.rend(), unit) == seen.rend()) {
                const std::int64_t distance = (unit - (seen.empty() ? unit : seen.front())) % all;
                seen.push_back(unit);
                banks.push_back(static_cast<int>((distance + all) % all));
            }
            if (counts != nullptr) {
                counts->push_back(static_cast<std::int32_t>(seen.size()));
            }
        }
    }

    /// Appends the numbers of distinct units of memory that the first n texels touch, at [n - 1].
    static void count_units(std::vector<double>& counts, const std::vector<Texel>& texels,
                            const StoredImage& image, Bytes unit)
    {
        DistinctUnits distinct(counts);
        for (const Texel texel : texels) {
            distinct.add(unit_of(image, texel, unit.value));
        }
    }
    void count_blocks(std::vector<double>& counts, const std::vector<Texel>& texels,
                      const StoredImage& image) const
    {
        const Timing& timing = options_.machine.timing;
        if (timing.texture_lanes && timing.texture_block.value > 0) {
            count_units(counts, texels, image, timing.texture_block);
        }
    }

    [[nodiscard]] Dim3 local_id(std::int64_t item) const
    {
        return {static_cast<std::int32_t>(item % launch_.local[0]),
                static_cast<std::int32_t>(item / launch_.local[0] % launch_.local[1]),
                static_cast<std::int32_t>(item / launch_.local[0] / launch_.local[1])};
    }

    /// What the work-items of the group in the middle touch together in one read; the banks go to
    /// the input.
    [[nodiscard]] ReadStream::Together
    together(ReadStream::Input& input, const AccessFunction& access, std::size_t number) const
    {
        const StoredImage& image = images_[number];
        std::vector<std::int64_t> values = inner_read(access, image);
        std::vector<Texel> texels;
        for (std::int64_t item = 0; item < launch_.group_size(); ++item) {
            const Dim3 id = local_id(item);
            for (std::size_t axis = 0; axis < 3; ++axis) {
                values[slots::local_x + axis] = id[axis];
            }
            texels.push_back(texel_at(access, values));
        }
        ReadStream::Together group;
        for (const Level& level : levels_) {
            ReadStream::Together::AtLevel& at = group.levels.emplace_back();
            count_units(at.granules, texels, image, level.geometry.granule());
            LineSpread::Axis axis;
            add_lines(axis, texels, image, *level.caches[number], level.geometry.line.value);
            at.lines = {axis.lines.back(), axis.across.back(), axis.down.back(), {}};
            for (const int bit : axis.bits) {
                at.lines.sets.set(static_cast<std::size_t>(bit));
            }
        }
        count_blocks(group.blocks, texels, image);
        for_each_bank_spread(input, [&](BankSpread& spread, std::int64_t unit) {
            add_banks(spread.together, nullptr, texels, image, unit, spread.banks);
        });
        return group;
    }

    static void add_lines(LineSpread::Axis& axis, const std::vector<Texel>& texels,
                          const StoredImage& image, const CacheSets& cache, std::int64_t bytes)
    {
        DistinctUnits distinct(axis.lines);
        const int from = cache.bit_of(unit_of(image, texels.front(), bytes));
        auto [left, right] = std::pair(texels.front().x, texels.front().x);
        auto [top, bottom] = std::pair(texels.front().y, texels.front().y);
        for (const Texel texel : texels) {
            const std::int64_t unit = unit_of(image, texel, bytes);
            distinct.add(unit);
            axis.bits.push_back((cache.bit_of(unit) - from + cache.bits) % cache.bits);
            left = std::min(left, texel.x);
            right = std::max(right, texel.x);
            top = std::min(top, texel.y);
            bottom = std::max(bottom, texel.y);
            axis.across.push_back(right - left);
            axis.down.push_back(bottom - top);
        }
    }

    /// Numbers of distinct lines in runs of 1, 2, .. texels along a row and along a column, from
    /// the middle of an image.
    static void add_runs(LineSpread& spread, const StoredImage& image, std::int64_t bytes)
    {
        constexpr std::int32_t longest = 128;
        const Texel middle{image.extent.width / 2 / longest * longest,
                           image.extent.height / 2 / longest * longest};
        DistinctUnits in_row(spread.of_run[0]);
        for (std::int32_t x = middle.x; x < std::min(middle.x + longest, image.extent.width); ++x) {
            in_row.add(unit_of(image, {x, middle.y}, bytes));
        }
        DistinctUnits in_column(spread.of_run[1]);
        for (std::int32_t y = middle.y; y < std::min(middle.y + longest, image.extent.height);
             ++y) {
            in_column.add(unit_of(image, {middle.x, y}, bytes));
        }
    }

    [[nodiscard]] std::vector<std::int64_t> units(const std::vector<ItemRead>& reads,
                                                  std::int64_t bytes) const
    {
        std::vector<std::int64_t> list;
        list.reserve(reads.size());
        for (const ItemRead& read : reads) {
            list.push_back(
                unit_of(images_[static_cast<std::size_t>(read.image)], read.texel, bytes));
        }
        return list;
    }

    /// The reads that another work-item makes in the same order.
    struct Neighbour {
        int axis = ReadStream::Return::itself; ///< along which it is one; itself: of the same group
        std::vector<ItemRead> reads;
    };
    /// The lines that a list of reads touches in one level of cache; vectors are by read.
    struct Lines {
        std::vector<std::int64_t> units;
        /// Where its line was read before, see Numbered::places_before().
        std::vector<std::size_t> before;
        std::vector<int> bits; ///< bit of the set that holds its line, see CacheSets
        double room = 0;       ///< lines that the caches can hold together
    };
    [[nodiscard]] Lines lines_of(const std::vector<ItemRead>& reads, const Level& level) const
    {
        const Caches& caches = level.caches;
        Lines lines;
        lines.units = units(reads, level.geometry.line.value);
        const Numbered numbered(lines.units);
        lines.before = numbered.places_before(numbered.numbers());
        for (std::size_t i = 0; i < reads.size(); ++i) {
            lines.bits.push_back(
                caches[static_cast<std::size_t>(reads[i].image)]->bit_of(lines.units[i]));
        }
        for (std::size_t i = 0; i < caches.size(); ++i) {
            const auto known = caches.begin() + static_cast<std::ptrdiff_t>(i);
            lines.room +=
                std::find(caches.begin(), known, caches[i]) == known ? caches[i]->lines : 0;
        }
        return lines;
    }

    /// For each read from number `from` on: by whom its granule was read before, and which lines
    /// were touched since.
    [[nodiscard]] std::vector<ReadStream::Returns> returns(const std::vector<ItemRead>& reads,
                                                           const std::vector<Neighbour>& beside,
                                                           const Level& level,
                                                           std::size_t from) const
    {
        const std::int64_t bytes = level.geometry.granule().value;
        const Lines lines = lines_of(reads, level);
        const Numbered granules(units(reads, bytes));
        const std::vector<std::size_t> own = granules.places_before(granules.numbers());
        std::vector<ReadStream::Returns> list(reads.size() - from);
        // by read, where the window of each of its returns begins
        std::vector<std::vector<std::size_t>> begins(list.size());
        const auto add = [&](int axis, std::size_t begin, std::size_t i) {
            ReadStream::Returns& known = list[i - from];
            std::vector<std::size_t>& begins_of = begins[i - from];
            std::optional<ReadStream::Windows> same;
            for (std::size_t r = 0; r < known.size(); ++r) {
                if (begins_of[r] == begin && known[r].axis == axis) {
                    return; // another work-item of the group read it at the same moment
                }
                same = begins_of[r] == begin ? std::optional(known[r].windows) : std::move(same);
            }
            known.push_back(
                {axis, same ? std::move(*same) : windows(reads, lines, begin, i, level.caches)});
            begins_of.push_back(begin);
        };
        for (std::size_t i = from; i < reads.size(); ++i) {
            if (own[i] > 0) {
                add(ReadStream::Return::itself, own[i] - 1, i);
            }
        }
        for (const auto& [axis, made] : beside) {
            const std::vector<std::size_t> place =
                granules.places_before(granules.numbers_of(units(made, bytes)));
            for (std::size_t i = from; i < reads.size(); ++i) {
                // Only what is younger than the work-item's own last read counts.
                if (place[i] > own[i]) {
                    add(axis, place[i] - 1, i);
                }
            }
        }
        return list;
    }

    [[nodiscard]] ReadStream::Windows windows(const std::vector<ItemRead>& reads,
                                              const Lines& lines, std::size_t begin,
                                              std::size_t end, const Caches& caches) const
    {
        ReadStream::Windows windows(images_.size());
        struct Box {
            int first = -1;
            std::int32_t left = 0, right = 0, top = 0, bottom = 0;
        };
        boost::container::small_vector<Box, 2> boxes(images_.size());
        double all = 0;
        for (std::size_t at = begin; at < end && all <= lines.room;
             ++at) { // beyond the cache's room the exact number makes no difference
            if (lines.before[at] > begin || lines.units[at] == outside) {
                continue; // its line was counted already, or touches no memory
            }
            const auto image = static_cast<std::size_t>(reads[at].image);
            const Texel texel = reads[at].texel;
            const int bits = caches[image]->bits;
            LineWindow& window = windows[image];
            Box& box = boxes[image];
            if (box.first < 0) {
                box = {lines.bits[at], texel.x, texel.x, texel.y, texel.y};
            }
            box.left = std::min(box.left, texel.x);
            box.right = std::max(box.right, texel.x);
            box.top = std::min(box.top, texel.y);
            box.bottom = std::max(box.bottom, texel.y);
            window.lines += 1;
            const int bit = lines.bits[at] - box.first;
            window.sets.set(static_cast<std::size_t>(bit < 0 ? bit + bits : bit));
            all += 1;
        }
        for (std::size_t i = 0; i < windows.size(); ++i) {
            windows[i].across = static_cast<float>(boxes[i].right - boxes[i].left);
            windows[i].down = static_cast<float>(boxes[i].bottom - boxes[i].top);
        }
        return windows;
    }

    /// The lines that a work-item touches in all of its reads. Where only a part of the reads is
    /// known, the counts are scaled up to `all` of them.
    [[nodiscard]] ReadStream::Windows whole(const std::vector<ItemRead>& reads, std::int64_t all,
                                            const Level& level) const
    {
        ReadStream::Windows list =
            windows(reads, lines_of(reads, level), 0, reads.size(), level.caches);
        const float scale =
            static_cast<float>(all) / static_cast<float>(std::max<std::size_t>(1, reads.size()));
        for (LineWindow& window : list) {
            window.lines *= scale;
            window.across *= scale;
            window.down *= scale;
        }
        return list;
    }

    /// The launch with its longest loop shortened so that about `enough` reads of a work-item are
    /// left.
    [[nodiscard]] Launch shortened(std::int64_t all_reads) const
    {
        const std::int64_t iterations = longest_loop(launch_);
        const std::int64_t enough =
            loops_of(launch_.body, iterations) > 1 ? enough_of_several : enough_reads;
        const std::int64_t fewer =
            std::max<std::int64_t>(4, iterations * enough / std::max<std::int64_t>(1, all_reads));
        return fewer < iterations ? with_longest_loop(launch_, fewer) : launch_;
    }

    /// Those whose reads the work-item in the middle may find in the caches: its neighbours on both
    /// sides along each axis, and other work-items of its group. Of large groups, 16 work-items are
    /// looked at.
    [[nodiscard]] std::vector<Neighbour> neighbours(const Launch& part) const
    {
        std::vector<Neighbour> beside;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            for (const int step : {-1, 1}) {
                Dim3 at = middle();
                at[axis] += step;
                if (at[axis] >= 0 && at[axis] < launch_.groups[axis]) {
                    beside.push_back({static_cast<int>(axis), item_reads(part, at, {0, 0, 0})});
                }
            }
        }
        constexpr std::int64_t looked_at = 16;
        for (std::int64_t other = 1; other < std::min(looked_at, launch_.group_size()); ++other) {
            const std::int64_t item = launch_.group_size() <= looked_at
                                          ? other
                                          : other * launch_.group_size() / looked_at;
            beside.push_back(
                {ReadStream::Return::itself, item_reads(part, middle(), local_id(item))});
        }
        return beside;
    }

    /// Adds `count` reads of an input that return to earlier ones in this way. Reads that return
    /// alike are one entry of the stream with their count.
    static void add_read(ReadStream& stream, std::size_t input,
                         std::vector<ReadStream::Returns> returns, double count)
    {
        const auto same = std::ranges::find_if(stream.reads, [&](const ReadStream::Read& read) {
            return read.input == input && read.returns == returns;
        });
        if (same != stream.reads.end()) {
            same->count += count;
        } else {
            stream.reads.push_back({input, std::move(returns), count});
        }
    }

    void add_reads(ReadStream& stream)
    {
        stream.code = WarpCode(&launch_, options_).totals();
        stream.barriers = has_barriers(launch_.body);
        const std::int64_t all = reads_per_item(launch_.body);
        const Launch part = shortened(all);
        const std::vector<ItemRead> reads = item_reads(part, middle(), {0, 0, 0});
        const std::vector<Neighbour> beside = neighbours(part);
        // Of a shortened loop only the second half counts: in the first half most places are read
        // for the first time.
        const std::size_t steady =
            reads.size() < static_cast<std::size_t>(all) ? reads.size() / 2 : 0;
        std::vector<std::vector<ReadStream::Returns>> by_level;
        for (const Level& level : levels_) {
            by_level.push_back(returns(reads, beside, level, steady));
            stream.whole.push_back(whole(reads, all, level));
        }
        const double each = static_cast<double>(all) /
                            static_cast<double>(std::max<std::size_t>(1, reads.size() - steady));
        for (std::size_t i = steady; i < reads.size(); ++i) {
            std::vector<ReadStream::Returns> of_read;
            for (std::vector<ReadStream::Returns>& level : by_level) {
                of_read.push_back(std::move(level[i - steady]));
            }
            add_read(stream, static_cast<std::size_t>(reads[i].image), std::move(of_read), each);
        }
    }

    const SimulationOptions& options_;
    Launch launch_;
    std::vector<StoredImage> images_;
    /// First-level caches of images, and of buffers; equal where both use one cache.
    std::array<CacheSets, 2> first_levels_;
    std::vector<CacheSets> behind_; ///< of the levels behind L1
    std::vector<Level> levels_;
};

} // namespace

ReadStream read_stream(const LoopNest& nest, const SimulationOptions& options)
{
    return StreamMaker(nest, options)();
}

} // namespace texelscope::workbench::study
