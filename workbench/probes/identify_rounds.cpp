#include "workbench/probes/identify_rounds.hpp"

#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/progress.hpp"
#include "devices/profile/device_profile.hpp"
#include "model/identification/propose_walks.hpp"
#include "model/walks/simulated_walks.hpp"

#include <algorithm>
#include <iterator>
#include <random>
#include <string>
#include <utility>

namespace texelscope::workbench::probes {

std::vector<LayoutSpec> profile_layouts()
{
    return mapped(profile_names(), [](const std::string& name) {
        return find_profile(name).simulation.machine.layout;
    });
}

namespace {

bool capacity_is_open(const Identification& identification)
{
    return std::ranges::any_of(identification.support, [](const PropertySupport& property) {
        return property.property == "capacity" && !property.determined();
    });
}

} // namespace

IdentifiedRounds identify_in_rounds(const MeasureWalks& measure, const IdentifyRounds& how,
                                    IdentifyOptions options, const Progress& progress,
                                    const StopToken& stop)
{
    if (how.rounds < 1 || how.walks < 2 * options.folds ||
        (how.rounds > 1 && how.walks / 2 < 2 * options.folds)) {
        throw bad_input("too few walks for the rounds and folds", "identification",
                        "take four walks a fold, or one round");
    }
    const std::vector<LayoutSpec> known = profile_layouts();
    options.extra_layouts.insert(options.extra_layouts.end(), known.begin(), known.end());

    std::mt19937_64 random(options.seed);
    WalkDesign design{how.extent, how.steps};
    IdentifiedRounds result;
    MeasuredWalks& measured = result.measured;
    measured.extent = how.extent;
    measured.bytes_per_texel = how.bytes_per_texel;
    const auto add = [&](std::vector<TexelWalk> walks) {
        const std::vector<double> ns = measure(walks);
        measured.ns_per_read.insert(measured.ns_per_read.end(), ns.begin(), ns.end());
        std::move(walks.begin(), walks.end(), std::back_inserter(measured.walks));
    };
    const std::int64_t first = how.rounds == 1 ? how.walks : how.walks / 2;
    add(design_walks(random, design, static_cast<std::size_t>(first)));
    for (int round = 1; round <= how.rounds; ++round) {
        const Progress of_round = part_progress(progress, static_cast<std::size_t>(round - 1),
                                                static_cast<std::size_t>(how.rounds));
        result.identification = identify(measured, options, of_round, stop);
        // What the walks so far leave open decides the walks of the next round. A large cache needs
        // longer walks to be filled, as long as its capacity is open.
        if (round < how.rounds) {
            if (capacity_is_open(result.identification)) {
                design.steps = std::max(design.steps, std::min(4 * design.steps, how.most_steps));
            }
            const auto left = how.walks - static_cast<std::int64_t>(measured.size());
            const auto count = static_cast<std::size_t>(left / (how.rounds - round));
            // So many reads of candidate walks are simulated in every cache that is still in
            // question, to choose those on which the caches differ most.
            constexpr std::int64_t pool_reads = 1'200'000;
            const auto pool = static_cast<std::size_t>(pool_reads / design.steps);
            const ProposeOptions next{.count = count,
                                      .pool = std::clamp<std::size_t>(
                                          pool, 4 * count, std::max<std::size_t>(600, 4 * count)),
                                      .design = design,
                                      .bytes_per_texel = how.bytes_per_texel,
                                      .first_number = static_cast<std::int64_t>(measured.size()),
                                      .seed = random(),
                                      .threads = options.threads};
            add(propose_walks(result.identification, next, stop));
        }
    }
    return result;
}

bool names(const std::vector<TextureCache>& caches, const TextureCache& truth, bool replacement_too)
{
    const auto alike = [&](const TextureCache& cache) {
        const CacheGeometry& a = cache.l1;
        const CacheGeometry& b = truth.l1;
        // A single set needs no index, and a line that is one sector has none.
        const bool same_index = a.index == b.index || b.sets() == 1;
        return to_string(cache.layout) == to_string(truth.layout) && a.capacity == b.capacity &&
               a.line == b.line && a.granule() == b.granule() &&
               a.ways_per_set() == b.ways_per_set() && same_index &&
               (a.replacement == b.replacement || !replacement_too);
    };
    return std::ranges::any_of(caches, alike);
}

IdentifiedDevice identify_simulated(const SimulationOptions& device,
                                    const SimulatedIdentification& how, IdentifyOptions options,
                                    const Progress& progress, const StopToken& stop)
{
    options.extra_layouts.push_back(device.machine.layout);
    // Other seeds than those of the walks' design, so that noise and walks are independent.
    std::mt19937_64 seeds(options.seed ^ 0x6e6f697365U);
    const auto measure = [&](const std::vector<TexelWalk>& walks) {
        return measure_simulated(device, how.asked.extent, how.asked.bytes_per_texel, walks,
                                 how.noise, seeds(), stop)
            .ns_per_read;
    };
    IdentifiedDevice result{identify_in_rounds(measure, how.asked, options, progress, stop),
                            {device.machine.layout, device.machine.l1().geometry}};
    const std::vector<TextureCache>& named =
        result.rounds.identification.explanations.front().equivalents;
    result.found = names(named, result.truth, true);
    result.found_but_for_replacement = names(named, result.truth, false);
    return result;
}

} // namespace texelscope::workbench::probes
