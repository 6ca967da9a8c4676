#include "cli/identify_source.hpp"

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "cli/terminal.hpp"
#include "workbench/probes/saved_walks.hpp"

#include <memory>

namespace texelscope::cli {
namespace {

IdentifyOptions search_options(const IdentifySource& source, const GlobalOptions& global)
{
    IdentifyOptions options;
    options.folds = source.folds.value_or(options.folds);
    options.threads = threads_or_all(source.threads);
    options.seed = global.seed;
    for (const std::string& text : source.layouts) {
        options.extra_layouts.push_back(parse_layout(text));
    }
    return options;
}

Identified from_files(const IdentifySource& source, const GlobalOptions& global)
{
    // Without latencies the walks are a table of ArchProbe, which says how large its image is.
    if (source.walks.empty() || (!source.latencies.empty() && source.image.empty())) {
        throw bad_input(
            "nothing to identify", "identify",
            "give --walks, --latencies and --image, or --on DEVICE (sim:NAME: a simulated one)");
    }
    WalkFiles files{source.walks, source.latencies};
    if (!source.image.empty()) {
        files.image = parse_walks_image(source.image, "--image");
    }
    return identify_files(files, search_options(source, global), make_progress(global),
                          interrupted);
}

IdentifyRounds rounds_of(const IdentifySource& source)
{
    IdentifyRounds asked = source.asked.asked;
    if (!source.image.empty()) {
        const Image image = parse_walks_image(source.image, "--image");
        asked.extent = image.extent;
        asked.bytes_per_texel = image.bytes_per_texel;
    }
    return asked;
}

Identified of_simulation(const IdentifySource& source, const std::string& profile,
                         const GlobalOptions& global)
{
    const DeviceArguments device{profile, source.device.overrides};
    return identify_profile(device.profile(), {rounds_of(source), source.asked.noise},
                            search_options(source, global), make_progress(global), interrupted);
}

Identified of_device(const IdentifySource& source, const GlobalOptions& global)
{
    source.target.check();
    const std::unique_ptr<Target> target = source.target.open(global.seed, interrupted);
    return identify_target(*target, rounds_of(source), source.samples, source.save,
                           search_options(source, global), make_progress(global), interrupted);
}

} // namespace

Identified identify_source(const IdentifySource& source, const GlobalOptions& global)
{
    if (!source.target.on.empty() && (!source.walks.empty() || !source.latencies.empty())) {
        throw bad_input("walks from files and --on were both given", "identify",
                        "give one of them");
    }
    const std::optional<std::string> profile = source.target.simulated_profile();
    if (source.target.on.empty() || profile) {
        source.target.place.refuse("where no real device is measured");
    }
    if (!source.device.overrides.empty() && !profile) {
        throw bad_input("only a simulated device can be changed", "--set", "give --on sim:NAME");
    }
    Identified found = source.target.on.empty() ? from_files(source, global)
                       : profile                ? of_simulation(source, *profile, global)
                                                : of_device(source, global);
    if (!source.save.empty() && !found.real) {
        write_saved_walks(source.save, found.rounds.measured, found.origin);
    }
    return found;
}

} // namespace texelscope::cli
