#include "experiments/identify_simulated.hpp"

#include "model/propose_walks.hpp"
#include "model/simulated_walks.hpp"
#include "traces/error.hpp"

#include <algorithm>

namespace texelscope {
namespace {

void append(MeasuredWalks& all, MeasuredWalks more)
{
    std::move(more.walks.begin(), more.walks.end(), std::back_inserter(all.walks));
    all.ns_per_read.insert(all.ns_per_read.end(), more.ns_per_read.begin(), more.ns_per_read.end());
}

} // namespace

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

std::vector<LayoutSpec> profile_layouts()
{
    std::vector<LayoutSpec> layouts;
    for (const std::string& name : profile_names()) {
        layouts.push_back(find_profile(name).simulation.layout);
    }
    return layouts;
}

IdentifiedDevice identify_simulated(const SimulationOptions& device, const SimulatedIdentification& how,
                                    IdentifyOptions options, const Progress& progress, const StopToken& stop)
{
    if (how.rounds < 1 || how.walks < 2 * options.folds || (how.rounds > 1 && how.walks / 2 < 2 * options.folds)) {
        throw bad_input("too few walks for the rounds and folds", "identification",
                        "take four walks a fold, or one round");
    }
    const std::vector<LayoutSpec> known = profile_layouts();
    options.extra_layouts.insert(options.extra_layouts.end(), known.begin(), known.end());
    options.extra_layouts.push_back(device.layout);

    std::mt19937_64 random(options.seed);
    const WalkDesign design{how.extent, how.steps};
    const auto measure = [&](std::vector<TexelWalk> walks) {
        return measure_simulated(device, how.extent, how.bytes_per_texel, std::move(walks), how.noise, random(), stop);
    };
    const std::int64_t first = how.rounds == 1 ? how.walks : how.walks / 2;
    IdentifiedDevice result;
    result.truth = {device.layout, device.l1};
    result.measured = measure(design_walks(random, design, static_cast<std::size_t>(first)));
    for (int round = 1; round <= how.rounds; ++round) {
        const auto of_round = [&](const std::string& stage, double fraction) {
            if (progress) {
                progress(stage, (round - 1 + fraction) / how.rounds);
            }
        };
        result.identification = identify(result.measured, options, of_round, stop);
        if (round < how.rounds) {
            const auto left = how.walks - static_cast<std::int64_t>(result.measured.size());
            ProposeOptions next{.count = static_cast<std::size_t>(left / (how.rounds - round)),
                                .design = design,
                                .bytes_per_texel = how.bytes_per_texel,
                                .first_number = static_cast<std::int64_t>(result.measured.size()),
                                .seed = random(),
                                .threads = options.threads};
            append(result.measured, measure(propose_walks(result.identification, next, stop)));
        }
    }
    const std::vector<TextureCache>& named = result.identification.explanations.front().equivalents;
    result.found = names(named, result.truth, true);
    result.found_but_for_replacement = names(named, result.truth, false);
    return result;
}

} // namespace texelscope
