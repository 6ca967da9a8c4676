#include "experiments/probes/identify_simulated.hpp"

#include "model/walks/simulated_walks.hpp"

#include <algorithm>
#include <random>

namespace texelscope::experiments {

bool names(const std::vector<TextureCache>& caches, const TextureCache& truth, bool replacement_too)
{
    const auto alike = [&](const TextureCache& cache) {
        const CacheGeometry& a = cache.l1;
        const CacheGeometry& b = truth.l1;
        // A single set needs no index, and a line that is one sector has none.
        const bool same_index = a.index == b.index || b.sets() == 1;
        return to_string(cache.layout) == to_string(truth.layout) && a.capacity == b.capacity && a.line == b.line &&
               a.granule() == b.granule() && a.ways_per_set() == b.ways_per_set() && same_index &&
               (a.replacement == b.replacement || !replacement_too);
    };
    return std::any_of(caches.begin(), caches.end(), alike);
}

IdentifiedDevice identify_simulated(const SimulationOptions& device, const SimulatedIdentification& how,
                                    IdentifyOptions options, const Progress& progress, const StopToken& stop)
{
    options.extra_layouts.push_back(device.layout);
    std::mt19937_64 seeds(options.seed ^ 0x6e6f697365U); // not those of the walks' design
    const auto measure = [&](const std::vector<TexelWalk>& walks) {
        return measure_simulated(device, how.asked.extent, how.asked.bytes_per_texel, walks, how.noise, seeds(), stop)
            .ns_per_read;
    };
    IdentifiedDevice result{identify_in_rounds(measure, how.asked, options, progress, stop),
                            {device.layout, device.l1}};
    const std::vector<TextureCache>& named = result.rounds.identification.explanations.front().equivalents;
    result.found = names(named, result.truth, true);
    result.found_but_for_replacement = names(named, result.truth, false);
    return result;
}

} // namespace texelscope::experiments
