#include "workbench/store/result_clocks.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace texelscope::workbench::store {
namespace {

using Device = std::pair<std::string, std::string>; ///< name and driver

Device device_of(const StoredResult& result)
{
    return {result.key.device, result.key.driver};
}

} // namespace

std::vector<ResultClock> result_clocks(const std::vector<StoredResult>& results)
{
    std::map<Device, double> fastest;
    for (const StoredResult& result : results) {
        if (result.reference.told() && result.reference.steady()) {
            const auto [known, fresh] =
                fastest.try_emplace(device_of(result), result.reference.median_ns);
            known->second = std::min(known->second, result.reference.median_ns);
        }
    }
    std::vector<ResultClock> clocks;
    for (const StoredResult& result : results) {
        const auto known = fastest.find(device_of(result));
        const bool comparable = result.reference.told() && known != fastest.end();
        clocks.push_back({comparable ? known->second / result.reference.median_ns : 1,
                          result.reference.steady()});
    }
    return clocks;
}

std::vector<StoredResult> at_highest_clock(const std::vector<StoredResult>& results)
{
    const std::vector<ResultClock> clocks = result_clocks(results);
    // An order of preference: what did not run is worst, then what changed, then what was slow.
    const auto rank = [&](std::size_t i) {
        return std::tuple(results[i].status == RunStatus::ok, clocks[i].steady,
                          clocks[i].highest() ? 1 : clocks[i].clock);
    };
    struct Best {
        std::size_t first; ///< the best of them
        StoredResult together;
    };
    std::vector<Best> best;
    std::map<std::tuple<Device, std::string>, std::size_t> places; // by device and kernel
    for (std::size_t i = 0; i < results.size(); ++i) {
        const auto [at, fresh] =
            places.try_emplace({device_of(results[i]), results[i].key.kernel}, best.size());
        if (fresh) {
            best.push_back({i, results[i]});
            continue;
        }
        Best& known = best[at->second];
        if (rank(i) > rank(known.first)) {
            known = {i, results[i]};
        } else if (rank(i) == rank(known.first) && clocks[i].highest() &&
                   results[i].wall_clock == known.together.wall_clock) {
            known.together.samples_ns.insert(known.together.samples_ns.end(),
                                             results[i].samples_ns.begin(),
                                             results[i].samples_ns.end());
        }
    }
    std::vector<StoredResult> all;
    for (Best& one : best) {
        all.push_back(std::move(one.together));
    }
    return all;
}

} // namespace texelscope::workbench::store
