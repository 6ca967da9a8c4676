#pragma once

#include "sim/options/options.hpp"
#include "sim/result/timed_observer.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace texelscope::workbench::plots {

/// Writes down a timed simulation as a timeline in Perfetto's format. Each core has counters
/// (resident warps, misses under way, hit rate), a track of the accesses that its texture unit
/// serves, and a track for each of its warp slots, which shows the warps one after the other with
/// their accesses inside.
class SimulationTimeline : public sim::TimedObserver {
public:
    /// `most_accesses`: the number beyond which the simulation ends with bad_input, since viewers
    /// take no more.
    explicit SimulationTimeline(const sim::SimulationOptions& options,
                                std::int64_t most_accesses = 4'000'000);

    void on_warp_begin(int core, std::size_t slot, std::int64_t group, std::int32_t warp,
                       double at) override;
    void on_access(const sim::ServedAccess& access) override;
    void on_warp_end(int core, std::size_t slot, double at) override;

    /// The file's bytes, once the simulation has ended. Times are rounded to whole nanoseconds.
    /// `name`: that of the outermost track.
    [[nodiscard]] std::string bytes(const std::string& name) const;

private:
    struct WarpId {
        std::int64_t group = 0;
        std::int32_t warp = 0;
    };
    struct Warp {
        WarpId id;
        double from = 0;
        double to = 0;
        std::vector<std::size_t> accesses; ///< numbers of its accesses in Core::accesses
    };
    struct Access {
        double from = 0;
        double to = 0;
        double data = 0;
        std::int64_t lookups = 0;
        std::int64_t misses = 0;
        WarpId warp;
    };
    struct Core {
        std::vector<std::vector<Warp>> slots;
        std::vector<Access> accesses;
        std::vector<std::pair<double, double>> fills; ///< from, to
    };
    class Writer;

    [[nodiscard]] Core& core(int number);

    double ns_per_cycle_;
    std::int64_t most_accesses_;
    std::int64_t accesses_ = 0;
    std::vector<Core> cores_;
};

} // namespace texelscope::workbench::plots
