#pragma once

#include "model/bottleneck/cache_path.hpp"
#include "model/bottleneck/cache_share.hpp"
#include "model/bottleneck/read_stream.hpp"
#include "model/bottleneck/round_fetches.hpp"
#include "model/bottleneck/wave.hpp"
#include "sim/options/options.hpp"

#include <boost/container/small_vector.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <span>

namespace texelscope::model {

/// The first-level caches of a core: one of images, and the way of buffers where that goes past it.
class FirstLevels {
public:
    FirstLevels(const ReadStream& stream, const SimulationOptions& options);

    /// Which of the two an input is read through.
    [[nodiscard]] std::size_t number(std::size_t input) const { return number_[input]; }
    [[nodiscard]] const CacheSets& sets(std::size_t first) const { return sets_[first]; }
    [[nodiscard]] const std::optional<CacheGeometry>& geometry(std::size_t first) const
    {
        return geometry_[first];
    }
    /// The inputs that are read through it.
    [[nodiscard]] const OfInputs& inputs(std::size_t first) const { return inputs_[first]; }
    [[nodiscard]] double stored_bytes(std::size_t first) const { return stored_[first]; }

private:
    std::array<std::optional<CacheGeometry>, 2> geometry_;
    std::array<CacheSets, 2> sets_;
    std::array<OfInputs, 2> inputs_;
    std::array<double, 2> stored_{}; ///< bytes of the inputs read through each
    boost::container::small_vector<std::size_t, 4> number_;
};

/// Rounds of one kind of read of a launch that one level serves: the number of a level of the cache
/// path, or the path's length, which stands for memory.
struct ServedRounds {
    const ReadStream::Read* read = nullptr;
    std::size_t level = 0;
    double rounds = 0;
};
using AllRounds = boost::container::small_vector<ServedRounds, 16>;

/// By which level the rounds of a launch are served. `fetches`: round_fetches() of each input;
/// `made`: reads that are really made, for each read in the program.
[[nodiscard]] AllRounds served_rounds(const ReadStream& stream, const Wave& wave,
                                      const CachePath& path, const FirstLevels& first,
                                      std::span<const RoundFetches> fetches, double made,
                                      const SimulationOptions& options);

} // namespace texelscope::model
