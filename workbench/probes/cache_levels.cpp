// Finds the cache levels of a device from chases over scattered texels, each in a line of its own.
//
// survey_levels() chases over more and more lines: the latency rises where a level no longer holds
// them all, which gives each level's size roughly. Around each size, refine() measures many random
// draws and looks for the sets, ways and replacement whose misses explain the latencies
// (fit_caches()). Pairs of texels then tell which of them share a line (LineShape), and blocks
// which share a tag (tagged_block()), so that lines become bytes.

#include "workbench/probes/cache_levels.hpp"

#include "base/error.hpp"
#include "model/curves/cache_curve.hpp"
#include "workbench/probes/chase_rounds.hpp"
#include "workbench/probes/chases.hpp"
#include "workbench/probes/line_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace texelscope::workbench::probes {
namespace {

ChaseRounds between(ScatteredChases& chases, std::int64_t least, std::int64_t most,
                    const std::string& name)
{
    constexpr Draws draws{400, 1, 6};
    return chase_rounds(chases, spread(static_cast<double>(least), static_cast<double>(most), 2),
                        draws, name);
}

/// Texels that have to be read: several times the lines of the last level, which is not the first.
std::int64_t reach(const RoughLevels& levels)
{
    return levels.lines.size() < 2 ? std::numeric_limits<std::int64_t>::max()
                                   : times_missed(levels.lines.back()) * levels.lines.back();
}

constexpr std::int64_t rgba_bytes = 16;
constexpr std::array<const char*, 3> ordinals{"first level", "second level", "third level"};

std::string description(const RandomSetCache& cache)
{
    const std::string policy = to_string(cache.replacement);
    return cache.sets == 1 ? fmt::format("{} lines, fully associative, {}", cache.lines(), policy)
                           : fmt::format("{} sets of {} ways, {}", cache.sets, cache.ways, policy);
}

/// The fit of one level, from chases around its size.
struct Level {
    ChaseRounds rounds;
    std::vector<CacheFit> fits; ///< best first
};

Level refine(ScatteredChases& chases, double lines, double most, const std::string& name)
{
    constexpr double around = 4;
    constexpr Draws draws{3000, 3, 24};
    // Never beyond what the next level starts to miss, nor the grid's cells.
    const double last =
        std::min({around * lines, most, static_cast<double>(chases.grid().cells())});
    Level level{chase_rounds(chases, spread(lines / around, last, 6), draws, name), {}};
    const auto candidates = cache_candidates(std::llround(lines / 2), std::llround(lines * 2));
    level.fits = fit_caches(level.rounds.points, candidates, 4);
    if (level.fits.empty()) {
        throw missing("no cache of any size explains the latencies", "caches",
                      "look at the curve; clocks or other work may have changed under way");
    }
    const auto size = static_cast<double>(level.fits.front().cache.lines());
    level.rounds.curve.marks.push_back({size, size, size, description(level.fits.front().cache)});
    return level;
}

class CacheLevels {
public:
    CacheLevels(Target& target, MemorySpace memory, const ProbeOptions& options)
        : target_(target), memory_(memory), chases_(target, memory, options)
    {}

    [[nodiscard]] ProbeResult probe()
    {
        latency_ = median(chases_.same_texel());
        LevelSurvey survey = survey_levels(
            chases_,
            "latency over " + std::string(memory_ == MemorySpace::image ? "texels" : "elements"));
        result_.curves.push_back(std::move(survey.curve));
        result_.notes = std::move(survey.notes);
        lines_ = std::move(survey.levels.lines);
        if (lines_.empty()) {
            result_.notes.push_back(fmt::format(
                "no cache was seen up to {} lines: every chase took about {:.1f} ns a read",
                chases_.grid().cells(), survey.levels.hit_ns));
            return result_;
        }
        add_latency("latency.l1", latency_, "one texel read again and again");
        std::size_t found = 0;
        while (found < lines_.size() && find_level(found)) {
            ++found;
        }
        if (found > 0 && lines_.size() < 2) {
            result_.notes.push_back(
                fmt::format("no second level was seen up to {} lines: what lies behind the first "
                            "may be memory or a level that "
                            "is larger (--largest-chase)",
                            chases_.grid().cells()));
        }
        return result_;
    }

private:
    /// Whether a cache explains the chases around the level: real ones may meet more levels, or
    /// translations of addresses.
    [[nodiscard]] bool is_explained(const Level& level)
    {
        constexpr double poor = 0.06;
        const CacheFit& best = level.fits[0];
        if (best.error > poor) {
            result_.notes.push_back(
                fmt::format("{}: no cache explains the latencies; the best, {}, is off by {:.0f} %",
                            level.rounds.curve.name, description(best.cache), 100 * best.error));
        }
        return best.error <= poor;
    }

