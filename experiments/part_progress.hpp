#pragma once

#include "experiments/study.hpp"

#include <cstddef>
#include <string>

namespace texelscope {

/// Progress of part `i` of `count` equal ones, told to that of the whole; its stages begin with `name`, where there is one.
[[nodiscard]] Progress part_progress(const Progress& whole, std::size_t i, std::size_t count,
                                     const std::string& name = {});

} // namespace texelscope
