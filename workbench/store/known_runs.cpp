#include "workbench/store/known_runs.hpp"

#include "base/error.hpp"
#include "devices/jobs/described_device.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>
#include <utility>

namespace texelscope::workbench::store {
// Stored runs of a real device, as rows of a cross-check.
namespace {

std::optional<bool> describes_device(const DeviceProfile& profile, const std::string& device)
{
    OpenClDeviceInfo info;
    info.name = device;
    return describes(profile, info);
}

/// The device that is meant: the only one, or the only one that the profile describes.
std::string meant(const std::set<std::string>& devices, const DeviceProfile& profile,
                  const std::string& where)
{
    if (devices.size() == 1) {
        return *devices.begin();
    }
    std::vector<std::string> described;
    for (const std::string& device : devices) {
        if (describes_device(profile, device).value_or(false)) {
            described.push_back(device);
        }
    }
    if (described.size() != 1) {
        throw bad_input(fmt::format("it has runs on {}", fmt::join(devices, ", ")), where,
                        "take the profile of one of them, or a file of one device's");
    }
    return described.front();
}

} // namespace

KnownRuns known_runs(const std::vector<StoredResult>& results, const Operator& op,
                     const DeviceProfile& profile, const std::string& where)
{
    const StoredResult wanted = row_of({}, op, op.default_schedule);
    const auto is_wanted = [&](const StoredResult& result) {
        return result.key.judge == "device" && result.median_ns() > 0 && result.op == wanted.op &&
               result.shape == wanted.shape && result.padding == wanted.padding;
    };
    std::set<std::string> devices;
    std::set<std::string> others;
    for (const StoredResult& result : results) {
        if (is_wanted(result)) {
            devices.insert(result.key.device);
        } else if (result.op == wanted.op) {
            others.insert(result.shape);
        }
    }
    if (devices.empty()) {
        throw bad_input("it has no run of " + to_string(op), where,
                        others.empty()
                            ? "take the operator of one that it has"
                            : fmt::format("of {} it has {}", op.name, fmt::join(others, " and ")));
    }
    KnownRuns known;
    known.device = meant(devices, profile, where);
    known.like_with_like = describes_device(profile, known.device);
    std::map<std::string, std::size_t> place; // place of each configuration among the rows
    for (const StoredResult& result : results) {
        if (!is_wanted(result) || result.key.device != known.device) {
            continue;
        }
        CrosscheckRow row;
        row.schedule = parse_schedule(result.config);
        row.checked = result.status == RunStatus::ok;
        row.reason = result.reason;
        row.wall_clock = result.wall_clock;
        row.measured = Nanoseconds{result.median_ns()};
        const auto [found, fresh] = place.try_emplace(to_string(row.schedule), known.rows.size());
        if (fresh) {
            known.rows.push_back(std::move(row));
        } else {
            // A configuration that ran several times counts with its last run.
            known.rows[found->second] = std::move(row);
        }
    }
    return known;
}

} // namespace texelscope::workbench::store
