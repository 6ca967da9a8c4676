#include "model/bottleneck/cache_share.hpp"

#include <algorithm>
#include <span>

namespace texelscope::model {

CacheShare::CacheShare(const ReadStream& stream, std::size_t level, const WorkItems& items,
                       const WorkItems& beside, const CacheSets& cache, const OfInputs& mine)
    : level_(level), whole_(&stream.whole[level]), beside_(beside), cache_(cache)
{
    for (std::size_t i = 0; i < stream.inputs.size(); ++i) {
        number_.push_back(sets_.size());
        if (mine[i]) {
            inputs_.push_back(i);
            spreads_.push_back(&stream.inputs[i].levels[level].lines);
            sets_.push_back(working_set(*spreads_.back(), items, cache_));
            if (const auto& items_of_place = stream.inputs[i].together) {
                sets_.back() = cache_.sums(sets_.back(), items_of_place->levels[level].lines);
            }
        }
    }
}

double CacheShare::found(const ReadStream::Read& read, const Wave& wave) const
{
    double best = 0;
    if (cache_.lines == 0) {
        return best;
    }
    const LineSpread& mine = *spreads_[number_[read.input]];
    // Where the input does not vary along the axis on which waves follow each other, every wave but
    // the first reads what the wave before has read.
    if (wave.waves > 1 && mine.along[wave.next].lines.empty()) {
        best = (1 - 1 / wave.waves) * kept(read.input, *whole_);
    }
    for (const ReadStream::Return& one : read.returns[level_]) {
        double share = 1;
        // The outermost work-item has no neighbour whose reads it could find.
        if (one.axis != ReadStream::Return::itself) {
            share -= 1 / static_cast<double>(beside_[static_cast<std::size_t>(one.axis)]);
        }
        if (share > best) {
            best = std::max(best, share * kept(read.input, one.windows));
        }
    }
    return best;
}

double CacheShare::kept(std::size_t input, const ReadStream::Windows& windows) const
{
    std::span<const LineWindow> mine = windows;
    boost::container::small_vector<LineWindow, 4> some;
    if (inputs_.size() != windows.size()) {
        for (const std::size_t i : inputs_) {
            some.push_back(windows[i]);
        }
        mine = {some.data(), some.size()};
    }
    return share_kept(number_[input], mine, {sets_.data(), sets_.size()},
                      {spreads_.data(), spreads_.size()}, cache_);
}

} // namespace texelscope::model