    /// The level of that index, behind those that have been found; false where nothing explains it.
    [[nodiscard]] bool find_level(std::size_t index)
    {
        const std::string ordinal = ordinals.at(index);
        const std::int64_t next = index + 1 < lines_.size() ? lines_[index + 1] : 0;
        Level level =
            refine(chases_, static_cast<double>(lines_[index]),
                   next > 0 ? static_cast<double>(next) / 4 : 1e18, "around the " + ordinal);
        const bool explained = is_explained(level);
        if (!explained) {
            level.rounds.curve.marks.clear();
        }
        result_.curves.push_back(std::move(level.rounds.curve));
        if (explained) {
            describe(index, level.fits, next);
        }
        return explained;
    }

    /// Adds the findings about a level and about the latency behind it. `next`: lines of the level
    /// behind it; 0 where none was seen.
    void describe(std::size_t index, const std::vector<CacheFit>& fits, std::int64_t next)
    {
        const std::string ordinal = ordinals.at(index);
        const std::string name = fmt::format("l{}", index + 1);
        // memory, or a level that is larger
        const std::string behind = next > 0     ? fmt::format("latency.l{}", index + 2)
                                   : index == 0 ? "latency.l1_miss"
                                                : "latency.memory";
        const std::int64_t lines = fits[0].cache.lines();
        const double miss = plateau(lines, next, fits[0].miss_ns);
        add_latency(behind, miss,
                    fmt::format("texels in lines of their own, more than the {} holds", ordinal));
        const std::int64_t cells = chases_.grid().cells();
        const std::int64_t count = index == 0
                                       ? std::min(cells, 8 * lines)
                                       : std::min<std::int64_t>(3, times_missed(lines)) * lines;
        if (count <= cells) {
            LineShape shape(chases_, count, latency_, miss);
            line_.width = shape.side(true, line_.width, ordinal);
            line_.height = shape.side(false, line_.height, ordinal);
            if (index == 0 && line_.width > 1 && line_.height > 1 &&
                !shape.shares({line_.width - 1, line_.height - 1})) {
                result_.notes.push_back(fmt::format(
                    "the line of the first level is no rectangle of {}x{} texels: its opposite "
                    "corner is in another line",
                    line_.width, line_.height));
            }
            add_cache(name, fits, line_);
            result_.curves.insert(result_.curves.end(), shape.curves().begin(),
                                  shape.curves().end());
        } else {
            add(name + ".lines", static_cast<double>(lines), "lines", description(fits[0].cache));
            result_.notes.push_back(
                fmt::format("the {}'s line and with it its capacity need a larger image", ordinal));
        }
        latency_ = miss;
    }

    /// The latency of reads that always miss a level of `lines` and always hit the next, of `next`
    /// lines (0: there is none). It is measured halfway between the two sizes (in their geometric
    /// mean), or taken from the fit where there is no room between them.
    [[nodiscard]] double plateau(std::int64_t lines, std::int64_t next, double fitted)
    {
        const std::int64_t count =
            next > 0 ? static_cast<std::int64_t>(std::sqrt(double(lines) * double(next)))
                     : 4 * lines;
        const int draws = count < ScatteredChases::many ? 3 : 1;
        return count >= 4 * lines && count <= chases_.grid().cells()
                   ? mean_of_draws(chases_.round(count, draws), draws)
                   : fitted;
    }

    void add_latency(const std::string& key, double ns, const std::string& how)
    {
        const double clock = target_.info().clock_mhz;
        add(key + ".ns", ns, "ns", how);
        if (clock > 0) {
            add(key, ns * clock / 1000, "cycles", fmt::format("{} at {} MHz", how, clock));
        }
    }

