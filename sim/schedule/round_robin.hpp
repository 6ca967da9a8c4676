#pragma once

#include "base/layers.hpp"

#include <cstddef>
#include <numeric>
#include <vector>

namespace texelscope::sim {

/// Lets `count` cores advance in turn, the first first: advance(core) is false when the core has come to its end, and is
/// not called for it any more.
template <class Advance>
void round_robin(std::size_t count, const Advance& advance)
{
    std::vector<std::size_t> active(count);
    std::iota(active.begin(), active.end(), std::size_t{0});
    while (!active.empty()) {
        if (active.size() == 1) {
            while (advance(active.front())) {
            }
            return;
        }
        std::erase_if(active, [&](std::size_t core) { return !advance(core); });
    }
}

} // namespace texelscope::sim
