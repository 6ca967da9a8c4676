#include "experiments/search/searches.hpp"

#include "base/averages.hpp"
#include "base/error.hpp"
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
#include <limits>
#include <map>

namespace texelscope::experiments {
namespace {

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

constexpr std::size_t five_percent = 1;                // of search_shares
constexpr const char* kernel_tuner = "Kernel Tuner: "; // names of its strategies begin so

/// Where what is not known is more than everything else: nothing, where that is in the middle.
std::optional<double> median_where_known(const std::vector<std::optional<double>>& values)
{
    const double middle = median(mapped(values, [](const std::optional<double>& value) {
        return value.value_or(std::numeric_limits<double>::infinity());
    }));
    return std::isfinite(middle) ? std::optional(middle) : std::nullopt;
}

SearchOnShape over_seeds(const std::vector<FoundAfter>& seeds)
{
    SearchOnShape shape;
    for (std::size_t i = 0; i < search_runs.size(); ++i) {
        shape.found[i] = geometric_mean(mapped(seeds, [&](const FoundAfter& found) {
            return found[std::min(static_cast<std::size_t>(search_runs[i]), found.size()) - 1];
        }));
    }
    for (std::size_t i = 0; i < search_shares.size(); ++i) {
        shape.within[i] = median_where_known(mapped(seeds, [&](const FoundAfter& found) {
            const auto runs = runs_within(found, search_shares[i]);
            return runs ? std::optional(static_cast<double>(*runs)) : std::nullopt;
        }));
    }
    return shape;
}

/// Kernel Tuner's own strategies on the same kernels, as they were run there.
std::vector<SearchCurve> kernel_tuner_curves(const std::vector<MeasuredSpace>& spaces)
{
    std::map<std::string, SearchCurve> curves;
    for (const KernelTunerSearch& row : kernel_tuner_searches()) {
        SearchCurve& curve = curves[row.strategy];
        curve.name = kernel_tuner + row.strategy;
        curve.seeds = row.seeds;
        curve.shapes.resize(spaces.size());
        const auto space =
            std::ranges::find(spaces, row.op + " " + row.shape,
                              [](const MeasuredSpace& each) { return to_string(each.op); });
        if (space == spaces.end()) {
            throw bad_input("there is no such shape", row.op + " " + row.shape);
        }
        SearchOnShape& shape = curve.shapes[static_cast<std::size_t>(space - spaces.begin())];
        if (row.quantity == "over-best") {
            const auto at = std::ranges::find(search_runs, std::llround(row.at));
            shape.found.at(static_cast<std::size_t>(at - search_runs.begin())) = *row.value;
        } else if (row.quantity == "runs-to") {
            const auto at = std::ranges::find_if(
                search_shares, [&](double share) { return std::abs(1 + share - row.at) < 1e-9; });
            shape.within.at(static_cast<std::size_t>(at - search_shares.begin())) = row.value;
        }
    }
    std::vector<SearchCurve> all;
    for (auto& [name, curve] : curves) {
        all.push_back(std::move(curve));
    }
    return all;
}

/// For each shape a correction that has seen all others.
std::vector<MeasuredCorrection> held_out_corrections(const std::vector<StoredResult>& results,
                                                     const DeviceProfile& device,
                                                     const std::vector<MeasuredSpace>& spaces,
                                                     const Progress& progress,
                                                     const StopToken& stop)
{
    const std::vector<CorrectionSample> samples = correction_samples(results, device, stop);
    std::vector<MeasuredCorrection> corrections; // each is fitted on all cores
    for (std::size_t shape = 0; shape < spaces.size(); ++shape) {
        tell(progress, "corrections", shape, spaces.size());
        std::vector<CorrectionSample> others = samples;
        std::erase_if(others, [&](const CorrectionSample& one) { return one.shape == shape; });
        corrections.emplace_back(others, stop);
    }
    return corrections;
}

std::vector<SearchCurve> curves_of(const std::vector<StoredResult>& results,
                                   const std::vector<MeasuredSpace>& spaces,
                                   const DeviceProfile& device, const Progress& progress,
                                   const StopToken& stop)
{
    const std::vector<MeasuredCorrection> others =
        held_out_corrections(results, device, spaces, progress, stop);
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
                replayed(searches[s].strategy, spaces[shape], device, search_runs.back(), seed + 1,
                         searches[s].others ? &others[shape] : nullptr, stop);
        },
        stop, [&](std::size_t done) { tell(progress, "searches", done, tasks.size()); });
    std::vector<SearchCurve> curves;
    for (std::size_t s = 0; s < searches.size(); ++s) {
        curves.push_back({searches[s].name, searches[s].seeds, mapped(found[s], over_seeds)});
    }
    return curves;
}

/// By shape, after so many runs.
std::vector<double> found_after(const SearchCurve& curve, std::int64_t runs)
{
    const auto at =
        static_cast<std::size_t>(std::ranges::find(search_runs, runs) - search_runs.begin());
    return mapped(curve.shapes, [&](const SearchOnShape& shape) { return shape.found.at(at); });
}

