#pragma once

#include "base/progress.hpp"
#include "base/stop.hpp"
#include "devices/profile/device_profile.hpp"
#include "devices/targets/target.hpp"
#include "traces/image.hpp"
#include "workbench/probes/identify_rounds.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::probes {

/// What was measured and what it means.
struct Identified {
    std::string origin; ///< what was measured, and how, in one line
    IdentifiedRounds rounds;
    std::optional<IdentifiedDevice> simulated; ///< the truth of a simulated device
    std::optional<TargetInfo> real;            ///< the device that was measured just now
};

/// Files of measured walks (read_walks(), read_walk_latencies()), and the image that they go
/// through.
struct WalkFiles {
    std::string walks;
    std::string latencies;
    std::optional<Image> image = {}; ///< nothing: guessed_image()
};
/// The image "WIDTHxHEIGHTxBYTES" of walks. Throws bad_input, naming `where`.
[[nodiscard]] Image parse_walks_image(const std::string& text, const std::string& where);
/// The least square with sides of a power of two around the walks, of RGBA float32; a guess, since
/// a larger one holds them, too.
[[nodiscard]] Image guessed_image(const std::vector<TexelWalk>& walks);
/// The file of latencies that belongs to one of walks, where there is one by the names that
/// identify --save and the shipped measurements have: X-walks.csv.gz and X-latencies.csv, or
/// X.csv.zst and X-latencies.csv; else empty.
[[nodiscard]] std::string latencies_beside(const std::string& walks);

/// Identifies the cache of walks in files; the layouts of all built-in profiles are among the
/// candidates. Throws bad_input and Interrupted, as do those below.
[[nodiscard]] Identified identify_files(const WalkFiles& files, IdentifyOptions options,
                                        const Progress& progress = {}, const StopToken& stop = {});
/// Measures a simulated device (identify_simulated()).
[[nodiscard]] Identified identify_profile(const DeviceProfile& device,
                                          const SimulatedIdentification& how,
                                          const IdentifyOptions& options,
                                          const Progress& progress = {},
                                          const StopToken& stop = {});
/// Measures a real device, of each walk the median of so many samples. Walks are written to files
/// that begin with `save` as they are measured, and those found there are not measured again
/// (SavedWalks). Throws bad_input where texels are not of 16 bytes, missing where the image is
/// larger than the device's.
[[nodiscard]] Identified identify_target(Target& target, IdentifyRounds asked, int samples,
                                         const std::string& save, const IdentifyOptions& options,
                                         const Progress& progress = {}, const StopToken& stop = {});

/// So many walks of `steps` reads that would best tell apart what the walks left open
/// (propose_walks()), numbered behind those that were measured.
[[nodiscard]] std::vector<TexelWalk> next_walks(const IdentifiedRounds& rounds, std::size_t count,
                                                std::int64_t steps, std::uint64_t seed, int threads,
                                                const StopToken& stop = {});

} // namespace texelscope::workbench::probes
