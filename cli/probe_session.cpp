#include "cli/probe_session.hpp"

#include "base/error.hpp"
#include "cli/terminal.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <memory>

namespace texelscope::cli {
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

void ProbeSession::add_to(CLI::App& parser)
{
    target.add_to(parser);
    parser.add_option("--time-limit", time_limit, "seconds of a probe on a real device, which then goes on")
        ->check(CLI::Range(1.0, 3600.0));
    parser.add_option("--largest-image", options.largest_image, "bytes of the largest image to allocate")
        ->check(CLI::Range(std::int64_t{1} << 20, std::int64_t{1} << 32));
    parser
        .add_option("--largest-chase", options.largest_chase,
                    "bytes that an image grows to where no second level of caches is seen in a smaller one")
        ->check(CLI::Range(std::int64_t{1} << 20, std::int64_t{1} << 34));
}

ProbeSession ProbeSession::seeded(std::uint64_t with) const
{
    ProbeSession session = *this;
    session.seed = with;
    session.options.seed = with;
    return session;
}

TargetInfo target_info(const ProbeSession& session)
{
    return session.target.open(session.seed, interrupted)->info();
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
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
    const bool limited = !session.target.simulated_profile();
    const StopToken stop = [&] { return interrupted() || (limited && seconds() > session.time_limit); };
    try {
        ProbeOptions options = session.options;
        options.stop = stop;
        record.result = probe.run(*session.target.open(session.seed, stop), known, options);
    } catch (const Error& error) {
        record.status = ProbeRecord::Status::failed;
        record.reason = error.what();
    } catch (const Interrupted&) {
        if (interrupted()) {
            throw;
        }
        record.status = ProbeRecord::Status::failed;
        record.reason = fmt::format("it took longer than {} s and was ended", session.time_limit);
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

} // namespace texelscope::cli
