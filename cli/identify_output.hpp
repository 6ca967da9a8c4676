#pragma once

#include "cli/command.hpp"
#include "model/identification/identify.hpp"

#include <optional>
#include <string>
#include <vector>

namespace texelscope::cli {

/// Latency that an identification expects of a walk, by the walk's number in its file.
struct PredictedWalk {
    std::int64_t number = 0;
    double ns = 0;
};

/// The result as the members of a JSON object. `predicted`: of further walks, or of the measured
/// ones where there are none.
void add_identification(ordered_json& out, const MeasuredWalks& measured,
                        const Identification& identification,
                        const std::vector<PredictedWalk>& predicted);

/// The result for people to read.
[[nodiscard]] std::string identification_text(const MeasuredWalks& measured,
                                              const Identification& identification);

[[nodiscard]] ordered_json to_json(const TextureCache& cache);

} // namespace texelscope::cli
