// Heat maps of a simulation that jumps. Lookups are recorded with the log of accesses; count() then
// goes through the log once and counts each stretch as often as it was repeated, moved by its step
// (RepeatedCounts). So the work grows with what was simulated, not with what was jumped over.
//
// Compulsory misses are found from first touches alone; capacity misses are the misses of an ideal
// cache less these, conflict misses the other misses.

#include "sim/repetition/heat_recorder.hpp"

#include <algorithm>
#include <functional>
#include <map>

namespace texelscope::sim {
namespace {

// Bits that keep what a lookup met.
constexpr std::uint8_t missed = 1;
constexpr std::uint8_t ideal_missed = 2;
constexpr std::uint8_t evicted = 4;

/// Most cells of RepeatedCounts that are held before they are summed up (collect()), to bound
/// memory.
constexpr std::int64_t most_held_cells = 1 << 26;

Texel moved(Texel texel, Texel step, std::int64_t times = 1)
{
    return {static_cast<std::int32_t>(texel.x + step.x * times),
            static_cast<std::int32_t>(texel.y + step.y * times)};
}

} // namespace

HeatRecorder::HeatRecorder(std::span<const StoredImage> images, const SimulationOptions& options,
                           const HeatRequest& request)
    : images_(images), request_(request), line_(options.machine.l1().geometry.line.value),
      granule_(options.machine.l1().geometry.granule().value),
      wants_reads_(request.wants(HeatQuantity::reads)),
      wants_misses_(request.wants(HeatQuantity::misses) || request.wants(HeatQuantity::conflict)),
      wants_ideal_(request.wants(HeatQuantity::capacity) || request.wants(HeatQuantity::conflict)),
      wants_compulsory_(request.wants(HeatQuantity::compulsory) ||
                        request.wants(HeatQuantity::capacity)),
      wants_evictions_(request.wants(HeatQuantity::evictions)),
      first_touches_(options.machine.cores, granule_)
{
    for (const StoredImage& image : images) {
        counts_.emplace_back(image.extent);
        compulsory_.emplace_back(
            static_cast<std::size_t>(wants_compulsory_ ? image.extent.area() : 0), 0);
    }
}

Texel HeatRecorder::inside(std::size_t image, Texel texel) const
{
    // A lane outside of the image touches memory only with AddressMode::edge, at the nearest texel.
    const Extent2D extent = images_[image].extent;
    return extent.contains(texel) ? texel : extent.clamp(texel);
}

void HeatRecorder::follow_origins(int core, const LookupDetail& detail, std::int64_t granule,
                                  ImageTexel texel)
{
    if (detail.evicted_line >= 0) {
        origins_of_evicted_.push_back(origins_.evict(core, detail.evicted_line));
    }
    if (detail.missed) {
        origins_.fill(core, line_of(granule), texel);
    }
}

void HeatRecorder::add(const LoggedAccess& access, const LaneShape& shape,
                       const LinePatterns::Placed& placed, std::span<const LookupDetail> details)
{
    kept_.push_back({static_cast<std::uint32_t>(lookups_.size()),
                     static_cast<std::uint32_t>(origins_of_evicted_.size())});
    for (std::size_t i = 0; i < details.size(); ++i) {
        const LookupDetail& detail = details[i];
        lookups_.push_back(static_cast<std::uint8_t>((detail.missed ? missed : 0) |
                                                     (detail.ideal_missed ? ideal_missed : 0) |
                                                     (detail.evicted_line >= 0 ? evicted : 0)));
        if (wants_evictions_ && detail.missed) {
            const Texel lane = moved(access.first, shape.lanes[placed.pattern->first_lane[i]]);
            follow_origins(access.core, detail, placed.first + placed.pattern->granules[i],
                           {access.image, inside(access.image, lane)});
        }
    }
}

const std::vector<HeatRecorder::SharedTexel>& HeatRecorder::texels_of(int shape,
                                                                      const LaneShapes& shapes)
{
    const auto number = static_cast<std::size_t>(shape);
    if (texels_.size() <= number) {
        texels_.resize(number + 1);
    }
    if (texels_[number].empty()) {
        std::map<Texel, std::int64_t> lanes;
        for (const Texel lane : shapes[shape].lanes) {
            ++lanes[lane];
        }
        for (const auto& [texel, count] : lanes) {
            texels_[number].push_back({texel, count});
        }
    }
    return texels_[number];
}

void HeatRecorder::count(const AccessLog& log, const LaneShapes& shapes, LinePatterns& patterns,
                         StopCheck& check_stop)
{
    std::vector<std::vector<Repetition>> none(images_.size());
    count_stretch({}, log.position(), log, shapes, patterns, none, check_stop);
    for (RepeatedCounts& counts : counts_) {
        counts.collect();
    }
    if (wants_compulsory_) {
        first_touches_.add(log, shapes, patterns, check_stop, [&](const FirstTouch& touch) {
            const Texel texel = inside(touch.image, touch.texel);
            const std::int64_t width = images_[touch.image].extent.width;
            ++compulsory_[touch.image][static_cast<std::size_t>(texel.y * width + texel.x)];
        });
    }
    kept_.clear();
    lookups_.clear();
    origins_of_evicted_.clear();
}

void HeatRecorder::count_stretch(AccessLog::Position from, AccessLog::Position to,
                                 const AccessLog& log, const LaneShapes& shapes,
                                 LinePatterns& patterns,
                                 std::vector<std::vector<Repetition>>& repeats,
                                 StopCheck& check_stop)
{
    std::vector<RepeatedCounts::Place> places;
    const auto find_places = [&] {
        places.clear();
        for (std::size_t image = 0; image < images_.size(); ++image) {
            // The innermost repetition was entered last.
            const std::vector<Repetition> inner_first(repeats[image].rbegin(),
                                                      repeats[image].rend());
            places.push_back(counts_[image].place(inner_first));
        }
    };
    find_places();
    for (std::size_t a = from.accesses; a < to.accesses; ++a) {
        check_stop();
        const LoggedAccess& access = log.accesses()[a];
        const std::vector<Texel>& lanes = shapes[access.shape].lanes;
        const RepeatedCounts::Place& place = places[access.image];
        if (wants_reads_) {
            const StoredImage& image = images_[access.image];
            for (const SharedTexel& shared : texels_of(access.shape, shapes)) {
                const Texel texel = moved(access.first, shared.texel);
                if (image.extent.contains(texel)) {
                    place.add(reads, texel, shared.lanes);
                } else if (image.address_mode == AddressMode::edge) {
                    place.add(reads, image.extent.clamp(texel), shared.lanes);
                }
            }
        }
        if (!wants_misses_ && !wants_ideal_ && !wants_evictions_) {
            continue;
        }
        const LinePattern& pattern =
            *patterns.find(access.image, access.shape, access.first).pattern;
        std::size_t next_evicted = kept_[a].evicted;
        for (std::size_t i = 0; i < pattern.first_lane.size(); ++i) {
            const std::uint8_t met = lookups_[kept_[a].lookups + i];
            if (met == 0) {
                continue;
            }
            const Texel texel =
                inside(access.image, moved(access.first, lanes[pattern.first_lane[i]]));
            if (wants_misses_) {
                place.add(misses, texel, 1);
            }
            if (wants_ideal_ && (met & ideal_missed) != 0) {
                place.add(ideal_misses, texel, 1);
            }
            if (wants_evictions_ && (met & evicted) != 0) {
                const ImageTexel& origin = origins_of_evicted_[next_evicted++];
                places[origin.image].add(evictions, origin.texel, 1);
            }
        }
    }
    for (std::size_t r = from.repeats; r < to.repeats; ++r) {
        const AccessLog::Repeat& repeat = log.repeats()[r];
        for (std::size_t image = 0; image < images_.size(); ++image) {
            repeats[image].push_back({repeat.step[image], repeat.times});
        }
        count_stretch(repeat.from, repeat.to, log, shapes, patterns, repeats, check_stop);
        for (std::vector<Repetition>& of_image : repeats) {
            of_image.pop_back();
        }
        // collect() invalidates places; only the outermost stretch is sure that none are in use.
        if (repeats.front().empty()) {
            for (RepeatedCounts& counts : counts_) {
                if (counts.held() > most_held_cells) {
                    counts.collect();
                }
            }
        }
    }
}

// Two states are only equal for heat maps if each line in the cache was also brought in by the
// texel that moved along with it; otherwise a later eviction would count for another texel.
bool HeatRecorder::is_shifted(const Origins& before, const MemoryShift& shift,
                              const std::vector<Texel>& step) const
{
    const LineShift lines = shift.lines_of(Bytes{line_});
    const Origins& now = origins_.lines();
    if (before.size() != now.size()) {
        return false;
    }
    for (std::size_t core = 0; core < now.size(); ++core) {
        if (before[core].size() != now[core].size()) {
            return false;
        }
        for (const auto& [line, origin] : before[core]) {
            const auto found = now[core].find(lines(line));
            if (found == now[core].end() ||
                found->second !=
                    ImageTexel{origin.image, moved(origin.texel, step[origin.image])}) {
                return false;
            }
        }
    }
    return true;
}

void HeatRecorder::shift(const MemoryShift& shift, const std::vector<Texel>& step,
                         std::int64_t times)
{
    const LineShift lines = shift.times(times).lines_of(Bytes{line_});
    Origins all(origins_.lines().size());
    for (std::size_t core = 0; core < all.size(); ++core) {
        for (const auto& [line, origin] : origins_.lines()[core]) {
            all[core].emplace(
                lines(line),
                ImageTexel{origin.image, moved(origin.texel, step[origin.image], times)});
        }
    }
    origins_.replace(std::move(all));
}

HeatMaps HeatRecorder::maps(std::span<const Image> images)
{
    HeatMaps maps(images, {});
    for (std::size_t i = 0; i < images.size(); ++i) {
        RepeatedCounts& counts = counts_[i];
        counts.collect();
        const auto difference = [](std::vector<std::int64_t> a,
                                   const std::vector<std::int64_t>& b) {
            std::transform(a.begin(), a.end(), b.begin(), a.begin(), std::minus<>());
            return a;
        };
        const auto counts_of = [&](HeatQuantity quantity) {
            switch (quantity) {
            case HeatQuantity::reads:
                return counts.counts(reads);
            case HeatQuantity::compulsory:
                return compulsory_[i];
            case HeatQuantity::capacity:
                return difference(counts.counts(ideal_misses), compulsory_[i]);
            case HeatQuantity::conflict:
                return difference(counts.counts(misses), counts.counts(ideal_misses));
            case HeatQuantity::evictions:
                return counts.counts(evictions);
            default:
                return counts.counts(misses);
            }
        };
        for (const HeatQuantity quantity : request_.quantities) {
            maps.set(static_cast<int>(i), quantity, {images[i].extent, counts_of(quantity)});
        }
    }
    return maps;
}

} // namespace texelscope::sim
