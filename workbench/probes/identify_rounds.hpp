#pragma once

#include "model/identification/identify.hpp"
#include "sim/options/options.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace texelscope::workbench::probes {

/// What a device is asked.
struct IdentifyRounds {
    std::int64_t walks = 60;
    std::int64_t steps = 2048; ///< of each walk of the first round
    /// Of each walk of later rounds, which are four times as long while the capacity is open.
    std::int64_t most_steps = 8192;
    Extent2D extent{1024, 1024}; ///< of the image, in texels
    Bytes bytes_per_texel{16};
    int rounds = 3; ///< of measuring; each but the first asks what the last one left open
};

/// Nanoseconds per read of each of these walks.
using MeasureWalks = std::function<std::vector<double>(const std::vector<TexelWalk>&)>;

/// The walks that were made and what they mean.
struct IdentifiedRounds {
    MeasuredWalks measured;
    Identification identification;
};

/// Identifies a device by walks of its own: half of them are designed without knowing anything
/// (design_walks()), the rest, in equal rounds, are those that best tell the explanations left
/// apart (propose_walks()). The layouts of all built-in profiles are among the candidates. A walk
/// shows a capacity only where it comes back to more lines than fit, so walks become longer while
/// that is open. The same seed and latencies give the same walks and result. Throws bad_input where
/// there are too few walks for the rounds, and as identify() and `measure` do.
[[nodiscard]] IdentifiedRounds
identify_in_rounds(const MeasureWalks& measure, const IdentifyRounds& how, IdentifyOptions options,
                   const Progress& progress = {}, const StopToken& stop = {});

/// Storage layouts of the built-in profiles.
[[nodiscard]] std::vector<LayoutSpec> profile_layouts();

/// How a simulated device is measured.
struct SimulatedIdentification {
    IdentifyRounds asked;
    double noise = 0; ///< standard deviation of a latency, as a fraction of it
};

/// What the walks showed, and what is true.
struct IdentifiedDevice {
    IdentifiedRounds rounds;
    TextureCache truth;
    /// The device's own cache is one of those that the best explanation names: all else that it
    /// names cannot be told from it on these walks.
    bool found = false;
    /// The same but for the replacement, whose differences are smaller than most noise.
    bool found_but_for_replacement = false;
};

/// Whether one of the caches is `truth`: the same layout text and the same lines, sectors, sets,
/// ways and index.
[[nodiscard]] bool names(const std::vector<TextureCache>& caches, const TextureCache& truth,
                         bool replacement_too);

/// identify_in_rounds() on a simulated device, as one would a real one; its layout is among the
/// candidates.
[[nodiscard]] IdentifiedDevice identify_simulated(const SimulationOptions& device,
                                                  const SimulatedIdentification& how,
                                                  IdentifyOptions options,
                                                  const Progress& progress = {},
                                                  const StopToken& stop = {});

} // namespace texelscope::workbench::probes
