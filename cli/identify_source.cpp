#include "cli/identify_source.hpp"

#include "base/averages.hpp"
#include "base/error.hpp"
#include "cli/target_arguments.hpp"
#include "cli/terminal.hpp"
#include "devices/targets/listed_walk.hpp"
#include "experiments/probes/probe_record.hpp"
#include "model/walks/walk_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

namespace texelscope::cli {
namespace {

std::string walks_path(const std::string& prefix)
{
    return prefix + "-walks.csv.gz";
}

std::string latencies_path(const std::string& prefix)
{
    return prefix + "-latencies.csv";
}

Image parsed_image(const std::string& text)
{
    try {
        return parse_image("walks:" + text);
    } catch (const Error&) {
        throw bad_input("'" + text + "' is not WIDTHxHEIGHTxBYTES", "--image", "write it like --image 2048x2048x16");
    }
}

IdentifyOptions search_options(const IdentifySource& source, const GlobalOptions& global)
{
    IdentifyOptions options;
    options.folds = source.folds;
    options.threads = source.threads;
    options.seed = global.seed;
    for (const std::string& text : source.layouts) {
        options.extra_layouts.push_back(parse_layout(text));
    }
    return options;
}

Identified identify_files(const IdentifySource& source, const GlobalOptions& global)
{
    if (source.walks.empty() || source.latencies.empty() || source.image.empty()) {
        throw bad_input("nothing to identify", "identify",
                        "give --walks, --latencies and --image, or --on DEVICE (sim:NAME: a simulated one)");
    }
    IdentifyOptions options = search_options(source, global);
    const std::vector<LayoutSpec> known = profile_layouts();
    options.extra_layouts.insert(options.extra_layouts.end(), known.begin(), known.end());
    Identified result;
    const std::string origin = read_walk_origin(source.latencies);
    result.origin = fmt::format("walks of {}{}", source.latencies, origin.empty() ? "" : ": " + origin);
    result.rounds.measured =
        join_walks(read_walks(source.walks), read_walk_latencies(source.latencies), parsed_image(source.image));
    result.rounds.identification = identify(result.rounds.measured, options, make_progress(global), interrupted);
    return result;
}

IdentifyRounds rounds_of(const IdentifySource& source)
{
    IdentifyRounds asked = source.asked.asked;
    if (!source.image.empty()) {
        const Image image = parsed_image(source.image);
        asked.extent = image.extent;
        asked.bytes_per_texel = image.bytes_per_texel;
    }
    return asked;
}

Identified identify_simulation(const IdentifySource& source, const std::string& profile, const GlobalOptions& global)
{
    const DeviceArguments device{profile, source.device.overrides};
    const SimulatedIdentification how{rounds_of(source), source.asked.noise};
    IdentifiedDevice found = identify_simulated(device.profile().simulation, how, search_options(source, global),
                                                make_progress(global), interrupted);
    return {fmt::format("simulated {}, noise {:g}, seed {}", profile, how.noise, global.seed), found.rounds,
            std::move(found), std::nullopt};
}

Identified identify_device(const IdentifySource& source, const GlobalOptions& global)
{
    source.target.check();
    IdentifyRounds asked = rounds_of(source);
    if (asked.bytes_per_texel != Bytes{16}) {
        throw bad_input("walks on a device are through texels of 16 bytes (RGBA float32)", "--image " + source.image,
                        "write --image 1024x1024x16");
    }
    const std::unique_ptr<Target> target = source.target.open(global.seed, interrupted);
    const TargetInfo& info = target->info();
    if (asked.extent.width > info.largest_image.width || asked.extent.height > info.largest_image.height) {
        throw missing(fmt::format("its largest image is {}x{}", info.largest_image.width, info.largest_image.height),
                      info.name);
    }
    asked.most_steps = std::min(asked.most_steps, most_listed_texels);
    const std::string origin = fmt::format("{}, driver {}; median of {}, each walk a launch of its own", info.name,
                                           info.driver, source.samples);
    const Image image{.name = "walks", .extent = asked.extent, .bytes_per_texel = asked.bytes_per_texel};
    SavedWalks saved(source.save, origin, image);
    const Progress progress = make_progress(global);
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
                progress("measuring", static_cast<double>(walk.number) / static_cast<double>(asked.walks));
            }
            ns.push_back(median(target->walk({asked.extent, walk.texels}, source.samples)));
            new_ns.push_back(ns.back());
            new_walks.push_back(walk);
            if (new_walks.size() == batch) {
                saved.add(std::exchange(new_walks, {}), std::exchange(new_ns, {}));
            }
        }
        saved.add(new_walks, new_ns);
        return ns;
    };
    IdentifiedRounds rounds = identify_in_rounds(measure, asked, search_options(source, global), progress, interrupted);
    return {origin, std::move(rounds), std::nullopt, info};
}

} // namespace

