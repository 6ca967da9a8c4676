#pragma once

#include "python/bind_device.hpp"
#include "sim/simulate.hpp"
#include "traces/trace_source.hpp"
#include "workbench/plots/miss_ratio_plot.hpp"
#include "workbench/study/launch_result.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::python {

/// A launch on a simulated device: what every analysis of the package starts from. A study makes
/// one of its kernel, on_device() one of a trace; simulated(), counted_maps() and reuse_of() ask
/// it.
struct SimulatedLaunch {
    std::shared_ptr<const TraceSource> source;
    SimulationOptions options;
    std::string text;   ///< operator and configuration, or the trace
    std::string device; ///< name of the profile
    std::optional<TimedLaunch> in_time =
        {}; ///< what timed mode simulates in its place: the same kernel with its buffers
};

/// The accesses of a launch: of a study's kernel on its device, or out of a file. A file names no
/// device, so `study` is empty and on_device() needs one.
struct Trace {
    std::shared_ptr<const TraceSource> source;
    std::optional<SimulatedLaunch> study = {};
};
/// On a device; none given: the study's, or else the default one.
[[nodiscard]] SimulatedLaunch on_device(const Trace& trace,
                                        const std::optional<GivenDevice>& device);

/// A file, by a text or what os.fspath() takes.
using GivenPath = std::optional<std::filesystem::path>;

/// What became of a simulation. Times and occupancy in it need the options that it ran with.
struct Simulation {
    SimulationResult result;
    SimulationOptions options;
};
/// `timeline`: file to write in timed mode.
[[nodiscard]] Simulation simulated(const SimulatedLaunch& launch, bool timed,
                                   const GivenPath& timeline);

/// Counts of one quantity for each texel of an image.
struct CountedMap {
    HeatMap map;
    std::string image;
    std::string quantity;
    std::string title;
};
/// Numbers [begin, end) of steps, accesses or groups; nothing: all.
using GivenRange = std::optional<std::pair<std::int64_t, std::int64_t>>;
/// Throws bad_input where it is empty or begins below 0.
[[nodiscard]] HalfOpenRange range_of(const GivenRange& given);
/// Maps of every image, image by image in the order of `quantities`. Empty: all_heat_quantities.
/// Throws bad_input for a name that is none.
[[nodiscard]] std::vector<CountedMap> counted_maps(const SimulatedLaunch& launch,
                                                   const std::vector<std::string>& quantities,
                                                   const GivenRange& steps,
                                                   const GivenRange& accesses);
/// One of them; empty image: the first.
[[nodiscard]] CountedMap counted_map(const SimulatedLaunch& launch, const std::string& image,
                                     const std::string& quantity, const GivenRange& steps,
                                     const GivenRange& accesses);

/// Reuse distances and the miss-ratio curves that follow from them, of each image and together.
struct Reuse {
    ReuseDistances distances;
    MissRatioCurves curves;

    /// By an image's name, or "together". Throws bad_input for another one.
    [[nodiscard]] std::size_t number_of(const std::string& name) const;
    [[nodiscard]] const ReuseDistanceHistogram& histogram(std::size_t number) const;
};
[[nodiscard]] Reuse reuse_of(const SimulatedLaunch& launch, std::optional<int> depth);

/// Every read of a launch in columns of equal length: element i of each column belongs to read i.
/// Columns become NumPy arrays without copying.
struct Accesses {
    std::vector<std::int64_t> group;
    std::vector<std::int32_t> warp; ///< of the group
    std::vector<std::uint32_t> step;
    std::vector<std::uint16_t> lane;
    std::vector<std::uint16_t> image;
    /// As the kernel computed them: they may lie outside of the image.
    std::vector<std::int32_t> x, y;
    bool complete = true; ///< false: there were more than the limit
};
/// Of groups [begin, end), warp by warp, of as many lanes as the study's device has where nobody
/// says it; at most so many reads, with a warning where there are more.
[[nodiscard]] Accesses accesses_of(const Trace& trace, std::optional<int> warp_size,
                                   std::size_t limit, const GivenRange& groups);

void add_simulations(nb::module_& module);
void add_heat_maps(nb::module_& module);
void add_reuse(nb::module_& module);
void add_traces(nb::module_& module);

} // namespace texelscope::python
