#pragma once

#include "model/bottleneck/read_stream.hpp"
#include "model/bottleneck/wave.hpp"
#include "model/bottleneck/working_set.hpp"

#include <boost/container/small_vector.hpp>

#include <cstddef>

namespace texelscope::model {

/// A flag for each input of a stream.
using OfInputs = boost::container::small_vector<bool, 4>;

/// One cache as the images share it that are read through it. It is made from what the warps that
/// run side by side touch of each of them in one read; found() then tells which share of later
/// reads hits.
class CacheShare {
public:
    /// `level`: which entry of the vectors by level in `stream` the cache is. `items`: the box of
    /// work-items that share the cache. `beside`: the box within which a neighbour's earlier reads
    /// count. `mine` tells for each input whether it is read through this cache. The stream must
    /// outlive the share.
    CacheShare(const ReadStream& stream, std::size_t level, const WorkItems& items,
               const WorkItems& beside, const CacheSets& cache, const OfInputs& mine);

    /// Share of such reads that hit because the same place was read before: by the best of all the
    /// earlier reads that `read` knows, or by the wave before. 0 where there is no cache.
    [[nodiscard]] double found(const ReadStream::Read& read, const Wave& wave) const;

private:
    /// share_kept() for the inputs that are read through this cache; `windows` has an entry for
    /// every input of the stream.
    [[nodiscard]] double kept(std::size_t input, const ReadStream::Windows& windows) const;

    std::size_t level_;
    const ReadStream::Windows* whole_;
    WorkItems beside_; ///< work-items along each axis that are neighbours
    CacheSets cache_;
    /// For each input of the stream, its place among the inputs of this cache.
    boost::container::small_vector<std::size_t, 4> number_;
    boost::container::small_vector<std::size_t, 4> inputs_; ///< inputs of this cache
    boost::container::small_vector<const LineSpread*, 4> spreads_;
    boost::container::small_vector<WorkingSet, 4> sets_;
};

} // namespace texelscope::model