SavedWalks::SavedWalks(std::string prefix, std::string origin, const Image& image)
    : prefix_(std::move(prefix)), origin_(std::move(origin)), known_{image.extent, image.bytes_per_texel, {}, {}}
{
    const std::string latencies = latencies_path(prefix_);
    if (prefix_.empty() || !std::filesystem::exists(latencies)) {
        return;
    }
    if (read_walk_origin(latencies) != origin_) {
        throw bad_input("these latencies were measured elsewhere, or otherwise", latencies,
                        "give another --save, or remove the file to measure again");
    }
    // The walks are written first: a run that was cut off in between leaves some without a latency.
    const std::map<std::int64_t, double> known = read_walk_latencies(latencies);
    std::vector<TexelWalk> walks = read_walks(walks_path(prefix_));
    walks.erase(std::remove_if(walks.begin(), walks.end(),
                               [&](const TexelWalk& walk) { return known.count(walk.number) == 0; }),
                walks.end());
    known_ = join_walks(std::move(walks), known, image);
}

std::optional<double> SavedWalks::find(const TexelWalk& walk) const
{
    const auto found = std::find_if(known_.walks.begin(), known_.walks.end(),
                                    [&](const TexelWalk& other) { return other.number == walk.number; });
    if (found == known_.walks.end()) {
        return std::nullopt;
    }
    if (*found != walk) {
        throw bad_input(fmt::format("walk {} is another one than this run asks for", walk.number), walks_path(prefix_),
                        "give another --save, or the --seed and settings that it was made with");
    }
    return known_.ns_per_read[static_cast<std::size_t>(found - known_.walks.begin())];
}

void SavedWalks::add(const std::vector<TexelWalk>& walks, const std::vector<double>& ns_per_read)
{
    known_.walks.insert(known_.walks.end(), walks.begin(), walks.end());
    known_.ns_per_read.insert(known_.ns_per_read.end(), ns_per_read.begin(), ns_per_read.end());
    if (!prefix_.empty() && !walks.empty()) {
        write_saved_walks(prefix_, known_, origin_);
    }
}

void write_saved_walks(const std::string& prefix, const MeasuredWalks& measured, const std::string& origin)
{
    // The latencies last: what has one is whole.
    write_walks(walks_path(prefix), measured.walks);
    write_walk_latencies(latencies_path(prefix), measured, origin);
}

Identified identify_source(const IdentifySource& source, const GlobalOptions& global)
{
    if (!source.target.on.empty() && (!source.walks.empty() || !source.latencies.empty())) {
        throw bad_input("walks from files and --on were both given", "identify", "give one of them");
    }
    const std::optional<std::string> profile = source.target.simulated_profile();
    if (!source.device.overrides.empty() && !profile) {
        throw bad_input("only a simulated device can be changed", "--set", "give --on sim:NAME");
    }
    Identified found = source.target.on.empty() ? identify_files(source, global)
                       : profile                ? identify_simulation(source, *profile, global)
                                                : identify_device(source, global);
    if (!source.save.empty() && !found.real) {
        write_saved_walks(source.save, found.rounds.measured, found.origin);
    }
    return found;
}

} // namespace texelscope::cli