    /// `fetched`: the texels that come with the one that is read.
    void add_cache(const std::string& name, const std::vector<CacheFit>& fits, Extent2D fetched)
    {
        const CacheFit& best = fits[0];
        // A CPU's lines have no sectors, but it fetches the next one ahead.
        const Extent2D tagged = target_.info().cpu ? fetched : tagged_block(chases_, best, fetched);
        const auto lines = static_cast<double>(best.cache.lines());
        const auto line = static_cast<double>(tagged.area() * rgba_bytes);
        std::string how = fmt::format("{}: a chase misses as it would there, within {:.1f} %",
                                      description(best.cache), 100 * best.error);
        if (fits.size() > 1) {
            how += fmt::format("; next {} ({:.1f} %)", description(fits[1].cache),
                               100 * fits[1].error);
        }
        add(name + ".line", line, "B",
            fmt::format("{}x{} texels that share a tag", tagged.width, tagged.height));
        if (tagged != fetched) {
            add(name + ".sector", static_cast<double>(fetched.area() * rgba_bytes), "B",
                fmt::format("{}x{} texels come with the one that is read", fetched.width,
                            fetched.height));
        }
        if (memory_ == MemorySpace::image) {
            if (tagged != fetched) {
                add(name + ".tag.width", tagged.width, "texels", "that share a tag, in a row");
                add(name + ".tag.height", tagged.height, "texels", "that share a tag, in a column");
            }
            add(name + ".line.width", fetched.width, "texels",
                "that come together: pairs of texels in a row");
            add(name + ".line.height", fetched.height, "texels",
                "that come together: pairs of texels in a column");
        }
        add(name + ".capacity", lines * line, "B", how);
        add(name + ".ways", best.cache.sets == 1 ? 0 : static_cast<double>(best.cache.ways), "",
            how);
    }

    /// Findings about buffers are told from those about images by their key; on a CPU both are
    /// memory.
    void add(const std::string& key, double value, const std::string& unit, const std::string& how)
    {
        const bool same = memory_ == MemorySpace::image || target_.info().cpu;
        const std::string prefix = same ? "" : to_string(memory_) + ".";
        result_.findings.push_back({prefix + key, value, unit, how});
    }

    Target& target_;
    MemorySpace memory_;
    ScatteredChases chases_;
    ProbeResult result_;
    std::vector<std::int64_t> lines_; ///< of each level, roughly
    /// Latency in ns of a read whose texel is behind all levels found so far.
    double latency_ = 0;
    Extent2D line_{1, 1}; ///< texels that the level found last fetches together
};

} // namespace

LevelSurvey survey_levels(ScatteredChases& chases, const std::string& name)
{
    std::int64_t done = chases.grid().cells();
    ChaseRounds all = between(chases, 1, done, name);
    LevelSurvey survey{{}, rough_levels(all.points), {}};
    while (done < reach(survey.levels)) {
        const CellGrid before = chases.grid();
        if (done == before.cells() && !chases.grow()) {
            break;
        }
        const std::int64_t most = std::min(chases.grid().cells(), reach(survey.levels));
        try {
            const ChaseRounds more = between(chases, done + done * 2 / 5, most, name);
            all.curve.points.insert(all.curve.points.end(), more.curve.points.begin(),
                                    more.curve.points.end());
            all.points.insert(all.points.end(), more.points.begin(), more.points.end());
        } catch (const Error& error) {
            survey.notes.push_back(
                fmt::format("chases over more than {} texels: {}", done, error.what()));
            chases.shrink_to(before);
            break;
        }
        done = most;
        survey.levels = rough_levels(all.points);
    }
    for (const std::int64_t lines : survey.levels.lines) {
        const auto x = static_cast<double>(lines);
        all.curve.marks.push_back({x, x / 1.2, x * 1.2, "capacity, about"});
    }
    survey.curve = std::move(all.curve);
    return survey;
}

ProbeResult probe_cache_levels(Target& target, MemorySpace memory, const ProbeOptions& options)
{
    return CacheLevels(target, memory, options).probe();
}

} // namespace texelscope::workbench::probes
