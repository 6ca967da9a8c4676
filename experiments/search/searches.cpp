#include "experiments/search/searches.hpp"

#include "base/averages.hpp"
#include "base/lists.hpp"
#include "base/parallel.hpp"
#include "base/progress.hpp"
#include "experiments/shared/experiment_device.hpp"
#include "workbench/store/shipped_measurements.hpp"
#include "workbench/tuning/stored_correction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace texelscope::experiments {
namespace {

constexpr std::int64_t most_runs = 192;
constexpr std::array<std::int64_t, 7> told_runs{1, 8, 16, 32, 64, 128, most_runs};
constexpr std::array shares{0.10, 0.05, 0.01};

/// A search that is replayed.
struct Search {
    const char* name;
    const char* strategy;
    int seeds = 1;
    bool others = false; ///< with what kernels of all other shapes took
};
constexpr auto searches =
    std::to_array<Search>({{"model's order", "shortlist"},
                           {"bayesian", "bayesian"},
                           {"bayesian, other shapes known", "bayesian", 1, true},
                           {"learned", "learned", 50},
                           {"random", "random", 50}});

SearchOnShape over_seeds(const std::vector<FoundAfter>& seeds)
{
    SearchOnShape shape;
    for (std::size_t run = 0; run < seeds.front().size(); ++run) {
        shape.found.push_back(
            geometric_mean(mapped(seeds, [&](const FoundAfter& found) { return found[run]; })));
    }
    for (const double share : shares) {
        std::vector<double> runs = mapped(seeds, [&](const FoundAfter& found) {
            const auto within = runs_within(found, share);
            return within ? static_cast<double>(*within) : std::numeric_limits<double>::infinity();
        });
        const double middle = median(std::move(runs));
        shape.within.push_back(std::isfinite(middle) ? std::optional(std::llround(middle))
                                                     : std::nullopt);
    }
    return shape;
}

/// For each shape a correction that has seen all others.
std::vector<MeasuredCorrection> held_out_corrections(const std::vector<StoredResult>& results,
                                                     const DeviceProfile& device,
                                                     const std::vector<MeasuredSpace>& spaces,
                                                     const StopToken& stop)
{
    const std::vector<CorrectionSample> samples = correction_samples(results, device, stop);
    std::vector<std::optional<MeasuredCorrection>> corrections(spaces.size());
    parallel_for(
        spaces.size(), processor_threads(),
        [&](std::size_t shape) {
            std::vector<CorrectionSample> others = samples;
            std::erase_if(others, [&](const CorrectionSample& one) { return one.shape == shape; });
            corrections[shape].emplace(others);
        },
        stop);
    return mapped(corrections, [](const auto& one) { return one.value(); });
}

std::vector<SearchCurve> curves_of(const std::vector<StoredResult>& results,
                                   const std::vector<MeasuredSpace>& spaces,
                                   const DeviceProfile& device, const Progress& progress,
                                   const StopToken& stop)
{
    tell(progress, "corrections", 0, 1);
    const std::vector<MeasuredCorrection> others =
        held_out_corrections(results, device, spaces, stop);
    struct Task {
        std::size_t search, shape, seed;
    };
    std::vector<Task> tasks;
    std::vector<std::vector<std::vector<FoundAfter>>> found; ///< by search, shape, seed
    for (std::size_t s = 0; s < searches.size(); ++s) {
        const auto seeds = static_cast<std::size_t>(searches[s].seeds);
        found.emplace_back(spaces.size(), std::vector<FoundAfter>(seeds));
        for (std::size_t shape = 0; shape < spaces.size(); ++shape) {
            for (std::size_t seed = 0; seed < seeds; ++seed) {
                tasks.push_back({s, shape, seed});
            }
        }
    }
    parallel_for(
        tasks.size(), processor_threads(),
        [&](std::size_t i) {
            const auto [s, shape, seed] = tasks[i];
            found[s][shape][seed] =
                replayed(searches[s].strategy, spaces[shape], device, most_runs, seed + 1,
                         searches[s].others ? &others[shape] : nullptr, stop);
        },
        stop, [&](std::size_t done) { tell(progress, "searches", done, tasks.size()); });
    std::vector<SearchCurve> curves;
    for (std::size_t s = 0; s < searches.size(); ++s) {
        curves.push_back({searches[s].name, searches[s].seeds, mapped(found[s], over_seeds)});
    }
    return curves;
}

double to_thousandths(double value)
{
    return std::round(value * 1000) / 1000;
}

ResultTable table_of(const std::vector<SearchCurve>& curves)
{
    ResultTable table{{"search", "seeds"}, {}};
    for (const std::int64_t runs : told_runs) {
        table.columns.push_back(fmt::format("best of {}", runs));
        table.columns.push_back(fmt::format("worst of {}", runs));
    }
    for (const double share : shares) {
        table.columns.push_back(fmt::format("runs to {:.0f} %", 100 * share));
    }
    for (const SearchCurve& curve : curves) {
        std::vector<ResultTable::Value> row{curve.name, std::int64_t{curve.seeds}};
        for (const std::int64_t runs : told_runs) {
            row.emplace_back(to_thousandths(curve.mean(runs)));
            row.emplace_back(to_thousandths(curve.worst(runs)));
        }
        for (std::size_t share = 0; share < shares.size(); ++share) {
            const auto runs = curve.runs_to(share);
            row.emplace_back(runs ? ResultTable::Value(*runs) : ResultTable::Value("-"));
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

/// What each search had found by shape.
ResultTable shapes_table(const std::vector<SearchCurve>& curves,
                         const std::vector<MeasuredSpace>& spaces)
{
    ResultTable table{{"operator", "kernels", "best_ns", "search"}, {}};
    for (const std::int64_t runs : told_runs) {
        table.columns.push_back(fmt::format("best of {}", runs));
    }
    for (const double share : shares) {
        table.columns.push_back(fmt::format("runs to {:.0f} %", 100 * share));
    }
    for (std::size_t s = 0; s < spaces.size(); ++s) {
        for (const SearchCurve& curve : curves) {
            const SearchOnShape& shape = curve.shapes[s];
            std::vector<ResultTable::Value> row{to_string(spaces[s].op),
                                                std::ssize(spaces[s].schedules),
                                                std::round(spaces[s].best.value), curve.name};
            for (const std::int64_t runs : told_runs) {
                const auto last =
                    std::min<std::size_t>(static_cast<std::size_t>(runs), shape.found.size());
                row.emplace_back(to_thousandths(shape.found[last - 1]));
            }
            for (const auto& runs : shape.within) {
                row.emplace_back(runs ? ResultTable::Value(*runs) : ResultTable::Value("-"));
            }
            table.rows.push_back(std::move(row));
        }
    }
    return table;
}

PanelPlot plot_of(const std::vector<SearchCurve>& curves, const std::vector<MeasuredSpace>& spaces)
{
    constexpr double most = 2.5; // what is above is cut
    PanelPlot plot;
    plot.title = fmt::format("Best kernel found after so many runs, over the best known: {} shapes "
                             "measured on an NVIDIA H200",
                             spaces.size());
    plot.x_label = "runs";
    plot.left_label = "time over the best";
    plot.x_log = true;
    plot.x_low = 1;
    plot.x_high = most_runs;
    plot.x_ticks = {1, 4, 16, 64, 192};
    plot.left = PlotAxis{1, most};
    plot.columns = 6;
    plot.panel_width = 150;
    plot.panel_height = 120;
    plot.panels.resize(spaces.size() + 1);
    plot.panels[0].title = "all, geometric mean";
    for (std::size_t s = 0; s < spaces.size(); ++s) {
        plot.panels[s + 1].title = to_string(spaces[s].op);
    }
    for (std::size_t c = 0; c < curves.size(); ++c) {
        for (std::size_t p = 0; p < plot.panels.size(); ++p) {
            PanelPlot::Curve line{curves[c].name, series_colour(c)};
            line.marks = false;
            for (std::int64_t runs = 1; runs <= most_runs; ++runs) {
                const auto at = static_cast<std::size_t>(runs);
                const double over =
                    p == 0 ? curves[c].mean(runs)
                           : curves[c]
                                 .shapes[p - 1]
                                 .found[std::min(at, curves[c].shapes[p - 1].found.size()) - 1];
                line.points.push_back({static_cast<double>(runs), std::min(over, most), {}});
            }
            plot.panels[p].curves.push_back(std::move(line));
        }
    }
    return plot;
}

/// Half of the spread that the median of a kernel's samples has by itself, in the mean over
/// kernels: its standard error as if samples were normal, from their quartiles, over the median.
double noise_of(const std::vector<StoredResult>& results)
{
    constexpr double quartiles = 1.349;  // between the quartiles, in standard deviations
    constexpr double of_median = 1.2533; // a median's error over a mean's
    std::vector<double> errors;
    for (const StoredResult& row : results) {
        if (row.status == RunStatus::ok && row.samples_ns.size() > 2) {
            const double spread =
                (quantile(row.samples_ns, 0.75) - quantile(row.samples_ns, 0.25)) / quartiles;
            errors.push_back(of_median * spread /
                             std::sqrt(static_cast<double>(row.samples_ns.size())) /
                             row.median_ns());
        }
    }
    return median(errors);
}

Finding found_after(const SearchCurve& curve, const std::string& claim, std::int64_t runs,
                    double mean, std::optional<double> worst)
{
    const bool holds = curve.mean(runs) <= mean && (!worst || curve.worst(runs) <= *worst);
    return {claim + fmt::format(": {:.2f}", mean) +
                (worst ? fmt::format(" in the mean, {:.2f} at worst", *worst) : " in the mean"),
            "our aim", fmt::format("{:.3f}, {:.3f}", curve.mean(runs), curve.worst(runs)),
            verdict_of(holds)};
}

std::vector<Finding> findings_of(const std::vector<SearchCurve>& curves)
{
    const auto curve = [&](const std::string& name) -> const SearchCurve& {
        return *std::ranges::find(curves, name, &SearchCurve::name);
    };
    const SearchCurve& alone = curve("bayesian");
    const SearchCurve& informed = curve("bayesian, other shapes known");
    return {
        found_after(informed, "without a run, where other shapes were measured, time over the best",
                    1, 1.15, 1.4),
        found_after(informed, "the best of 8 runs", 8, 1.08, {}),
        found_after(informed, "the best of 16 runs", 16, 1.04, 1.15),
        found_after(informed, "the best of 64 runs", 64, 1.01, 1.04),
        found_after(alone, "the best of 8 runs, where nothing was measured before", 8, 1.08, {}),
        found_after(alone, "the best of 64 runs, where nothing was measured before", 64, 1.01,
                    1.04)};
}

} // namespace

double SearchCurve::mean(std::int64_t runs) const
{
    return geometric_mean(mapped(shapes, [&](const SearchOnShape& shape) {
        return shape.found[std::min(static_cast<std::size_t>(runs), shape.found.size()) - 1];
    }));
}

double SearchCurve::worst(std::int64_t runs) const
{
    return std::ranges::max(mapped(shapes, [&](const SearchOnShape& shape) {
        return shape.found[std::min(static_cast<std::size_t>(runs), shape.found.size()) - 1];
    }));
}

std::optional<double> SearchCurve::runs_to(std::size_t share) const
{
    const double middle = median(mapped(shapes, [&](const SearchOnShape& shape) {
        return shape.within[share] ? static_cast<double>(*shape.within[share])
                                   : std::numeric_limits<double>::infinity();
    }));
    return std::isfinite(middle) ? std::optional(middle) : std::nullopt;
}

ExperimentResult run_searches(const ExperimentDevice& device, const Progress& progress,
                              const StopToken& stop)
{
    const std::vector<StoredResult> results = h200_dense();
    const std::vector<MeasuredSpace> spaces = measured_spaces(results);
    const std::vector<SearchCurve> curves =
        curves_of(results, spaces, device.profile, progress, stop);
    ExperimentResult result;
    result.conditions = {
        {"device",
         fmt::format("{}, driver {}, measured; models with the profile {}",
                     results.front().key.device, results.front().key.driver, device.profile.name)},
        {"kernels", fmt::format("{} of {} shapes; what cannot run costs a run", results.size(),
                                spaces.size())},
        {"noise", fmt::format("the median of a kernel's nine samples is off by {:.1f} % in the "
                              "median over kernels: differences below that are none",
                              100 * noise_of(results))},
        {"other shapes known",
         "the prior is corrected by what kernels of the other shapes took; of the shape itself "
         "nothing is known before it is run"},
        {"again", "experiments/measurements/tune_dense.sh measures kernels of the same shapes"},
    };
    result.table = table_of(curves);
    result.findings = findings_of(curves);
    result.plot = plot_of(curves, spaces);
    result.further.push_back({"shapes", "by shape", shapes_table(curves, spaces)});
    return result;
}

} // namespace texelscope::experiments
