#include "workbench/probes/identified.hpp"

#include "base/averages.hpp"
#include "base/error.hpp"
#include "devices/targets/listed_walk.hpp"
#include "model/identification/propose_walks.hpp"
#include "model/walks/archprobe_table.hpp"
#include "model/walks/walk_file.hpp"
#include "workbench/probes/saved_walks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <utility>

namespace texelscope::workbench::probes {

Image parse_walks_image(const std::string& text, const std::string& where)
{
    try {
        return parse_image("walks:" + text);
    } catch (const Error&) {
        throw bad_input("'" + text + "' is not WIDTHxHEIGHTxBYTES", where,
                        "write it like 2048x2048x16");
    }
}

Image guessed_image(const std::vector<TexelWalk>& walks)
{
    std::int32_t farthest = 0;
    for (const TexelWalk& walk : walks) {
        for (const Texel& texel : walk.texels) {
            farthest = std::max({farthest, texel.x, texel.y});
        }
    }
    const auto side =
        static_cast<std::int32_t>(std::bit_ceil(static_cast<std::uint32_t>(farthest) + 1));
    return {.name = "walks", .extent = {side, side}, .bytes_per_texel = Bytes{16}};
}

std::string latencies_beside(const std::string& walks)
{
    const std::string stem = walks.substr(0, walks.find(".csv", walks.find_last_of('/') + 1));
    constexpr std::string_view walks_end = "-walks";
    const std::string before =
        stem.ends_with(walks_end) ? stem.substr(0, stem.size() - walks_end.size()) : stem;
    for (const std::string& prefix : {before, stem}) {
        if (std::filesystem::exists(latencies_path(prefix))) {
            return latencies_path(prefix);
        }
    }
    return {};
}

Identified identify_files(const WalkFiles& files, IdentifyOptions options, const Progress& progress,
                          const StopToken& stop)
{
    const std::vector<LayoutSpec> known = profile_layouts();
    options.extra_layouts.insert(options.extra_layouts.end(), known.begin(), known.end());
    Identified result;
    if (files.latencies.empty()) {
        ArchProbeWalks walks = read_archprobe_walks(files.walks, files.image);
        result.origin = std::move(walks.chosen);
        result.rounds.measured = std::move(walks.measured);
    } else {
        const std::string origin = read_walk_origin(files.latencies);
        result.origin =
            fmt::format("walks of {}{}", files.latencies, origin.empty() ? "" : ": " + origin);
        std::vector<TexelWalk> walks = read_walks(files.walks);
        const Image image = files.image ? *files.image : guessed_image(walks);
        result.rounds.measured =
            join_walks(std::move(walks), read_walk_latencies(files.latencies), image);
    }
    result.rounds.identification = identify(result.rounds.measured, options, progress, stop);
    return result;
}

Identified identify_profile(const DeviceProfile& device, const SimulatedIdentification& how,
                            const IdentifyOptions& options, const Progress& progress,
                            const StopToken& stop)
{
    IdentifiedDevice found = identify_simulated(device.simulation, how, options, progress, stop);
    return {fmt::format("simulated {}, noise {:g}, seed {}", device.name, how.noise, options.seed),
            found.rounds, std::move(found), std::nullopt};
}

Identified identify_target(Target& target, IdentifyRounds asked, int samples,
                           const std::string& save, const IdentifyOptions& options,
                           const Progress& progress, const StopToken& stop)
{
    const TargetInfo& info = target.info();
    if (asked.bytes_per_texel != Bytes{16}) {
        throw bad_input("walks on a device are through texels of 16 bytes (RGBA float32)",
                        info.name, "ask for an image like 1024x1024x16");
    }
    if (asked.extent.width > info.largest_image.width ||
        asked.extent.height > info.largest_image.height) {
        throw missing(fmt::format("its largest image is {}x{}", info.largest_image.width,
                                  info.largest_image.height),
                      info.name);
    }
    asked.most_steps = std::min(asked.most_steps, most_listed_texels);
    const std::string origin =
        fmt::format("{}, driver {}; median of {}, each walk a launch of its own", info.name,
                    info.driver, samples);
    const Image image{
        .name = "walks", .extent = asked.extent, .bytes_per_texel = asked.bytes_per_texel};
    SavedWalks saved(save, origin, image);
    const auto measure = [&](const std::vector<TexelWalk>& walks) {
        constexpr std::size_t batch = 10; // walks that are written to the files together
        std::vector<double> ns, new_ns;
        std::vector<TexelWalk> new_walks;
        for (const TexelWalk& walk : walks) {
            if (const auto known = saved.find(walk)) {
                ns.push_back(*known);
                continue;
            }
            if (progress) {
                progress("measuring",
                         static_cast<double>(walk.number) / static_cast<double>(asked.walks));
            }
            ns.push_back(median(target.walk({asked.extent, walk.texels}, samples)));
            new_ns.push_back(ns.back());
            new_walks.push_back(walk);
            if (new_walks.size() == batch) {
                saved.add(std::exchange(new_walks, {}), std::exchange(new_ns, {}));
            }
        }
        saved.add(new_walks, new_ns);
        return ns;
    };
    IdentifiedRounds rounds = identify_in_rounds(measure, asked, options, progress, stop);
    return {origin, std::move(rounds), std::nullopt, info};
}

std::vector<TexelWalk> next_walks(const IdentifiedRounds& rounds, std::size_t count,
                                  std::int64_t steps, std::uint64_t seed, int threads,
                                  const StopToken& stop)
{
    const MeasuredWalks& measured = rounds.measured;
    const ProposeOptions options{.count = count,
                                 .pool = std::max<std::size_t>(600, 4 * count),
                                 .design = {measured.extent, steps},
                                 .bytes_per_texel = measured.bytes_per_texel,
                                 .first_number = measured.walks.back().number + 1,
                                 .seed = seed,
                                 .threads = threads};
    return propose_walks(rounds.identification, options, stop);
}

} // namespace texelscope::workbench::probes
