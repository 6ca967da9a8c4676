#include "experiments/tmmodel/pattern_map.hpp"

#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/progress.hpp"
#include "workbench/space/operator_space.hpp"
#include "workbench/tuning/baseline_rules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace texelscope::experiments {
// For each shape of the output, the best patterns that the shortlist finds, and what they gain over
// rows.
namespace {

// The paper gives neither; both are chosen here.
constexpr std::int64_t channels = 32;
constexpr std::int64_t products = 256;

bool is_block(AccessPattern pattern)
{
    return block_rows(pattern) > 1;
}

std::string patterns_text(const std::vector<AccessPattern>& patterns)
{
    return joined(
        patterns, [](AccessPattern pattern) { return to_string(pattern); }, ",");
}

/// How many of the smaller and of the larger outputs are read best in blocks. The middle size,
/// where the number of shapes is odd, belongs to neither half.
struct BlockShares {
    double small = 0;
    double large = 0;
    int count = 0; ///< of each half
};
BlockShares block_shares(const PatternMap& map)
{
    std::vector<const PatternMapPoint*> points =
        mapped(map.points, [](const PatternMapPoint& point) { return &point; });
    std::ranges::stable_sort(
        points, {}, [](const PatternMapPoint* point) { return point->height * point->width; });
    const auto share = [](auto begin, auto end) {
        const auto blocks =
            std::count_if(begin, end, [](const PatternMapPoint* point) { return point->blocks(); });
        return begin == end ? 0.0 : static_cast<double>(blocks) / static_cast<double>(end - begin);
    };
    const auto half = static_cast<std::ptrdiff_t>(points.size() / 2);
    return {share(points.begin(), points.begin() + half), share(points.end() - half, points.end()),
            static_cast<int>(half)};
}

std::string shares_text(const BlockShares& shares)
{
    return fmt::format("blocks are best for {:.0f} % of the smaller half of the outputs and {:.0f} "
                       "% of the larger",
                       100 * shares.small, 100 * shares.large);
}

/// A finding on the shares of one kernel; not tested where that was not measured.
Finding of_shares(const std::vector<PatternMap>& maps, const std::string& kernel,
                  const std::string& claim, const std::string& paper,
                  bool (*holds)(const BlockShares&), const char* why = "")
{
    Finding finding{kernel + ": " + claim, paper, "not measured", Verdict::not_tested, why};
    const auto map = std::ranges::find(maps, kernel, &PatternMap::kernel);
    if (map != maps.end() && map->points.size() > 1) {
        const BlockShares shares = block_shares(*map);
        finding.ours = shares_text(shares);
        finding.verdict = verdict_of(holds(shares));
    }
    return finding;
}

/// For SoftMax and MatMul the paper expects blocks to lose as the output grows.
Finding few_blocks_when_large(const std::vector<PatternMap>& maps, const std::string& kernel,
                              const char* why = "")
{
    return of_shares(
        maps, kernel, "blocks are best for more of the small outputs than of the large ones",
        "block-major is preferable at small shapes, and thrashes the cache at large ones (section "
        "6.2, "
        "figure 8)",
        [](const BlockShares& shares) { return shares.small > shares.large; }, why);
}

/// Convolutions use weights again, so there blocks are expected to stay good.
Finding blocks_whatever_the_size(const std::vector<PatternMap>& maps, const std::string& kernel,
                                 const char* why = "")
{
    return of_shares(
        maps, kernel, "blocks stay best for at least half of the large outputs",
        "block-major still results in ideal performance as the input grows, as weights are reused "
        "(section 6.2, figure 8)",
        [](const BlockShares& shares) { return shares.large >= 0.5; }, why);
}

ResultTable table_of(const std::vector<PatternMap>& maps)
{
    ResultTable table{
        {"kernel", "height", "width", "patterns", "best", "best_ns", "base_ns", "speedup"}, {}};
    for (const PatternMap& map : maps) {
        for (const PatternMapPoint& point : map.points) {
            table.rows.push_back({map.kernel, point.height, point.width,
                                  patterns_text(point.best.patterns), to_string(point.best),
                                  std::round(point.best_time.value),
                                  std::round(point.base_time.value), thousandths(point.speedup())});
        }
    }
    return table;
}

} // namespace

std::string to_string(BlockedInputs blocked)
{
    constexpr std::array names{"column or row alone", "first input in blocks",
                               "second input in blocks", "all inputs in blocks"};
    return names[static_cast<std::size_t>(blocked)];
}

