// The simulator against a plain second one, on random cases. Each case has a seed; one that differs
// is printed with the command line that repeats it.

#include "tests/sim/differences.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>

using namespace texelscope::sim;
using namespace texelscope::test;

namespace {

constexpr int most_failures = 3; ///< that are printed

/// How many cases there were, and how much of them was jumped over.
struct Totals {
    std::int64_t launches = 0;
    std::int64_t jumped = 0; ///< launches that were not simulated step by step
    std::int64_t steps = 0;
    std::int64_t simulated_steps = 0;
};

/// Odd seeds are traces, row by row; even ones are launches. What differs, in words.
std::string run_case(std::uint64_t seed, bool levels, Totals& totals)
{
    constexpr std::uint64_t of_level =
        300'000; // a seed of its own, so that the case itself stays what it is
    Random random(seed);
    if (seed % 2 == 1) {
        SimulationCase c = random_case(random);
        if (levels) {
            add_level(seed + of_level, c.options);
        }
        const std::string text = differences(c);
        if (text.empty()) {
            return "";
        }
        const SimulationCase small = shrunk(c);
        return text + "in short:\n" + differences(small) + describe(small);
    }
    LaunchCase c = random_launch_case(random);
    if (levels) {
        add_level(seed + of_level, c.options);
    }
    const LaunchComparison comparison = compare(c);
    ++totals.launches;
    totals.jumped += comparison.simulated_steps < comparison.steps ? 1 : 0;
    totals.steps += comparison.steps;
    totals.simulated_steps += comparison.simulated_steps;
    return comparison.differences.empty() ? "" : comparison.differences + describe(c);
}

} // namespace

int main(int argc, char** argv)
{
    std::uint64_t first = 1;
    std::uint64_t cases = 10'000;
    bool levels = false;
    CLI::App app("Compares the simulator with a plain second one on random traces and launches.");
    app.add_option("--first", first,
                   "seed of the first case; odd seeds are traces, even ones launches")
        ->capture_default_str();
    app.add_option("--cases", cases, "how many")->capture_default_str();
    app.add_flag("--levels", levels, "with a level of cache beside L1 and L2, or two");
    CLI11_PARSE(app, argc, argv);

    Totals totals;
    int failures = 0;
    for (std::uint64_t seed = first; seed < first + cases && failures < most_failures; ++seed) {
        std::string text;
        try {
            text = run_case(seed, levels, totals);
        } catch (const std::exception& e) {
            text = fmt::format("throws: {}\n", e.what());
        }
        if (!text.empty()) {
            ++failures;
            fmt::print("case {} differs; to repeat it:\n  {} {}--first {} --cases 1\n{}\n", seed,
                       argv[0], levels ? "--levels " : "", seed, text);
        }
    }
    if (failures > 0) {
        fmt::print("{} cases differ{}\n", failures,
                   failures == most_failures ? "; the rest was left out" : "");
        return 1;
    }
    fmt::print("{} cases agree; {} of {} launches jumped, {} of {} steps were simulated\n", cases,
               totals.jumped, totals.launches, totals.simulated_steps, totals.steps);
    // Guards the comparison against launches that never jump.
    constexpr std::int64_t enough_to_tell = 500;
    if (totals.launches >= enough_to_tell && totals.jumped * 20 < totals.launches) {
        fmt::print(
            "fewer than a twentieth of the launches jumped: the cases have become too easy\n");
        return 1;
    }
    return 0;
}
