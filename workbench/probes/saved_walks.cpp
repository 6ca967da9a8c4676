#include "workbench/probes/saved_walks.hpp"

#include "base/error.hpp"
#include "model/walks/walk_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

namespace texelscope::workbench::probes {

std::string walks_path(const std::string& prefix)
{
    return prefix + "-walks.csv.gz";
}

std::string latencies_path(const std::string& prefix)
{
    return prefix + "-latencies.csv";
}

SavedWalks::SavedWalks(std::string prefix, std::string origin, const Image& image)
    : prefix_(std::move(prefix)),
      origin_(std::move(origin)), known_{image.extent, image.bytes_per_texel, {}, {}}
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
    walks.erase(
        std::remove_if(walks.begin(), walks.end(),
                       [&](const TexelWalk& walk) { return known.count(walk.number) == 0; }),
        walks.end());
    known_ = join_walks(std::move(walks), known, image);
}

std::optional<double> SavedWalks::find(const TexelWalk& walk) const
{
    const auto found =
        std::find_if(known_.walks.begin(), known_.walks.end(),
                     [&](const TexelWalk& other) { return other.number == walk.number; });
    if (found == known_.walks.end()) {
        return std::nullopt;
    }
    if (*found != walk) {
        throw bad_input(fmt::format("walk {} is another one than this run asks for", walk.number),
                        walks_path(prefix_),
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

void write_saved_walks(const std::string& prefix, const MeasuredWalks& measured,
                       const std::string& origin)
{
    // The latencies last: what has one is whole.
    write_walks(walks_path(prefix), measured.walks);
    write_walk_latencies(latencies_path(prefix), measured, origin);
}

} // namespace texelscope::workbench::probes