BlockedInputs blocked_inputs(const std::vector<AccessPattern>& patterns)
{
    if (patterns.empty() || patterns.size() > 2) {
        throw bad_input(fmt::format("{} inputs are not one or two", patterns.size()),
                        "patterns of a choice");
    }
    const bool first = is_block(patterns.front());
    const bool second = is_block(patterns.back());
    if (first) {
        return second ? BlockedInputs::all : BlockedInputs::first;
    }
    return second ? BlockedInputs::second : BlockedInputs::none;
}

std::vector<std::string> mapped_kernels()
{
    return {"SoftMax", "MatMul", "Conv2Ds1", "DwConv2D"};
}

Operator mapped_operator(const std::string& kernel, std::int64_t height, std::int64_t width)
{
    if (kernel == "SoftMax") {
        return parse_operator("softmax", fmt::format("{},{}", height, width));
    }
    if (kernel == "MatMul") {
        return parse_operator("matmul", fmt::format("{},{},{}", height, width, products));
    }
    if (kernel == "Conv2Ds1") {
        return parse_operator("conv2d",
                              fmt::format("1,{0},{1},{2},{2},3,3,1", height, width, channels));
    }
    if (kernel == "DwConv2D") {
        return parse_operator("dwconv2d", fmt::format("1,{},{},{},3,3,1", height, width, channels));
    }
    throw bad_input("there is no kernel '" + kernel + "'", "figure 8",
                    fmt::format("kernels are {}", fmt::join(mapped_kernels(), ", ")));
}

PatternMapPoint measure_pattern(const std::string& kernel, std::int64_t height, std::int64_t width,
                                const ExperimentDevice& device, std::int64_t sample,
                                std::int64_t tries, const StopToken& stop)
{
    KernelTimes times(mapped_operator(kernel, height, width), device, sample, stop);
    const ConfigurationSpace space = configuration_space(times.op(), device.profile);
    const ConfigurationSpace vanilla =
        space_of(baseline_schedules(Baseline::vanilla, times.op(), device.profile));
    // Both are the best of the model's first few, so that they are comparable.
    const TimedChoice best = timed(shortlisted(space, times, tries), times);
    const TimedChoice base = timed(shortlisted(vanilla, times, tries), times);
    return {height, width, best.choice.schedule, best.time, base.time};
}

std::vector<Finding> pattern_map_findings(const std::vector<PatternMap>& maps)
{
    // Over all outputs and kernels.
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    for (const PatternMap& map : maps) {
        for (const PatternMapPoint& point : map.points) {
            least = std::min(least, point.speedup());
            most = std::max(most, point.speedup());
        }
    }
    std::vector<Finding> findings{
        few_blocks_when_large(maps, "SoftMax"),
        few_blocks_when_large(maps, "MatMul",
                              "profile: 523 misses can be under way, and the L2 gives back 728 B "
                              "a cycle, so that what blocks lose in the L1 costs next to nothing; "
                              "with outstanding_misses=32 they are best for one output in eight, "
                              "of large ones as of small ones"),
        blocks_whatever_the_size(maps, "Conv2Ds1",
                                 "profile: what an L1 of 1 KB misses waits for the L2, and blocks "
                                 "miss more than columns (64x64 of 64 channels, T=1x4: 96 against "
                                 "75 % of the lookups); with bandwidth.l2=4000 and latency.l2=60 "
                                 "they take 5 % longer instead of 22"),
        blocks_whatever_the_size(maps, "DwConv2D")};
    std::vector<std::string> kinds;
    bool varies = true;
    for (const PatternMap& map : maps) {
        std::set<std::vector<AccessPattern>> distinct;
        for (const PatternMapPoint& point : map.points) {
            distinct.insert(point.best.patterns);
        }
        // One pattern for all shapes would mean that the shape does not matter.
        varies = varies && distinct.size() > 1;
        kinds.push_back(fmt::format("{} {} of {}", map.kernel, distinct.size(), map.points.size()));
    }
    findings.push_back(
        {"which patterns are best depends on the output's shape, for each kernel",
         "output shape impacts kernel selection (figure 8)",
         fmt::format("different patterns among the outputs: {}", fmt::join(kinds, ", ")),
         maps.empty() ? Verdict::not_tested : verdict_of(varies)});
    findings.push_back(
        {"the choice is never slower than the base version with a tuned work-group",
         "sizes of the circles (figure 8)",
         maps.empty() ? "not measured" : fmt::format("{:.2f} to {:.2f} times as fast", least, most),
         maps.empty() ? Verdict::not_tested : verdict_of(least >= 1),
         "set-up, probably: the choice is the best of a short list by the "
         "bottleneck model, the base version's work-group that of all"});
    return findings;
}

