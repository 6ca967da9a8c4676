#include "workbench/probes/probe_run.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>

namespace texelscope::workbench::probes {
namespace {

/// Why a probe does not run; empty where it does.
std::string reason_to_skip(const Probe& probe, const TargetInfo& info, const Known& known)
{
    if (info.cpu && !probe.on_cpu) {
        return probe.why_not_on_cpu;
    }
    for (const std::string& need : probe.needs) {
        if (!known.contains(need)) {
            return "it needs " + need + ", which no probe has found";
        }
    }
    return {};
}

} // namespace

ProbeRecord run_probe(const Probe& probe, const ProbeRun& run, const TargetInfo& info,
                      const Known& known)
{
    ProbeRecord record;
    record.name = probe.name;
    record.reason = reason_to_skip(probe, info, known);
    if (!record.reason.empty()) {
        record.status = ProbeRecord::Status::skipped;
        return record;
    }
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    const auto seconds = [&] {
        return std::chrono::duration<double>(Clock::now() - start).count();
    };
    const auto ended = [&] { return run.options.stop && run.options.stop(); };
    // A probe ends when the user stops it or its time is over; afterwards ended() tells which.
    const StopToken stop = [&] {
        return ended() || (run.time_limit && seconds() > *run.time_limit);
    };
    try {
        ProbeOptions options = run.options;
        options.stop = stop;
        record.result = probe.run(*run.open(stop), known, options);
    } catch (const Error& error) {
        record.status = ProbeRecord::Status::failed;
        record.reason = error.what();
    } catch (const Interrupted&) {
        if (ended()) {
            throw;
        }
        record.status = ProbeRecord::Status::failed;
        record.reason =
            fmt::format("it took longer than {} s and was ended", run.time_limit.value_or(0));
    }
    record.seconds = seconds();
    return record;
}

void learn(Known& known, const ProbeRecord& record)
{
    for (const ProbeFinding& finding : record.result.findings) {
        known[finding.key] = finding.value;
    }
}

std::vector<const Probe*> with_needed(const std::vector<const Probe*>& chosen, const Known& known)
{
    std::set<std::string> wanted; // keys
    std::vector<const Probe*> all;
    // Backwards: a probe that is wanted for its finding stands before those that need it.
    for (auto probe = probes().rbegin(); probe != probes().rend(); ++probe) {
        const bool finds = std::ranges::any_of(
            probe->finds, [&](const auto& key) { return wanted.contains(key); });
        if (!finds && std::ranges::find(chosen, &*probe) == chosen.end()) {
            continue;
        }
        all.push_back(&*probe);
        for (const std::string& need : probe->needs) {
            if (!known.contains(need)) {
                wanted.insert(need);
            }
        }
    }
    std::ranges::reverse(all);
    return all;
}

} // namespace texelscope::workbench::probes
