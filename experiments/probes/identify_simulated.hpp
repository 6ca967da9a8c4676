#pragma once

#include "experiments/probes/identify_rounds.hpp"
#include "sim/options/options.hpp"

namespace texelscope::experiments {

/// How a simulated device is measured.
struct SimulatedIdentification {
    IdentifyRounds asked;
    double noise = 0; ///< standard deviation of a latency, as a fraction of it
};

/// What the walks showed, and what is true.
struct IdentifiedDevice {
    IdentifiedRounds rounds;
    TextureCache truth;
    /// The device's own cache is one of those that the best explanation names: all else that it names cannot be told from
    /// it on these walks.
    bool found = false;
    /// The same but for the replacement, whose differences are smaller than most noise.
    bool found_but_for_replacement = false;
};

/// Whether one of the caches is `truth`: the same layout text and the same lines, sectors, sets, ways and index.
[[nodiscard]] bool names(const std::vector<TextureCache>& caches, const TextureCache& truth, bool replacement_too);

/// identify_in_rounds() on a simulated device, as one would a real one; its layout is among the candidates.
[[nodiscard]] IdentifiedDevice identify_simulated(const SimulationOptions& device, const SimulatedIdentification& how,
                                                  IdentifyOptions options, const Progress& progress = {},
                                                  const StopToken& stop = {});

} // namespace texelscope::experiments