PanelPlot pattern_map_plot(const std::vector<PatternMap>& maps, const ExperimentDevice& device)
{
    PanelPlot plot;
    plot.title = "Best patterns by the output's shape (area of a disc: speed-up over base): " +
                 device.name();
    plot.x_label = "width of the output, log2";
    plot.left_label = "height of the output, log2";
    double most = 0;
    for (const PatternMap& map : maps) {
        for (const PatternMapPoint& point : map.points) {
            most =
                std::max(most, std::log2(static_cast<double>(std::max(point.width, point.height))));
        }
    }
    plot.x_low = 2;
    plot.x_high = most + 2;
    for (int tick = 4; tick <= static_cast<int>(most); tick += 2) {
        plot.x_ticks.push_back(tick);
    }
    for (const PatternMap& map : maps) {
        PanelPlot::Panel panel;
        panel.title = map.kernel;
        for (const BlockedInputs kind : all_blocked_inputs) {
            PanelPlot::Curve curve{
                .name = to_string(kind), .colour = static_cast<int>(kind) + 1, .line = false};
            for (const PatternMapPoint& point : map.points) {
                if (blocked_inputs(point.best.patterns) == kind) {
                    // The area grows with the speed-up. Beyond 16 times a disc would meet its
                    // neighbours.
                    const double radius = 3.2 * std::sqrt(std::clamp(point.speedup(), 1.0, 16.0));
                    curve.points.push_back(
                        {std::log2(static_cast<double>(point.width)),
                         std::log2(static_cast<double>(point.height)),
                         fmt::format("{}x{}: {}, {:.2f} times", point.height, point.width,
                                     patterns_text(point.best.patterns), point.speedup()),
                         radius});
                }
            }
            panel.curves.push_back(std::move(curve));
        }
        // Draws nothing, as it is one point without a mark: it makes the axis reach beyond the
        // discs of the highest outputs.
        panel.curves.push_back({"", 0, PanelPlot::Axis::left, {{plot.x_low, most + 1, ""}}});
        plot.panels.push_back(std::move(panel));
    }
    return plot;
}

ExperimentResult run_pattern_map(const ExperimentDevice& device, const Progress& progress,
                                 const StopToken& stop)
{
    constexpr std::int64_t sample = 2'000;
    constexpr std::int64_t tries = 16;
    const std::vector<std::string> kernels = mapped_kernels();
    std::vector<PatternMap> maps;
    LeftOut left_out(device);
    std::size_t measured = 0;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
        // Large images take long to simulate, so convolutions end at 256.
        const bool image = kernels[k] == "Conv2Ds1" || kernels[k] == "DwConv2D";
        const std::vector<std::int64_t> sides = image
                                                    ? std::vector<std::int64_t>{16, 64, 256}
                                                    : std::vector<std::int64_t>{16, 64, 256, 1024};
        PatternMap& map = maps.emplace_back(PatternMap{kernels[k], {}});
        const Progress part = part_progress(progress, k, kernels.size());
        for (const std::int64_t height : sides) {
            for (const std::int64_t width : sides) {
                tell(part, fmt::format("{} {}x{}", kernels[k], height, width), map.points.size(),
                     sides.size() * sides.size());
                left_out.run([&] {
                    map.points.push_back(
                        measure_pattern(kernels[k], height, width, device, sample, tries, stop));
                    ++measured;
                });
            }
        }
    }
    left_out.require(measured > 0);
    ExperimentResult::Conditions conditions{
        {"device", device.text()},
        {"outputs",
         fmt::format(
             "height and width of 16 to 1024, of convolutions to 256; matmul sums {} products, "
             "convolutions have {} channels and 3x3 taps; the paper gives neither",
             products, channels)},
        {"best", fmt::format("A, T, W and G: the bottleneck model's first {}, each run", tries)},
        {"base", fmt::format("rows for every input, no tile, lanes in their natural order, the "
                             "best work-group of the "
                             "bottleneck model's first {}",
                             tries)},
        {"runs", device.times_text(sampled_text(sample))},
    };
    add_left_out(conditions, left_out.reasons());
    return {std::move(conditions), table_of(maps), decided_on(device, pattern_map_findings(maps)),
            pattern_map_plot(maps, device)};
}

} // namespace texelscope::experiments
