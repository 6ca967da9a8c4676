#pragma once

#include "base/layers.hpp"

#include <cstddef>
#include <functional>
#include <string>

namespace texelscope::base {

/// Told how far a long job is: what it does now, and the fraction in [0, 1] that is done. Called
/// from the thread that does the work.
using Progress = std::function<void(const std::string& stage, double fraction)>;

/// Tells that `done` of `count` equal steps are done; does nothing where `progress` is empty.
template <class Done, class Count>
void tell(const Progress& progress, const std::string& stage, Done done, Count count)
{
    if (progress) {
        progress(stage, static_cast<double>(done) / static_cast<double>(count));
    }
}

/// The progress of part `i` of `count` equal parts of a job, which it passes on to the progress of
/// the whole job. Names of stages begin with `name`, where it is not empty.
[[nodiscard]] Progress part_progress(const Progress& whole, std::size_t i, std::size_t count,
                                     const std::string& name = {});

} // namespace texelscope::base
