#include "model/tmmodel/fresh_blocks.hpp"

#include "base/error.hpp"

#include <cstddef>
#include <list>
#include <unordered_map>

namespace texelscope::model {
namespace {

/// The last distinct blocks, most recent first, in constant time for each visit.
class RecentBlocks {
public:
    explicit RecentBlocks(std::int64_t remembered)
        : remembered_(static_cast<std::size_t>(remembered))
    {}

    /// Makes the block the most recent one; false where it was not remembered.
    bool visit(std::uint64_t block)
    {
        if (!order_.empty() && order_.front() == block) {
            return true;
        }
        if (const auto found = place_.find(block); found != place_.end()) {
            order_.splice(order_.begin(), order_, found->second);
            return true;
        }
        if (order_.size() == remembered_) {
            place_.erase(order_.back());
            order_.pop_back();
        }
        order_.push_front(block);
        place_.emplace(block, order_.begin());
        return false;
    }

private:
    std::size_t remembered_;
    std::list<std::uint64_t> order_;
    std::unordered_map<std::uint64_t, std::list<std::uint64_t>::iterator> place_;
};

std::uint64_t block_of(Texel texel, Extent2D shape)
{
    const auto x = static_cast<std::uint32_t>(floor_div(texel.x, shape.width));
    const auto y = static_cast<std::uint32_t>(floor_div(texel.y, shape.height));
    return std::uint64_t{y} << 32U | x;
}

} // namespace

CrossBlockHistogram fresh_block_histogram(std::span<const Texel> texels, std::int64_t remembered,
                                          std::span<const Extent2D> shapes)
{
    if (remembered <= 0) {
        throw bad_input("the number of remembered blocks is not positive",
                        "strides into fresh blocks", "give the lines of the cache");
    }
    CrossBlockHistogram histogram;
    histogram.accesses = static_cast<std::int64_t>(texels.size());
    for (const Extent2D shape : shapes) {
        CrossBlockHistogram::Bin bin{shape, 0, 0};
        RecentBlocks recent(remembered);
        for (std::size_t i = 0; i < texels.size(); ++i) {
            const bool known = recent.visit(block_of(texels[i], shape));
            bin.x += i > 0 && !known ? 1 : 0; // the first texel is no stride
        }
        histogram.bins.push_back(bin);
    }
    return histogram;
}

} // namespace texelscope::model
