// What the papers say of the forms, decided by predicates over the judged pairs, and how it is
// shown.

#include "base/lists.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/passes/address_elimination.hpp"
#include "devices/profile/device_profile.hpp"
#include "experiments/romou/kernel_forms.hpp"
#include "experiments/shared/within.hpp"
#include "sim/options/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

namespace texelscope::experiments {
namespace {

/// What a paper says of a form.
struct Said {
    KernelForm form;
    const char* form_text; ///< as the subject of a sentence
    const char* faster;
    double times;   ///< the speed-up; 0: it has none
    const char* by; ///< where it says so
    /// Explanations where simulated kernels are not each faster, and where they are not so many
    /// times faster.
    const char *why_each, *why_times = "";
};
constexpr std::array said{
    Said{KernelForm::addresses, "calculating common parts of addresses once",
         "greatly improves performance (section 4.1)", 6, "by 6 times on Adreno (section 4.1)",
         "simulator, probably: the texture path bounds the largest convolution, and what is issued "
         "besides spreads its reads",
         "set-up: our addresses are sums; Romou's are made from a linear index at each access, by "
         "division and remainder"},
    Said{KernelForm::scalars, "multiplying by scalars that are not written out as vectors",
         "49 % of the whole gain on Adreno, 78 % on Mali (section 5.3)", 4.9,
         "4.9 times on an Adreno 640 (section 4.1)",
         "simulator: the texture path bounds the largest convolution, and hides the moves",
         "set-up, probably: one vector more is taken to be live at a time; Romou's gain is from "
         "registers that no longer spill"},
    Said{KernelForm::split, "sharing a reduction among work-items",
         "they fill the ALUs of a fully connected operator (section 5.3)", 2.2,
         "2.2 times as fast as Mace, which does not split them (section 5.3)", "",
         "set-up, probably: Mace's kernel is another; of ours the fastest without a split has a "
         "texel of outputs for each work-item, and misses under way bound it"},
    Said{KernelForm::blocks, "copying blocks to local memory",
         "tiling and vectorization perform best (training study, section III-A); local memory is "
         "slower than cache "
         "(Romou, section 4.2)",
         0, "",
         "profile, probably: what local memory serves in a cycle is assumed, and the L1 serves "
         "lanes that read one line at once. Romou has local memory slower than cache, too; what "
         "the study's blocks gain over its naive kernel, square work-groups gain here"},
};

/// Of a pair by one side: the speed-up, and the least and the most of several rounds of runs.
struct SpeedUp {
    double value = 1;
    double least = 1;
    double most = 1;
};

/// Whose times decide.
struct Side {
    std::string where;
    std::optional<SpeedUp> (*of)(const JudgedPair& pair);
};

SpeedUp computed(const FormTimes& times)
{
    return {times.speedup(), times.speedup(), times.speedup()};
}

std::optional<SpeedUp> by_profile(const JudgedPair& pair)
{
    return computed(pair.simulated);
}

/// Times with the instructions as they are written, where the form is about instructions: the
/// profile's compiler makes the same code of both kernels.
std::optional<SpeedUp> by_simulation(const JudgedPair& pair)
{
    return computed(pair.as_written ? *pair.as_written : pair.simulated);
}

std::optional<SpeedUp> by_runs(const JudgedPair& pair)
{
    if (!pair.measured) {
        return std::nullopt;
    }
    const auto [least, most] = std::ranges::minmax(pair.rounds);
    return SpeedUp{pair.measured->speedup(), least, most};
}

/// All speed-ups in words, measured ones with the spread of their rounds.
std::string speedups_text(const std::vector<SpeedUp>& speedups)
{
    return joined(speedups,
                  [](const SpeedUp& one) {
                      return one.least < one.most ? fmt::format("{:.2f} ({:.2f} to {:.2f})",
                                                                one.value, one.least, one.most)
                                                  : fmt::format("{:.2f}", one.value);
                  }) +
           " times";
}

/// Speed-ups of the pairs of one form: either of those that differ in the form alone, or of those
/// that are each the best of their kind.
std::vector<SpeedUp> speedups(const std::vector<JudgedPair>& pairs, KernelForm form, bool same,
                              std::optional<SpeedUp> (*of)(const JudgedPair& pair))
{
    std::vector<SpeedUp> found;
    for (const JudgedPair& one : pairs) {
        if (const auto speedup = of(one);
            speedup && one.pair.form == form && one.pair.same == same) {
            found.push_back(*speedup);
        }
    }
    return found;
}

/// Holds if each is faster by more than 1 %. Not tested if rounds of runs differ so much that they
/// leave it open.
Verdict each_faster(const std::vector<SpeedUp>& speedups)
{
    constexpr double faster = 1.01;
    if (speedups.empty()) {
        return Verdict::not_tested;
    }
    if (std::ranges::any_of(speedups, [](const SpeedUp& one) { return one.most <= faster; })) {
        return Verdict::does_not_hold;
    }
    return std::ranges::all_of(speedups, [](const SpeedUp& one) { return one.least > faster; })
               ? Verdict::holds
               : Verdict::not_tested;
}

/// Operations on addresses of a work-item, without and with common parts calculated once.
std::string operations_text(const std::vector<JudgedPair>& pairs)
{
    std::vector<std::string> each;
    for (const JudgedPair& one : pairs) {
        const FormPair& pair = one.pair;
        if (pair.form == KernelForm::addresses) {
            each.push_back(fmt::format(
                "{} to {}", address_operations(loop_nest(pair.op, pair.without)).executed,
                address_operations(loop_nest(pair.op, pair.with)).executed));
        }
    }
    return fmt::format("{}", fmt::join(each, ", "));
}

/// Both findings of a form by one side: that it makes kernels faster, and how many times.
std::vector<Finding> findings_of(const Said& of, const Side& side,
                                 const std::vector<JudgedPair>& pairs)
{
    const std::vector<SpeedUp> same = speedups(pairs, of.form, true, side.of);
    const std::vector<SpeedUp> best = speedups(pairs, of.form, false, side.of);
    // Where kernels were searched with and without the form, the best of each are compared; the
    // same kernel with and without it is only told.
    const std::vector<SpeedUp>& decisive = best.empty() ? same : best;
    std::string ours = same.empty() ? "no pair ran" : speedups_text(same);
    if (!best.empty()) {
        ours = fmt::format("each at its best {}; the same kernel with and without {}",
                           speedups_text(best), ours);
    }
    if (side.of == by_simulation && std::ranges::any_of(pairs, [&](const JudgedPair& one) {
            return one.pair.form == of.form && one.as_written;
        })) {
        ours += ", if the compiler issues what the text says; as the profile has its compiler " +
                speedups_text(speedups(pairs, of.form, true, by_profile));
    }
    if (of.form == KernelForm::addresses) {
        ours += "; operations on addresses of a work-item fall from " + operations_text(pairs);
    }
    const bool simulated = side.of == by_simulation;
    std::vector<Finding> findings{
        {fmt::format("{}: {} makes each kernel faster, by more than 1 %", side.where, of.form_text),
         of.faster, ours, each_faster(decisive), simulated ? of.why_each : ""}};
    if (of.times > 0) {
        // Half as much again either way still counts as the paper's factor; the bound is ours.
        constexpr double near = 1.5;
        findings.push_back(
            {fmt::format("{}: {} makes one {:.3g} times as fast, within a factor of {}", side.where,
                         of.form_text, of.times, near),
             of.by, ours,
             decisive.empty()
                 ? Verdict::not_tested
                 : verdict_of(within_factor(
                       near, std::ranges::max(mapped(decisive, &SpeedUp::value)), of.times)),
             simulated ? of.why_times : ""});
    }
    return findings;
}

/// Label of a pair: the key of the part of the schedule, and below it width and channels of the
/// convolution, or N and K of the product.
std::string category(const FormPair& pair)
{
    constexpr std::array parts{"E", "B", "R", "S"};
    return fmt::format("{}{}\n{},{}", parts[static_cast<std::size_t>(pair.form)],
                       pair.same ? "" : " best", pair.op.shape[1],
                       pair.op.shape[pair.op.name == "conv2d" ? 3 : 2]);
}

PanelPlot plot_of(const std::vector<JudgedPair>& pairs, const std::string& device,
                  const std::string& on)
{
    PanelPlot::Bars simulated{"simulated", 1, {}}, written{"simulated, as written", 6, {}},
        measured{on, 2, {}};
    std::vector<std::string> categories;
    for (const JudgedPair& one : pairs) {
        categories.push_back(category(one.pair));
        // A pair that a judge has no time for has no bar: NaN is left out of plots.
        const auto bar = [&](PanelPlot::Bars& bars, const std::optional<FormTimes>& times) {
            const double speedup = times ? times->speedup() : std::nan("");
            bars.points.push_back(
                {0, speedup,
                 fmt::format("{}: {:.2f} times; {} against {}", to_string(one.pair.op), speedup,
                             to_string(one.pair.with), to_string(one.pair.without))});
        };
        bar(simulated, one.simulated);
        bar(written, one.as_written);
        bar(measured, one.measured);
    }
    std::vector<PanelPlot::Bars> bars{std::move(simulated), std::move(written)};
    if (!on.empty()) {
        bars.push_back(std::move(measured));
    }
    PanelPlot plot = grouped_bars(categories, {std::move(bars)});
    plot.title = "Speed-up of a kernel by its form: " + device;
    plot.left_label = "time without over time with";
    plot.x_label = "E: addresses, B: scalars, R: split reduction, S: blocks in local memory";
    plot.panel_width = 1000;
    return plot;
}

ResultTable table_of(const std::vector<JudgedPair>& pairs, const std::string& on)
{
    ResultTable table{{"form", "operator", "with", "without", "simulated_ns", "simulated_speedup",
                       "as_written_speedup", "measured_ns", "measured_speedup"},
                      {}};
    const auto speedup = [](const std::optional<FormTimes>& times) {
        return times ? ResultTable::Value(thousandths(times->speedup())) : ResultTable::Value("-");
    };
    for (const JudgedPair& one : pairs) {
        const ResultTable::Value measured = one.measured
                                                ? ResultTable::Value(one.measured->with.value)
                                            : on.empty() ? ResultTable::Value("-")
                                                         : ResultTable::Value(one.failure);
        table.rows.push_back({to_string(one.pair.form), to_string(one.pair.op),
                              to_string(one.pair.with), to_string(one.pair.without),
                              std::round(one.simulated.with.value), speedup(one.simulated),
                              speedup(one.as_written), measured, speedup(one.measured)});
    }
    return table;
}

} // namespace

std::vector<Finding> form_findings(const std::vector<JudgedPair>& pairs, const std::string& on)
{
    std::vector<Side> sides{{"simulated", by_simulation}};
    if (!on.empty()) {
        sides.push_back({"on " + on, by_runs});
    }
    std::vector<Finding> findings;
    for (const Side& side : sides) {
        for (const Said& of : said) {
            for (Finding& finding : findings_of(of, side, pairs)) {
                findings.push_back(std::move(finding));
            }
        }
    }
    return findings;
}

ExperimentResult run_kernel_forms(const ExperimentDevice& device, const Progress& progress,
                                  const StopToken& stop)
{
    const FormOptions options;
    const std::string name = device.real() ? device.name() : "";
    const std::vector<JudgedPair> pairs =
        judge_forms(form_pairs(device.profile, options, stop), device, options, progress, stop);
    ExperimentResult::Conditions conditions{
        {"device", device.profile.name + ", simulated" + (name.empty() ? "" : "; " + name)},
        {"pairs",
         fmt::format("of addresses, scalars and split reductions, in half floats: the fastest of "
                     "{} runs of a learned "
                     "search, seed {}; of blocks: the training study's products, in single floats",
                     options.runs, options.seed)},
        {"simulated", fmt::format("at most {} warp accesses of each kernel, {} in searches",
                                  options.close_sample, options.sample)},
        {"local memory",
         fmt::format("{:.3g} B a cycle and core; 0: it takes no time",
                     device.profile.simulation.machine.timing.local_bytes_per_cycle.value_or(0))},
        {"as written", "every operation on addresses is issued, and every number of a scalar that "
                       "is written out as a "
                       "vector, which takes registers for one vector more"},
    };
    if (device.real()) {
        conditions.emplace_back(
            "measured",
            fmt::format(
                "medians of {} runs, {} of each kernel of a pair by turns; every output checked{}",
                options.rounds * options.run.samples, options.run.samples,
                device.on->info().cpu ? "; a CPU: images are plain memory" : ""));
    }
    return {std::move(conditions), table_of(pairs, name), form_findings(pairs, name),
            plot_of(pairs, device.profile.name, name)};
}

} // namespace texelscope::experiments
