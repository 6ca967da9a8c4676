#pragma once

#include "base/layers.hpp"

#include <cstddef>
#include <functional>
#include <string>

namespace texelscope::base {

/// How far a long job is: what it does now, and the fraction done in [0, 1]. Called from the thread
/// that works.
using Progress = std::function<void(const std::string& stage, double fraction)>;

/// Tells that `done` of `count` equal steps are done, where somebody wants to know.
template <class Done, class Count>
void tell(const Progress& progress, const std::string& stage, Done done, Count count)
{
    if (progress) {
        progress(stage, static_cast<double>(done) / static_cast<double>(count));
    }
}

/// Progress of part `i` of `count` equal ones, told to that of the whole; its stages begin with
/// `name`, where there is one.
[[nodiscard]] Progress part_progress(const Progress& whole, std::size_t i, std::size_t count,
                                     const std::string& name = {});

} // namespace texelscope::base
