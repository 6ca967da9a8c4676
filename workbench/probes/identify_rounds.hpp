#pragma once

#include "model/identification/identify.hpp"
#include "sim/options/options.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace texelscope::workbench::probes {

/// How many walks of which length are measured to identify a device.
struct IdentifyRounds {
    std::int64_t walks = 60;
    std::int64_t steps = 2048; ///< of each walk of the first round
    /// Longest walk of later rounds, in steps. Walks become four times as long from round to round
    /// while the capacity is not determined.
    std::int64_t most_steps = 8192;
    Extent2D extent{1024, 1024}; ///< of the image, in texels
    Bytes bytes_per_texel{16};
    /// Rounds of measuring; each but the first measures what the last one left open.
    int rounds = 3;
};

/// Nanoseconds per read of each of these walks.
using MeasureWalks = std::function<std::vector<double>(const std::vector<TexelWalk>&)>;

/// The walks that were measured and what they say of the cache.
struct IdentifiedRounds {
    MeasuredWalks measured;
    Identification identification;
};

/// Identifies a device by walks that are chosen while it is measured. Half of them are designed
/// without knowing anything (design_walks()); the rest, in equal rounds, are those that best tell
/// the remaining explanations apart (propose_walks()). The layouts of all built-in profiles are
/// among the candidates.
///
/// A walk shows a capacity only if it returns to more lines than fit, so walks become longer while
/// the capacity is open. The same seed and latencies give the same walks and result. Throws
/// bad_input where there are too few walks for the rounds, and as identify() and `measure` do.
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

/// What the walks showed of a simulated device, and what is true of it.
struct IdentifiedDevice {
    IdentifiedRounds rounds;
    TextureCache truth;
    /// Whether the device's own cache is among the caches that the best explanation names; these
    /// walks cannot tell it from the others.
    bool found = false;
    /// Like `found`, but the replacement policy may differ, whose effect is smaller than most
    /// noise.
    bool found_but_for_replacement = false;
};

/// Whether one of the caches is `truth`, with the same layout text and the same lines, sectors,
/// sets, ways and index; with `replacement_too`, the same replacement as well.
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
