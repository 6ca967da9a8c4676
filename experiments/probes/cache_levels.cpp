#include "experiments/probes/cache_levels.hpp"

#include "experiments/probes/chases.hpp"
#include "experiments/probes/line_shape.hpp"
#include "model/cache_curve.hpp"
#include "model/rough_levels.hpp"
#include "traces/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace texelscope {
namespace {

constexpr const char* ns_per_read = "latency [ns per read]";
constexpr std::int64_t texel_bytes = 16;
constexpr std::array<const char*, 3> ordinals{"first level", "second level", "third level"};
constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

/// Numbers from `least` to `most`, `per_octave` to a doubling, each once.
std::vector<std::int64_t> spread(double least, double most, double per_octave)
{
    std::vector<std::int64_t> numbers;
    for (double n = std::max(1.0, least); n <= most * 1.000001; n *= std::exp2(1 / per_octave)) {
        const std::int64_t whole = std::min(std::llround(n), static_cast<long long>(most));
        if (numbers.empty() || whole > numbers.back()) {
            numbers.push_back(whole);
        }
    }
    return numbers;
}

/// Chases over each of some numbers of texels, as a curve to show and as points to fit.
struct Rounds {
    ProbeCurve curve;
    std::vector<ChasePoint> points;
};

Rounds rounds(ScatteredChases& chases, const std::vector<std::int64_t>& counts, std::int64_t draw_reads,
              int least_draws, int most_draws, const std::string& name)
{
    Rounds rounds{{name, chases.unit() + ", each in a line of its own", ns_per_read, true, {}, {}}, {}};
    for (const std::int64_t count : counts) {
        const int least = count < ScatteredChases::many ? least_draws : 1;
        const int draws = static_cast<int>(std::clamp<std::int64_t>(draw_reads / count, least, most_draws));
        rounds.curve.points.push_back({static_cast<double>(count), chases.round(count, draws)});
        rounds.points.push_back({count, ScatteredChases::warm_passes, chases.passes(count),
                                 mean_of_draws(rounds.curve.points.back().samples, draws)});
    }
    return rounds;
}

/// So many times the lines of a cache miss always, whatever its ways; of very many lines it has to do with fewer.
std::int64_t times_missed(std::int64_t lines)
{
    return lines < ScatteredChases::many ? 4 : 2;
}

std::string description(const RandomSetCache& cache)
{
    const std::string policy = to_string(cache.replacement);
    return cache.sets == 1 ? fmt::format("{} lines, fully associative, {}", cache.lines(), policy)
                           : fmt::format("{} sets of {} ways, {}", cache.sets, cache.ways, policy);
}

/// The fit of one level, from chases around its size.
struct Level {
    Rounds rounds;
    std::vector<CacheFit> fits; ///< best first
};

Level refine(ScatteredChases& chases, double lines, double most, const std::string& name)
{
    constexpr double around = 4;
    constexpr std::int64_t draw_reads = 3000;
    constexpr int most_draws = 24;
    const double last = std::min({around * lines, most, static_cast<double>(chases.grid().cells())});
    Level level{rounds(chases, spread(lines / around, last, 6), draw_reads, 3, most_draws, name), {}};
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
        find_levels();
        if (levels_.lines.empty()) {
            result_.notes.push_back(
                fmt::format("no cache was seen up to {} lines: every chase took about {:.1f} ns a read",
                            chases_.grid().cells(), levels_.hit_ns));
            return result_;
        }
        if (find_first_level()) {
            if (levels_.lines.size() < 2) {
                result_.notes.push_back(fmt::format(
                    "no second level was seen up to {} lines: what lies behind the first may be memory or a level that "
                    "is larger (--largest-chase)",
                    chases_.grid().cells()));
            }
            for (std::size_t level = 1; level < levels_.lines.size() && find_further_level(level); ++level) {
            }
        }
        return result_;
    }

private:
    void find_levels()
    {
        hit_samples_ = chases_.same_texel();
        Rounds all = survey(1, chases_.grid().cells());
        levels_ = rough_levels(all.points);
        // Of the last level that is seen, which is not the first, several times its lines are to be read.
        const auto reach = [&] {
            return levels_.lines.size() < 2 ? unlimited : times_missed(levels_.lines.back()) * levels_.lines.back();
        };
        std::int64_t done = chases_.grid().cells();
        while (done < reach() && (done < chases_.grid().cells() || grow())) {
            const std::int64_t most = std::min(chases_.grid().cells(), reach());
            const std::optional<Rounds> more = survey_grown(done, most);
            if (!more) {
                break;
            }
            done = most;
            all.curve.points.insert(all.curve.points.end(), more->curve.points.begin(), more->curve.points.end());
            all.points.insert(all.points.end(), more->points.begin(), more->points.end());
            levels_ = rough_levels(all.points);
        }
        for (const std::int64_t lines : levels_.lines) {
            const auto x = static_cast<double>(lines);
            all.curve.marks.push_back({x, x / 1.2, x * 1.2, "about"});
        }
        result_.curves.push_back(std::move(all.curve));
    }

