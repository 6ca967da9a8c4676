#pragma once

#include "devices/device_profile.hpp"
#include "experiments/study.hpp"
#include "model/identify.hpp"

#include <cstdint>

namespace texelscope {

/// How a simulated device is measured.
struct SimulatedIdentification {
    std::int64_t walks = 60;
    std::int64_t steps = 2048;   ///< of each walk
    double noise = 0;            ///< standard deviation of a latency, as a fraction of it
    Extent2D extent{1024, 1024}; ///< of the image, in texels
    Bytes bytes_per_texel{16};
    int rounds = 3; ///< of measuring; each but the first asks what the last one left open
};

/// The walks that were made, what they showed, and what is true.
struct IdentifiedDevice {
    MeasuredWalks measured;
    Identification identification;
    TextureCache truth;
    /// The device's own cache is one of those that the best explanation names: all else that it names cannot be told from
    /// it on these walks.
    bool found = false;
    /// The same but for the replacement, whose differences are smaller than most noise.
    bool found_but_for_replacement = false;
};

/// Whether one of the caches is `truth`: the same layout text and the same lines, sectors, sets, ways and index.
[[nodiscard]] bool names(const std::vector<TextureCache>& caches, const TextureCache& truth, bool replacement_too);

/// Identifies a simulated device as one would a real one: half of the walks are designed without knowing anything
/// (design_walks()), the rest, in equal rounds, are those that best tell the explanations left apart (propose_walks()). The
/// layouts of all built-in profiles are among the candidates. The same seed gives the same result. Throws bad_input and
/// Interrupted as identify() does.
[[nodiscard]] IdentifiedDevice identify_simulated(const SimulationOptions& device, const SimulatedIdentification& how,
                                                  IdentifyOptions options, const Progress& progress = {},
                                                  const StopToken& stop = {});

/// Storage layouts of the built-in profiles.
[[nodiscard]] std::vector<LayoutSpec> profile_layouts();

} // namespace texelscope
