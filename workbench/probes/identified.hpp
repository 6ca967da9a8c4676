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

/// Measured walks and the cache that they identify.
struct Identified {
    std::string origin; ///< what was measured, and how, in one line
    IdentifiedRounds rounds;
    std::optional<IdentifiedDevice> simulated; ///< for a simulated device: what is true of it
    /// For a real device that was measured just now: what it is.
    std::optional<TargetInfo> real;
};

/// Files of measured walks (read_walks(), read_walk_latencies()), and the image that they go
/// through; or one table of ArchProbe (read_archprobe_walks()).
struct WalkFiles {
    std::string walks;
    std::string latencies;           ///< empty: `walks` is a table of ArchProbe
    std::optional<Image> image = {}; ///< nothing: guessed_image(), or as the table has it
};
/// The image "WIDTHxHEIGHTxBYTES" of walks. Throws bad_input, naming `where`.
[[nodiscard]] Image parse_walks_image(const std::string& text, const std::string& where);
/// The smallest square image, with sides that are a power of two, that holds the walks, of RGBA
/// float32. This is a guess: a larger image would hold them, too.
[[nodiscard]] Image guessed_image(const std::vector<TexelWalk>& walks);
/// The file of latencies that belongs to a file of walks, by the names of `identify --save`
/// (X-walks.csv.gz and X-latencies.csv) or of the shipped measurements (X.csv.zst and
/// X-latencies.csv); empty where there is none.
[[nodiscard]] std::string latencies_beside(const std::string& walks);

/// Identifies the cache from walks in files. The layouts of all built-in profiles are among the
/// candidates. Throws bad_input and Interrupted, as the functions below do.
[[nodiscard]] Identified identify_files(const WalkFiles& files, IdentifyOptions options,
                                        const Progress& progress = {}, const StopToken& stop = {});
/// Measures a simulated device and identifies its cache (identify_simulated()).
[[nodiscard]] Identified identify_profile(const DeviceProfile& device,
                                          const SimulatedIdentification& how,
                                          const IdentifyOptions& options,
                                          const Progress& progress = {},
                                          const StopToken& stop = {});
/// Measures a real device and identifies its cache. The latency of a walk is the median of
/// `samples` runs. Walks are written to files whose names begin with `save` as they are measured,
/// and walks that are found there are not measured again (SavedWalks). Throws bad_input where
/// texels do not have 16 bytes, missing where the image is larger than the device's limit.
[[nodiscard]] Identified identify_target(Target& target, IdentifyRounds asked, int samples,
                                         const std::string& save, const IdentifyOptions& options,
                                         const Progress& progress = {}, const StopToken& stop = {});

/// `count` walks of `steps` reads each that would best tell apart what the measured walks left open
/// (propose_walks()). Their numbers follow those of the measured walks.
[[nodiscard]] std::vector<TexelWalk> next_walks(const IdentifiedRounds& rounds, std::size_t count,
                                                std::int64_t steps, std::uint64_t seed, int threads,
                                                const StopToken& stop = {});

} // namespace texelscope::workbench::probes
