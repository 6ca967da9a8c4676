#include "model/statistics/non_negative_least_squares.hpp"
#include "workbench/probes/measurements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace texelscope::workbench::probes {
namespace {

/// What the stores of a pattern go to, all warps and iterations together.
struct Spread {
    double whole = 0; ///< sectors of which a warp writes all
    double part = 0;  ///< sectors of which it writes a part
    double lines = 0;
};

/// Rows of one warp lie in lines of their own, so that all rows are alike.
Spread spread_of(const StorePattern& pattern, std::int64_t sector, std::int64_t line)
{
    Spread spread;
    const std::int64_t run = std::int64_t{pattern.columns} * bytes_per_texel(pattern.storage);
    for (std::int64_t begin = 0; begin < run * (StorePattern::row / pattern.columns);
         begin += run) {
        const std::int64_t end = begin + run;
        const std::int64_t sectors = (end - 1) / sector - begin / sector + 1;
        const std::int64_t whole =
            std::max<std::int64_t>(0, end / sector - (begin + sector - 1) / sector);
        spread.whole += static_cast<double>(whole);
        spread.part += static_cast<double>(sectors - whole);
        const std::int64_t lines = (end - 1) / line - begin / line + 1;
        spread.lines += static_cast<double>(lines);
    }
    const auto rows = static_cast<double>(pattern.rows);
    return {spread.whole * rows, spread.part * rows, spread.lines * rows};
}

/// Least and greatest median of a curve.
std::pair<double, double> medians_of(const ProbeCurve& curve)
{
    const auto [least, greatest] = std::ranges::minmax_element(
        curve.points, {}, [](const ProbePoint& point) { return median(point); });
    return {median(*least), median(*greatest)};
}

/// time = start + whole a + part b + lines c, by least squares of relative errors.
struct Fit {
    Eigen::VectorXd found; ///< start, a, b, c
    double worst = 0;      ///< relative error
};

Fit fit(const std::vector<Spread>& spreads, const std::vector<double>& ns)
{
    const auto count = static_cast<Eigen::Index>(ns.size());
    Eigen::MatrixXd features(count, 4);
    for (Eigen::Index i = 0; i < count; ++i) {
        const Spread& spread = spreads[static_cast<std::size_t>(i)];
        features.row(i) << 1, spread.whole, spread.part, spread.lines;
        features.row(i) /= ns[static_cast<std::size_t>(i)];
    }
    const Eigen::VectorXd ones = Eigen::VectorXd::Ones(count);
    Fit fit{model::non_negative_least_squares(features, ones), 0};
    fit.worst = (features * fit.found - ones).cwiseAbs().maxCoeff();
    return fit;
}

} // namespace

ProbeResult probe_stores(Target& target, const Known& known, const ProbeOptions& options)
{
    constexpr std::int64_t most_items = 256;
    const auto warp = static_cast<std::int32_t>(known.at("warp.size"));
    constexpr double usual_line = 128;
    constexpr double usual_sector = 32;
    const auto line = static_cast<std::int64_t>(value_of(known, "l2.line").value_or(usual_line));
    const auto sector = static_cast<std::int64_t>(
        value_of(known, "l1.sector")
            .value_or(std::min(value_of(known, "l2.line").value_or(usual_sector), usual_sector)));
    StorePattern pattern;
    pattern.local =
        static_cast<std::int32_t>(std::min(most_items, target.info().max_work_group) / warp * warp);
    std::vector<Spread> spreads;
    std::vector<double> ns;
    ProbeResult result;
    for (const Storage storage : {Storage::fp32, Storage::fp16}) {
        pattern.storage = storage;
        ProbeCurve curve{fmt::format("stores of {} B", bytes_per_texel(storage)),
                         "columns of a warp", "time [ns]", true};
        for (pattern.columns = 1; pattern.columns <= std::min(warp, StorePattern::row);
             pattern.columns *= 2) {
            check_stop(options.stop);
            curve.points.push_back(
                {static_cast<double>(pattern.columns), target.run(pattern, options.samples)});
            spreads.push_back(spread_of(pattern, sector, line));
            ns.push_back(median(curve.points.back()));
        }
        result.curves.push_back(std::move(curve));
    }
    const double clock_ghz = target.info().clock_mhz / 1000;
    if (clock_ghz <= 0) {
        result.notes.emplace_back("the clock is not known, so no cycles are");
        return result;
    }
    const auto add = [&](const std::string& key, double value, const std::string& unit,
                         const std::string& how) {
        result.findings.push_back({key, value, unit, how});
    };
    const auto [least, greatest] = medians_of(result.curves.front());
    constexpr double alike = 1.15;
    if (greatest < alike * least) {
        const double bytes = static_cast<double>(pattern.rows * StorePattern::row) *
                             (bytes_per_texel(Storage::fp32) - bytes_per_texel(Storage::fp16));
        const double longer = least - medians_of(result.curves.back()).first;
        const std::string how = "stores of a warp take as long wherever they go";
        add("stores.sector", 0, "B", how);
        if (longer > 0) {
            add("bandwidth.stores", bytes / (longer * clock_ghz), "B/cycle",
                "what 16 B a store take longer than 8 B; " + how);
        }
        return result;
    }
    const auto [found, worst] = fit(spreads, ns);
    if (found[1] <= 0) {
        result.notes.emplace_back("the time does not grow with the sectors");
        return result;
    }
    const std::string how =
        fmt::format("{} patterns of a warp's stores to a buffer: whole and other sectors of {} B, "
                    "and lines of {} B; {:.0f} % off at most",
                    ns.size(), sector, line, 100 * worst);
    add("stores.sector", static_cast<double>(sector), "B", how);
    add("bandwidth.stores", static_cast<double>(sector) / (found[1] * clock_ghz), "B/cycle", how);
    add("stores.partial", std::max(1.0, found[2] / found[1]), "", how);
    add("stores.line", found[3] / found[1], "", how);
    return result;
}

} // namespace texelscope::workbench::probes
