// The timed mode: the cores' events are taken in the order of time (ties: see TimedCore::Event), so that the result does
// not depend on anything but the input.

#include "sim/timed_core.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <vector>

namespace texelscope {

void run_timed(Run& run)
{
    const SimulationOptions& options = run.options;
    MissPath misses(options);
    const auto shared = std::make_shared<GroupQueue>(run.source, options.warp_size);
    std::deque<TimedCore> cores;
    for (int core = 0; core < options.cores; ++core) {
        cores.emplace_back(run, misses, core,
                           options.dispatch == Dispatch::dynamic
                               ? shared
                               : std::make_shared<GroupQueue>(run.source, options.warp_size, core, options.cores));
    }
    std::priority_queue<TimedCore::Event, std::vector<TimedCore::Event>, std::greater<>> events;
    for (const TimedCore& core : cores) {
        if (const auto event = core.next()) {
            events.push(*event);
        }
    }
    while (!events.empty()) {
        TimedCore& core = cores[static_cast<std::size_t>(events.top().core)];
        events.pop();
        auto event = core.next();
        while (event && (events.empty() || *event < events.top())) {
            core.advance();
            event = core.next();
        }
        if (event) {
            events.push(*event);
        }
    }
    std::int64_t end = 0;
    for (const TimedCore& core : cores) {
        end = std::max(end, core.finished());
    }
    for (const TimedCore& core : cores) {
        run.result.cores.push_back(core.result(end));
        run.result.groups += core.groups();
    }
    run.result.cycles = Cycles{end};
}

} // namespace texelscope
