#include "cli/probe_session.hpp"

#include "cli/terminal.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace texelscope::cli {

void ProbeSession::add_to(CLI::App& parser)
{
    target.add_to(parser);
    parser
        .add_option("--time-limit", time_limit,
                    "seconds of a probe on a real device, which then goes on")
        ->check(CLI::Range(1.0, 3600.0));
    parser
        .add_option("--largest-image", options.largest_image,
                    "bytes of the largest image to allocate")
        ->check(CLI::Range(std::int64_t{1} << 20, std::int64_t{1} << 32));
    parser
        .add_option(
            "--largest-chase", options.largest_chase,
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

ProbeRun ProbeSession::run() const
{
    ProbeRun how;
    // Each probe opens the target itself, with a stop token of its own.
    how.open = [target = target, seed = seed](const StopToken& stop) {
        return target.open(seed, stop);
    };
    how.options = options;
    how.options.stop = interrupted;
    if (!target.simulated_profile()) {
        how.time_limit = time_limit;
    }
    return how;
}

} // namespace texelscope::cli
