#pragma once

#include "base/stop.hpp"
#include "sim/options/options.hpp"
#include "sim/result/heat_map.hpp"
#include "sim/result/simulation_observer.hpp"
#include "traces/trace_source.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace texelscope::workbench::explain {

/// What a kernel reads of one of its arguments.
struct ArgumentReads {
    Image image;                   ///< a buffer is one of one row
    std::int64_t reads = 0;        ///< of work-items, each of one texel
    std::int64_t outside = 0;      ///< of these, outside of the image
    std::int64_t distinct = 0;     ///< texels that were read, outside of the image the nearest ones
    std::int64_t accesses = 0;     ///< of warps
    std::int64_t lines = 0;        ///< of the first cache on their way, over all accesses
    std::int64_t lookups = 0;      ///< in L1
    std::int64_t hits = 0;         ///< of these
    std::optional<HeatMap> map;    ///< reads by texel; of images alone
    std::optional<HeatMap> misses; ///< misses in L1 by texel; of images alone

    [[nodiscard]] double reads_per_texel() const { return over(reads, distinct); }
    [[nodiscard]] double outside_share() const { return over(outside, reads); }
    [[nodiscard]] double lines_per_access() const { return over(lines, accesses); }
    /// Nothing where its reads do not go through the L1 of the images.
    [[nodiscard]] std::optional<double> hit_rate() const
    {
        return lookups > 0 ? std::optional(over(hits, lookups)) : std::nullopt;
    }

private:
    static double over(std::int64_t part, std::int64_t whole)
    {
        return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
    }
};

/// Counts everything but hits and misses, by image of the source. Throws bad_input where the images
/// are too large for the memory there is.
[[nodiscard]] std::vector<ArgumentReads> argument_reads(const TraceSource& source,
                                                        const SimulationOptions& options,
                                                        const StopToken& stop = {});

/// Adds what a simulation meets in L1. `numbers`: of its images among the arguments.
class HitObserver final : public SimulationObserver {
public:
    HitObserver(std::span<ArgumentReads> arguments, std::vector<std::size_t> numbers);

    void on_lookup(const LookupEvent& event) override;

private:
    std::span<ArgumentReads> arguments_;
    std::vector<std::size_t> numbers_;
};

} // namespace texelscope::workbench::explain
