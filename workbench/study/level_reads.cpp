#include "workbench/study/level_reads.hpp"

#include "sim/cache/flat_map.hpp"

#include <boost/container/small_vector.hpp>

#include <algorithm>

namespace texelscope::workbench::study {
namespace {

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

void add_lines(LineSpread::Axis& axis, const std::vector<Texel>& texels, const StoredImage& image,
               const CacheSets& cache, std::int64_t bytes)
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
void add_runs(LineSpread& spread, const StoredImage& image, std::int64_t bytes)
{
    constexpr std::int32_t longest = 128;
    const Texel middle{image.extent.width / 2 / longest * longest,
                       image.extent.height / 2 / longest * longest};
    DistinctUnits in_row(spread.of_run[0]);
    for (std::int32_t x = middle.x; x < std::min(middle.x + longest, image.extent.width); ++x) {
        in_row.add(unit_of(image, {x, middle.y}, bytes));
    }
    DistinctUnits in_column(spread.of_run[1]);
    for (std::int32_t y = middle.y; y < std::min(middle.y + longest, image.extent.height); ++y) {
        in_column.add(unit_of(image, {middle.x, y}, bytes));
    }
}

} // namespace

void count_units(std::vector<double>& counts, const std::vector<Texel>& texels,
                 const StoredImage& image, Bytes unit)
{
    DistinctUnits distinct(counts);
    for (const Texel texel : texels) {
        distinct.add(unit_of(image, texel, unit.value));
    }
}

void add_banks(std::vector<int>& banks, std::vector<std::int32_t>* counts,
               const std::vector<Texel>& texels, const StoredImage& image, std::int64_t bytes,
               int all)
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

namespace {

/// Finds out what a kernel's reads meet in one level of cache.
class LevelReader {
public:
    /// Everything must outlive it.
    LevelReader(const KernelReads& kernel, const std::vector<StoredImage>& images,
                const Level& level)
        : kernel_(kernel), images_(images), level_(level)
    {
        for (const Image& image : kernel.launch().images) {
            caches_.push_back(&level.caches[image.buffer && level.buffers_apart ? 1 : 0]);
        }
    }

    [[nodiscard]] LevelReads operator()() const
    {
        LevelReads found;
        for (std::size_t i = 0; i < images_.size(); ++i) {
            found.inputs.push_back(of_input(i));
        }
        for (ReadStream::Returns& each : returns()) {
            const auto same = std::ranges::find(found.returns, each);
            found.of_read.push_back(static_cast<std::size_t>(same - found.returns.begin()));
            if (same == found.returns.end()) {
                found.returns.push_back(std::move(each));
            }
        }
        found.whole = whole();
        return found;
    }

private:
    [[nodiscard]] LevelReads::OfInput of_input(std::size_t number) const
    {
        const KernelReads::OfImage& reads = kernel_.images()[number];
        const StoredImage& image = images_[number];
        const std::int64_t line = level_.geometry.line.value;
        const Bytes granule = level_.geometry.granule();
        LevelReads::OfInput found;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const std::vector<Texel>& texels = reads.along[axis];
            if (texels.empty()) {
                continue;
            }
            count_units(found.at.granules.along[axis], texels, image, granule);
            add_lines(found.at.lines.along[axis], texels, image, *caches_[number], line);
            if (level_.banks > 1) {
                BankSpread& banks = found.at.banks;
                banks.banks = level_.banks;
                add_banks(banks.along[axis].banks, &banks.along[axis].lines, texels, image, line,
                          banks.banks);
            }
        }
        if (!reads.together.empty()) {
            ReadStream::Together::AtLevel& at = found.together.emplace();
            count_units(at.granules, reads.together, image, granule);
            LineSpread::Axis axis;
            add_lines(axis, reads.together, image, *caches_[number], line);
            at.lines = {axis.lines.back(), axis.across.back(), axis.down.back(), {}};
            for (const int bit : axis.bits) {
                at.lines.sets.set(static_cast<std::size_t>(bit));
            }
            if (level_.banks > 1) {
                found.at.banks.banks = level_.banks;
                add_banks(found.at.banks.together, nullptr, reads.together, image, line,
                          level_.banks);
            }
        }
        add_runs(found.at.lines, image, line);
        return found;
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

    /// The lines that a list of reads touches in one level of cache; vectors are by read.
    struct Lines {
        std::vector<std::int64_t> units;
        /// Where its line was read before, see Numbered::places_before().
        std::vector<std::size_t> before;
        std::vector<int> bits; ///< bit of the set that holds its line, see CacheSets
        double room = 0;       ///< lines that the caches can hold together
    };
    [[nodiscard]] Lines lines_of(const std::vector<ItemRead>& reads) const
    {
        Lines lines;
        lines.units = units(reads, level_.geometry.line.value);
        const Numbered numbered(lines.units);
        lines.before = numbered.places_before(numbered.numbers());
        for (std::size_t i = 0; i < reads.size(); ++i) {
            lines.bits.push_back(
                caches_[static_cast<std::size_t>(reads[i].image)]->bit_of(lines.units[i]));
        }
        for (std::size_t i = 0; i < caches_.size(); ++i) {
            const auto known = caches_.begin() + static_cast<std::ptrdiff_t>(i);
            lines.room +=
                std::find(caches_.begin(), known, caches_[i]) == known ? caches_[i]->lines : 0;
        }
        return lines;
    }

    /// For each read from number steady() on: by whom its granule was read before, and which lines
    /// were touched since.
    [[nodiscard]] std::vector<ReadStream::Returns> returns() const
    {
        const std::vector<ItemRead>& reads = kernel_.reads();
        const std::size_t from = kernel_.steady();
        const std::int64_t bytes = level_.geometry.granule().value;
        const Lines lines = lines_of(reads);
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
            known.push_back({axis, same ? std::move(*same) : windows(reads, lines, begin, i)});
            begins_of.push_back(begin);
        };
        for (std::size_t i = from; i < reads.size(); ++i) {
            if (own[i] > 0) {
                add(ReadStream::Return::itself, own[i] - 1, i);
            }
        }
        for (const auto& [axis, made] : kernel_.beside()) {
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
                                              std::size_t end) const
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
            const int bits = caches_[image]->bits;
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
    /// known, the counts are scaled up to all() of them.
    [[nodiscard]] ReadStream::Windows whole() const
    {
        const std::vector<ItemRead>& reads = kernel_.reads();
        ReadStream::Windows list = windows(reads, lines_of(reads), 0, reads.size());
        const float scale = static_cast<float>(kernel_.all()) /
                            static_cast<float>(std::max<std::size_t>(1, reads.size()));
        for (LineWindow& window : list) {
            window.lines *= scale;
            window.across *= scale;
            window.down *= scale;
        }
        return list;
    }

    const KernelReads& kernel_;
    const std::vector<StoredImage>& images_;
    const Level& level_;
    std::vector<const CacheSets*> caches_; ///< by image: that which its reads meet
};

} // namespace

LevelReads level_reads(const KernelReads& kernel, const std::vector<StoredImage>& images,
                       const Level& level)
{
    return LevelReader(kernel, images, level)();
}

} // namespace texelscope::workbench::study