    /// Chases over numbers of texels from `least` to `most`, two to a doubling.
    [[nodiscard]] Rounds survey(std::int64_t least, std::int64_t most)
    {
        constexpr std::int64_t draw_reads = 400;
        constexpr int most_draws = 6;
        return rounds(chases_, spread(static_cast<double>(least), static_cast<double>(most), 2), draw_reads, 1,
                      most_draws, "latency over " + std::string(memory_ == MemorySpace::image ? "texels" : "elements"));
    }

    [[nodiscard]] bool grow()
    {
        smaller_ = chases_.grid();
        return chases_.grow();
    }

    /// Chases over more than `done` texels, up to `most`; nothing where the device does not take the larger image after all.
    [[nodiscard]] std::optional<Rounds> survey_grown(std::int64_t done, std::int64_t most)
    {
        try {
            return survey(done + done * 2 / 5, most);
        } catch (const Error& error) {
            result_.notes.push_back(fmt::format("chases over more than {} texels: {}", done, error.what()));
            chases_.shrink_to(smaller_);
            return std::nullopt;
        }
    }

    /// Whether a cache explains the chases around the level: real ones may meet more levels, or translations of addresses.
    [[nodiscard]] bool is_explained(const Level& level)
    {
        constexpr double poor = 0.06;
        const CacheFit& best = level.fits[0];
        if (best.error > poor) {
            result_.notes.push_back(fmt::format("{}: no cache explains the latencies; the best, {}, is off by {:.0f} %",
                                                level.rounds.curve.name, description(best.cache), 100 * best.error));
        }
        return best.error <= poor;
    }

    /// False where nothing explains what was measured.
    [[nodiscard]] bool find_first_level()
    {
        const bool second = levels_.lines.size() > 1;
        const double above = second ? static_cast<double>(levels_.lines[1]) / 4 : 1e18;
        Level level =
            refine(chases_, static_cast<double>(levels_.lines[0]), above, "around the " + std::string(ordinals[0]));
        const double hit = median(hit_samples_);
        add_latency("latency.l1", hit, "one texel read again and again");
        if (!is_explained(level)) {
            level.rounds.curve.marks.clear();
            result_.curves.push_back(std::move(level.rounds.curve));
            return false;
        }
        const double miss = plateau(level.fits[0].cache.lines(), second ? levels_.lines[1] : 0, level.fits[0].miss_ns);
        add_latency(second ? "latency.l2" : "latency.l1_miss", miss,
                    "texels in lines of their own, more than the first level holds");
        const std::int64_t count = std::min<std::int64_t>(chases_.grid().cells(), 8 * level.fits[0].cache.lines());
        LineShape shape(chases_, count, hit, miss);
        width_ = shape.side(true, 1, ordinals[0]);
        height_ = shape.side(false, 1, ordinals[0]);
        if (width_ > 1 && height_ > 1 && !shape.shares({width_ - 1, height_ - 1})) {
            result_.notes.push_back(
                fmt::format("the line of the first level is no rectangle of {}x{} texels: its opposite "
                            "corner is in another line",
                            width_, height_));
        }
        add_cache("l1", level, {width_, height_});
        result_.curves.push_back(std::move(level.rounds.curve));
        result_.curves.insert(result_.curves.end(), shape.curves().begin(), shape.curves().end());
        miss_ = miss;
        return true;
    }