ResultTable table_of(const std::vector<SearchCurve>& curves)
{
    ResultTable table{{"search", "seeds"}, {}};
    for (const std::int64_t runs : search_runs) {
        table.columns.push_back(fmt::format("best of {}", runs));
        table.columns.push_back(fmt::format("worst of {}", runs));
    }
    for (const double share : search_shares) {
        table.columns.push_back(fmt::format("runs to {:.0f} %", 100 * share));
    }
    for (const SearchCurve& curve : curves) {
        std::vector<ResultTable::Value> row{curve.name, std::int64_t{curve.seeds}};
        for (const std::int64_t runs : search_runs) {
            row.emplace_back(thousandths(curve.mean(runs)));
            row.emplace_back(thousandths(curve.worst(runs)));
        }
        for (std::size_t share = 0; share < search_shares.size(); ++share) {
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
    for (const std::int64_t runs : search_runs) {
        table.columns.push_back(fmt::format("best of {}", runs));
    }
    for (const double share : search_shares) {
        table.columns.push_back(fmt::format("runs to {:.0f} %", 100 * share));
    }
    for (std::size_t s = 0; s < spaces.size(); ++s) {
        for (const SearchCurve& curve : curves) {
            const SearchOnShape& shape = curve.shapes[s];
            std::vector<ResultTable::Value> row{to_string(spaces[s].op),
                                                std::ssize(spaces[s].schedules),
                                                std::round(spaces[s].best.value), curve.name};
            for (const double over : shape.found) {
                row.emplace_back(thousandths(over));
            }
            for (const auto& runs : shape.within) {
                row.emplace_back(runs ? ResultTable::Value(*runs) : ResultTable::Value("-"));
            }
            table.rows.push_back(std::move(row));
        }
    }
    return table;
}

/// That of its strategies that comes within 5 % of the best after the fewest runs.
const SearchCurve* best_of_kernel_tuner(const std::vector<SearchCurve>& curves)
{
    const SearchCurve* best = nullptr;
    const auto runs = [](const SearchCurve& curve) {
        return curve.runs_to(five_percent).value_or(std::numeric_limits<double>::infinity());
    };
    for (const SearchCurve& curve : curves) {
        if (curve.name.starts_with(kernel_tuner) &&
            (best == nullptr || runs(curve) < runs(*best))) {
            best = &curve;
        }
    }
    return best;
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
    plot.x_high = search_runs.back();
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
    std::size_t colour = 0;
    for (const SearchCurve& curve : curves) {
        if (curve.name.starts_with(kernel_tuner) && &curve != best_of_kernel_tuner(curves)) {
            continue;
        }
        for (std::size_t p = 0; p < plot.panels.size(); ++p) {
            PanelPlot::Curve line{curve.name, series_colour(colour)};
            for (std::size_t i = 0; i < search_runs.size(); ++i) {
                const double over =
                    p == 0 ? curve.mean(search_runs[i]) : curve.shapes[p - 1].found[i];
                line.points.push_back({static_cast<double>(search_runs[i]), std::min(over, most),
                                       fmt::format("{:.3f} after {}", over, search_runs[i])});
            }
            plot.panels[p].curves.push_back(std::move(line));
        }
        ++colour;
    }
    return plot;
}

/// By how much the median of a kernel's samples is off, as a share of it, in the median over
/// kernels: its standard error, as if samples were normal with their quartiles.
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

Finding finding_after(const SearchCurve& curve, const std::string& claim, std::int64_t runs,
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
    std::vector<Finding> findings{
        finding_after(informed, "without a run, where other shapes were measured", 1, 1.15, 1.4),
        finding_after(informed, "the best of 8 runs", 8, 1.08, {}),
        finding_after(informed, "the best of 16 runs", 16, 1.04, 1.15),
        finding_after(informed, "the best of 64 runs", 64, 1.01, 1.04),
        finding_after(alone, "the best of 8 runs, where nothing was measured before", 8, 1.08, {}),
        finding_after(alone, "the best of 64 runs, where nothing was measured before", 64, 1.01,
                      1.04)};
    const auto ours = informed.runs_to(five_percent);
    if (const SearchCurve* theirs = best_of_kernel_tuner(curves); theirs != nullptr && ours) {
        constexpr double times = 4;
        const auto runs = theirs->runs_to(five_percent);
        findings.push_back(
            {"Kernel Tuner's best strategy takes four times as many runs to within 5 %", "our aim",
             fmt::format("{} takes {}, ours {:.1f}", theirs->name,
                         runs ? fmt::format("{:.1f}", *runs) : "more than all", *ours),
             verdict_of(!runs || *runs >= times * *ours)});
    }
    return findings;
}

} // namespace

double SearchCurve::mean(std::int64_t runs) const
{
    return geometric_mean(found_after(*this, runs));
}

double SearchCurve::worst(std::int64_t runs) const
{
    return std::ranges::max(found_after(*this, runs));
}

std::optional<double> SearchCurve::runs_to(std::size_t share) const
{
    return median_where_known(
        mapped(shapes, [&](const SearchOnShape& shape) { return shape.within[share]; }));
}

ExperimentResult run_searches(const ExperimentDevice& device, const Progress& progress,
                              const StopToken& stop)
{
    const std::vector<StoredResult> results = h200_dense();
    const std::vector<MeasuredSpace> spaces = measured_spaces(results);
    std::vector<SearchCurve> curves = curves_of(results, spaces, device.profile, progress, stop);
    const std::vector<SearchCurve> theirs = kernel_tuner_curves(spaces);
    curves.insert(curves.end(), theirs.begin(), theirs.end());
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
