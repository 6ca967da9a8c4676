#include "model/bottleneck/served_rounds.hpp"

#include "sim/timed/timed.hpp"

#include <algorithm>

namespace texelscope::model {
namespace {

/// Upper bound on the share of missed granules that are really fetched: if all images together fit
/// into the cache, each of their granules is fetched once only. 1 where they do not fit.
double most_fetched(double stored_bytes, const std::optional<CacheGeometry>& geometry,
                    double missed)
{
    if (!geometry) {
        return 1;
    }
    const CacheGeometry& cache = *geometry;
    const double all = stored_bytes / static_cast<double>(cache.granule().value);
    return stored_bytes <= static_cast<double>(cache.capacity.value) && missed > all ? all / missed
                                                                                     : 1;
}

} // namespace

FirstLevels::FirstLevels(const ReadStream& stream, const SimulationOptions& options)
    : geometry_{first_level(options.machine, options.kernel.buffers, false),
                first_level(options.machine, options.kernel.buffers, true)},
      sets_{CacheSets(geometry_[0]), CacheSets(geometry_[1])}
{
    for (const ReadStream::Input& input : stream.inputs) {
        const std::size_t first = options.kernel.past_l1(input.buffer) ? 1 : 0;
        number_.push_back(first);
        inputs_[first].push_back(true);
        inputs_[1 - first].push_back(false);
        stored_[first] += input.stored_bytes;
    }
}

AllRounds served_rounds(const ReadStream& stream, const Wave& wave, const CachePath& path,
                        const FirstLevels& first, std::span<const RoundFetches> fetches,
                        double made, const SimulationOptions& options)
{
    const double stored = first.stored_bytes(0) + first.stored_bytes(1);
    const double written = stream.output ? stream.output->stored_bytes : 0;
    // Nothing goes past the level that holds all of it before the launch begins.
    const std::size_t warm = warm_level(stored + written, options).value_or(path.size());
    const auto first_share = [&](std::size_t i) {
        return CacheShare(stream, 0, wave.core, wave.group, first.sets(i), first.inputs(i));
    };
    const std::array<CacheShare, 2> l1{first_share(0), first_share(1)};
    boost::container::small_vector<CacheShare, 2> behind; // L1, by level: [level - 1]
    behind.reserve(path.size() - 1);
    for (std::size_t level = 1; level < path.size(); ++level) {
        behind.emplace_back(stream, level, items_of(*path[level], wave),
                            path[level]->shared ? wave.all : wave.group,
                            CacheSets(path[level]->geometry), OfInputs(stream.inputs.size(), true));
    }

    // By kind of read, and within by level: which share of its rounds goes past the level.
    boost::container::small_vector<double, 32> past;
    past.reserve(stream.reads.size() * path.size());
    // Granules that one cache misses in all rounds together: of the first levels, and of those
    // behind them.
    std::array<double, 2> first_missed{};
    ByLevel missed{};
    for (const ReadStream::Read& read : stream.reads) {
        const double rounds = made * read.count * wave.waves;
        const std::size_t number = first.number(read.input);
        const RoundFetches& round = fetches[read.input];
        past.push_back(1 - l1[number].found(read, wave));
        first_missed[number] += rounds * past.back() * round.fetched.front();
        for (std::size_t level = 1; level < path.size(); ++level) {
            const double not_found = level < warm    ? 1 - behind[level - 1].found(read, wave)
                                     : level == warm ? 0
                                                     : 1;
            past.push_back(std::min(past.back(), not_found));
            missed[level] += rounds * past.back() * round.fetched[level];
        }
    }
    // Inputs that fit into a cache as a whole are fetched once, however often the shares above say.
    const std::array<double, 2> first_fetched{
        most_fetched(first.stored_bytes(0), first.geometry(0), first_missed[0]),
        most_fetched(first.stored_bytes(1), first.geometry(1), first_missed[1])};
    ByLevel fetched;
    for (std::size_t level = 1; level < path.size(); ++level) {
        fetched[level] = most_fetched(stored, path[level]->geometry, missed[level]);
    }

    AllRounds served;
    auto share = past.begin();
    for (const ReadStream::Read& read : stream.reads) {
        double coming = 1; // share of the rounds that come to the level at hand
        double least = first_fetched[first.number(read.input)];
        for (std::size_t level = 0; level <= path.size(); ++level) {
            double going = 0; // and past it: none past memory
            if (level < path.size()) {
                least = std::min(least, level == 0 ? least : fetched[level]);
                going = *share++ * least;
            }
            if (coming - going > 0) {
                served.push_back(
                    {&read, level, (coming - going) * (made * read.count * wave.waves)});
            }
            coming = going;
        }
    }
    return served;
}

} // namespace texelscope::model
