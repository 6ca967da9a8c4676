#include "tests/sim/differences.hpp"

#include "tests/sim/oracle.hpp"
#include "tests/sim/result_difference.hpp"
#include "traces/launch_source.hpp"

#include <algorithm>
#include <sstream>

namespace texelscope::test {
using namespace sim;

namespace {

std::string text_of(const LookupOutcome& o)
{
    const std::vector<std::string> kinds{"hit", "compulsory", "capacity", "conflict"};
    return kinds[static_cast<std::size_t>(o.miss)] +
           (o.evicted ? " evicts " + std::to_string(*o.evicted) : "");
}

template <class Outcomes>
std::string text_of_all(const Outcomes& outcomes)
{
    std::string text;
    for (const LookupOutcome& outcome : outcomes) {
        text += (text.empty() ? "" : ", ") + text_of(outcome);
    }
    return text.empty() ? "not asked" : text;
}

template <class Event>
std::string text_of_event(const Event& e)
{
    std::ostringstream s;
    s << "core " << e.core << " group " << e.group << " warp " << e.warp << " step " << e.step
      << " access_index " << e.access_index << " image " << e.image << " (" << e.texel.x << ","
      << e.texel.y << ") address " << e.address << " line " << e.line << " L1 " << text_of(e.l1)
      << " behind " << text_of_all(e.behind);
    return s.str();
}

} // namespace

std::string differences(const SimulationCase& c)
{
    const OracleResult oracle = oracle_simulate(c.images, c.rows, c.options);
    Recorder recorder;
    std::vector<SimulationObserver*> observers{&recorder};
    SimulationResult got;
    try {
        got = simulate(*c.source(), c.options, observers);
    } catch (const std::exception& e) {
        return std::string("  the simulator throws: ") + e.what() + "\n";
    }
    std::string text = result_difference(oracle.counters, got);
    if (oracle.events.size() != recorder.lookups.size()) {
        text += "  lookup events: " + std::to_string(oracle.events.size()) + " expected, got " +
                std::to_string(recorder.lookups.size()) + "\n";
    }
    for (std::size_t i = 0; i < std::min(oracle.events.size(), recorder.lookups.size()); ++i) {
        const std::string want = text_of_event(oracle.events[i]);
        const std::string seen = text_of_event(recorder.lookups[i]);
        if (want != seen) {
            text += "  lookup " + std::to_string(i) + "\n    expected " + want + "\n    got      " +
                    seen + "\n";
            break;
        }
    }
    return text;
}

SimulationCase shrunk(SimulationCase c)
{
    for (std::size_t part = std::max<std::size_t>(c.rows.size() / 2, 1); part >= 1; part /= 2) {
        for (std::size_t first = 0; first < c.rows.size();) {
            SimulationCase fewer = c;
            const auto begin = fewer.rows.begin() + static_cast<std::ptrdiff_t>(first);
            fewer.rows.erase(begin, begin + static_cast<std::ptrdiff_t>(
                                                std::min(part, fewer.rows.size() - first)));
            if (differences(fewer).empty()) {
                first += part;
            } else {
                c = fewer;
            }
        }
    }
    return c;
}

LaunchComparison compare(const LaunchCase& c)
{
    LaunchComparison comparison;
    const std::vector<TraceRow> rows = rows_of(c.launch);
    const SimulationCase as_trace{c.launch.images, rows, c.options};
    // The second simulator does not know our random numbers: then the ways are compared with each
    // other.
    const bool knows = c.options.machine.l1().geometry.replacement != ReplacementKind::random;
    const SimulationResult expected =
        knows ? oracle_simulate(c.launch.images, rows, c.options).counters
              : simulate(*as_trace.source(), c.options);
    const auto check = [&](const std::string& how, const TraceSource& source, bool jump,
                           bool watch) {
        SimulationOptions options = c.options;
        options.mode.jump = jump;
        SimulationObserver nobody;
        std::vector<SimulationObserver*> observers;
        if (watch) {
            observers.push_back(&nobody);
        }
        const SimulationResult got = simulate(source, options, observers);
        const std::string text = result_difference(expected, got);
        comparison.differences += text.empty() ? "" : how + ":\n" + text;
        return got;
    };
    const auto source = make_trace_source(c.launch);
    check("its reads as a trace", *as_trace.source(), true, false);
    check("under an observer", *source, true, true);
    check("without jumps", *source, false, false);
    const SimulationResult jumped = check("with jumps", *source, true, false);
    comparison.steps = jumped.steps;
    comparison.simulated_steps = jumped.simulated_steps;
    return comparison;
}

} // namespace texelscope::test
