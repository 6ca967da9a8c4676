#pragma once

#include "base/averages.hpp"
#include "base/stop.hpp"
#include "devices/targets/target.hpp"
#include "model/curves/probe_curve.hpp"
#include "workbench/plots/panel_plot.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::probes {

/// A place on a curve's x axis that a conclusion is drawn from, with an interval.
struct ProbeMark {
    double x = 0;
    double low = 0;
    double high = 0;
    std::string label;
};

struct ProbeCurve {
    std::string name;    ///< unique within its probe
    std::string x_label; ///< with its unit
    std::string y_label;
    bool log_x = false;
    std::vector<ProbePoint> points = {};
    std::vector<ProbeMark> marks = {};
    std::string family = {}; ///< curves of one family, with common axes, are drawn in one plot
};

/// A conclusion.
struct ProbeFinding {
    std::string key;  ///< one of profile_keys(), or a name of the probe's own
    double value = 0; ///< in `unit`
    std::string unit;
    std::string how; ///< one line: what it follows from, and what it does not tell
    /// The interval of values that the samples allow; empty where none is given.
    std::optional<std::pair<double, double>> interval = {};
};

struct ProbeResult {
    std::vector<ProbeCurve> curves;
    /// Parameters of the kernels that curves do not show, by name: sizes, seeds.
    std::map<std::string, double> given;
    std::vector<ProbeFinding> findings;
    std::vector<std::string> notes; ///< what the samples cannot tell, and why
};

/// Values that earlier probes found, by the finding's key.
using Known = std::map<std::string, double>;
/// The value of a key; nothing where no probe found it.
[[nodiscard]] std::optional<double> value_of(const Known& known, const std::string& key);

struct ProbePlot {
    std::string name; ///< unique within its probe
    PanelPlot plot;
};

struct ProbeOptions {
    int samples = 15;
    std::uint64_t seed = 1;
    /// Bytes of the largest image that a probe allocates.
    std::int64_t largest_image = std::int64_t{64} << 20U;
    /// Bytes of the largest image of chases that look for a cache level beyond that, where the
    /// device allows as much.
    std::int64_t largest_chase = std::int64_t{4} << 30U;
    int walks = 300; ///< number of walks of the probe tmmodel-walks
    StopToken stop = {};
};

/// A microbenchmark with a conclusion.
struct Probe {
    std::string name;
    std::string about;              ///< one line
    std::vector<std::string> needs; ///< keys that earlier probes have to have found
    bool on_cpu = false;            ///< whether it makes sense where there is no texture unit
    std::string why_not_on_cpu;     ///< why not, where on_cpu is false
    std::function<ProbeResult(Target&, const Known&, const ProbeOptions&)> run;
    std::vector<std::string> suites{"archprobe"}; ///< names of the suites that it belongs to
    /// Makes plots of what it found on a device; where empty, each curve gets one plot.
    std::function<std::vector<ProbePlot>(const ProbeResult&, const std::string& device)> plots = {};
    std::vector<std::string> finds = {}; ///< keys that other probes need
};

/// All probes, in the order in which they have to run.
[[nodiscard]] const std::vector<Probe>& probes();

using base::median;
/// Median of the samples.
[[nodiscard]] inline double median(const ProbePoint& point)
{
    return median(point.samples);
}

} // namespace texelscope::workbench::probes
