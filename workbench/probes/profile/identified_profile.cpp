#include "workbench/probes/profile/identified_profile.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace texelscope::workbench::probes {
namespace {

/// " open: 16 KiB (0.60), 32 KiB (0.40)" of a property that the walks leave open; empty for the
/// others.
std::string open_text(const Identification& identification, const std::string& property)
{
    constexpr std::size_t most = 4;
    std::string text;
    for (const PropertySupport& support : identification.support) {
        if (support.property != property || support.determined()) {
            continue;
        }
        text = "; open, by weight:";
        for (std::size_t i = 0; i < std::min(most, support.values.size()); ++i) {
            text += fmt::format("{} {} ({:.2f})", i > 0 ? "," : "", support.values[i].text,
                                support.values[i].support);
        }
        text += support.values.size() > most
                    ? fmt::format(", {} more", support.values.size() - most)
                    : "";
    }
    return text;
}

} // namespace

DeviceProfile identified_profile(DeviceProfile profile, const Identification& identification,
                                 const std::string& how)
{
    if (!explains_walks(identification)) {
        throw bad_input("no cache explains the walks", "profile " + profile.name,
                        "there is nothing to write down");
    }
    profile.of.clear(); // the walks do not say whose they are
    const Explanation& best = identification.explanations.front();
    SimulationOptions found = profile.simulation;
    found.machine.layout = best.cache.layout;
    found.machine.l1().geometry = best.cache.l1;
    // The walks give nanoseconds, a profile has cycles.
    const double clock_ghz = profile.simulation.machine.timing.clock_mhz / 1000;
    const auto cycles = [&](double ns) {
        return Cycles{std::max<std::int64_t>(1, std::llround(ns * clock_ghz))};
    };
    found.machine.l1().latency = cycles(best.latency.hit);
    found.machine.l2().latency = cycles(best.latency.hit + best.latency.miss);

    // Keys of the profile that are written, each with the property of the identification that says
    // how certain it is; latencies have none.
    struct Key {
        const char* key;
        const char* property; ///< of Identification::support
    };
    constexpr std::array<Key, 9> keys{{{"layout", "layout"},
                                       {"l1.capacity", "capacity"},
                                       {"l1.line", "line"},
                                       {"l1.ways", "ways"},
                                       {"l1.sector", "sector"},
                                       {"l1.index", "index"},
                                       {"l1.replacement", "replacement"},
                                       {"latency.l1", ""},
                                       {"latency.l2", ""}}};
    const std::string source =
        fmt::format("{}; held-out error {:.2f} %", how, 100 * identification.held_out.mape);
    for (const auto& [key, property] : keys) {
        const auto setting = std::ranges::find(settings(), key, &Setting::key);
        set_value(profile, key,
                  {get(found, key), setting->unit, Provenance::identified,
                   source + open_text(identification, property)});
    }
    validate(profile.simulation);
    return profile;
}

} // namespace texelscope::workbench::probes