    /// The level of that index, the second at least, behind what has been found; false where nothing explains it.
    [[nodiscard]] bool find_further_level(std::size_t index)
    {
        const std::string ordinal = ordinals.at(index);
        const bool last = index + 1 == levels_.lines.size();
        const double below = last ? 1e18 : static_cast<double>(levels_.lines[index + 1]) / 4;
        Level level = refine(chases_, static_cast<double>(levels_.lines[index]), below, "around the " + ordinal);
        if (!is_explained(level)) {
            level.rounds.curve.marks.clear();
            result_.curves.push_back(std::move(level.rounds.curve));
            return false;
        }
        const std::string name = fmt::format("l{}", index + 1);
        const std::int64_t lines = level.fits[0].cache.lines();
        const double miss = plateau(lines, last ? 0 : levels_.lines[index + 1], level.fits[0].miss_ns);
        add_latency(last ? "latency.memory" : fmt::format("latency.l{}", index + 2), miss,
                    fmt::format("texels in lines of their own, more than the {} holds", ordinal));
        const std::int64_t count = std::min<std::int64_t>(3, times_missed(lines)) * lines;
        if (count <= chases_.grid().cells()) {
            LineShape shape(chases_, count, miss_, miss);
            width_ = shape.side(true, width_, ordinal);
            height_ = shape.side(false, height_, ordinal);
            add_cache(name, level, {width_, height_});
            result_.curves.insert(result_.curves.end(), shape.curves().begin(), shape.curves().end());
        } else {
            add(name + ".lines", static_cast<double>(lines), "lines", description(level.fits[0].cache));
            result_.notes.push_back(fmt::format("the {}'s line and with it its capacity need a larger image", ordinal));
        }
        result_.curves.push_back(std::move(level.rounds.curve));
        miss_ = miss;
        return true;
    }

    /// Latency where a level of `lines` misses always and the next one, of `next` lines (0: there is none), never.
    [[nodiscard]] double plateau(std::int64_t lines, std::int64_t next, double fitted)
    {
        const std::int64_t count =
            next > 0 ? static_cast<std::int64_t>(std::sqrt(double(lines) * double(next))) : 4 * lines;
        const int draws = count < ScatteredChases::many ? 3 : 1;
        return count >= 4 * lines && count <= chases_.grid().cells() ? mean_of_draws(chases_.round(count, draws), draws)
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
    void add_cache(const std::string& name, const Level& found, Extent2D fetched)
    {
        const CacheFit& best = found.fits[0];
        // A CPU's lines have no sectors, but it fetches the next one ahead.
        const Extent2D tagged = target_.info().cpu ? fetched : tagged_block(chases_, best, fetched);
        const auto lines = static_cast<double>(best.cache.lines());
        const auto line = static_cast<double>(tagged.area() * texel_bytes);
        std::string how = fmt::format("{}: a chase misses as it would there, within {:.1f} %", description(best.cache),
                                      100 * best.error);
        if (found.fits.size() > 1) {
            how += fmt::format("; next {} ({:.1f} %)", description(found.fits[1].cache), 100 * found.fits[1].error);
        }
        add(name + ".line", line, "B", fmt::format("{}x{} texels that share a tag", tagged.width, tagged.height));
        if (tagged != fetched) {
            add(name + ".sector", static_cast<double>(fetched.area() * texel_bytes), "B",
                fmt::format("{}x{} texels come with the one that is read", fetched.width, fetched.height));
        }
        if (memory_ == MemorySpace::image) {
            if (tagged != fetched) {
                add(name + ".tag.width", tagged.width, "texels", "that share a tag, in a row");
                add(name + ".tag.height", tagged.height, "texels", "that share a tag, in a column");
            }
            add(name + ".line.width", fetched.width, "texels", "that come together: pairs of texels in a row");
            add(name + ".line.height", fetched.height, "texels", "that come together: pairs of texels in a column");
        }
        add(name + ".capacity", lines * line, "B", how);
        add(name + ".ways", best.cache.sets == 1 ? 0 : static_cast<double>(best.cache.ways), "", how);
    }

    /// Findings about buffers are told from those about images by their key; on a CPU both are memory.
    void add(const std::string& key, double value, const std::string& unit, const std::string& how)
    {
        const bool same = memory_ == MemorySpace::image || target_.info().cpu;
        const std::string prefix = same ? "" : to_string(memory_) + ".";
        result_.findings.push_back({prefix + key, value, unit, {}, how});
    }

    Target& target_;
    MemorySpace memory_;
    ScatteredChases chases_;
    ProbeResult result_;
    RoughLevels levels_;
    CellGrid smaller_; ///< before the last growth
    std::vector<double> hit_samples_;
    double miss_ = 0;        ///< of the level found last
    std::int32_t width_ = 1; ///< texels that it fetches together

    std::int32_t height_ = 1;
};

} // namespace

ProbeResult probe_cache_levels(Target& target, MemorySpace memory, const ProbeOptions& options)
{
    return CacheLevels(target, memory, options).probe();
}

} // namespace texelscope
