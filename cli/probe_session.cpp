#include "cli/probe_session.hpp"

#include "base/error.hpp"
#include "cli/isolated.hpp"
#include "cli/terminal.hpp"

#include <CLI/CLI.hpp>

#include <chrono>
#include <functional>
#include <memory>

namespace texelscope::cli {
namespace {

/// Does the work in a process of its own where a driver takes part, which may crash or hang; throws missing where it did, or
/// after `seconds`. The result is what `work` returns, as JSON.
ordered_json guarded(const ProbeSession& session, double seconds, const std::function<ordered_json()>& work)
{
    return session.target.simulated_profile() ? work()
                                              : ordered_json::parse(isolated([&] { return work().dump(); }, seconds));
}

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

void ProbeSession::add_to(CLI::App& parser)
{
    target.add_to(parser);
    parser.add_option("--time-limit", time_limit, "seconds of a probe on a real device, which then goes on")
        ->check(CLI::Range(1.0, 3600.0))
        ->capture_default_str();
    parser.add_option("--largest-image", options.largest_image, "bytes of the largest image to allocate")
        ->check(CLI::Range(std::int64_t{1} << 20, std::int64_t{1} << 32))
        ->capture_default_str();
    parser
        .add_option("--largest-chase", options.largest_chase,
                    "bytes that an image grows to where no second level of caches is seen in a smaller one")
        ->check(CLI::Range(std::int64_t{1} << 20, std::int64_t{1} << 34))
        ->capture_default_str();
}

ProbeSession ProbeSession::seeded(std::uint64_t with) const
{
    ProbeSession session = *this;
    session.seed = with;
    session.options.seed = with;
    session.options.stop = interrupted;
    return session;
}

TargetInfo target_info(const ProbeSession& session)
{
    constexpr double opening_seconds = 60;
    return info_from_json(guarded(session, opening_seconds,
                                  [&] { return experiments::to_json(session.target.open(session.seed)->info()); }));
}

ProbeRecord run_probe(const Probe& probe, const ProbeSession& session, const TargetInfo& info, const Known& known)
{
    ProbeRecord record;
    record.name = probe.name;
    record.reason = reason_to_skip(probe, info, known);
    if (!record.reason.empty()) {
        record.status = ProbeRecord::Status::skipped;
        return record;
    }
    const auto start = std::chrono::steady_clock::now();
    try {
        const ordered_json json = guarded(session, session.time_limit, [&] {
            ProbeRecord child;
            child.name = probe.name;
            try {
                const std::unique_ptr<Target> target = session.target.open(session.seed);
                child.result = probe.run(*target, known, session.options);
            } catch (const Error& error) {
                child.status = ProbeRecord::Status::failed;
                child.reason = error.what();
            }
            return to_json(child);
        });
        record = record_from_json(json, probe.name);
    } catch (const Error& error) { // the process crashed or took too long
        record.status = ProbeRecord::Status::failed;
        record.reason = error.what();
    }
    record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return record;
}

void learn(Known& known, const ProbeRecord& record)
{
    for (const ProbeFinding& finding : record.result.findings) {
        known[finding.key] = finding.value;
    }
}

} // namespace texelscope::cli
