#include "workbench/explain/explained_output.hpp"

#include "base/lists.hpp"
#include "base/number_text.hpp"
#include "sim/options/occupancy.hpp"
#include "workbench/study/stall_reasons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace texelscope::workbench::explain {
namespace {

const Variant* best_change(const ExplainedKernel& kernel)
{
    const auto& tried = kernel.variants.tried;
    return tried.empty() || tried[0].ratio < least_gain ? nullptr : &tried[0];
}

std::string times_text(double ratio)
{
    return fmt::format("{:.2f}", ratio);
}

std::string extent_text(const Image& image)
{
    return image.buffer ? fmt::format("{} of {} B", count_text(image.extent.width),
                                      image.bytes_per_texel.value)
                        : fmt::format("{}x{} of {} B", image.extent.width, image.extent.height,
                                      image.bytes_per_texel.value);
}

/// How many of each kind were tried, in words.
std::string tried_words(const std::vector<Variant>& tried)
{
    std::map<std::string, int> kinds;
    for (const Variant& variant : tried) {
        ++kinds[variant.kind];
    }
    return base::joined(
        kinds, [](const auto& kind) { return fmt::format("{} ({})", kind.first, kind.second); });
}

} // namespace

ResultTable devices_table(const std::vector<ExplainedKernel>& devices)
{
    ResultTable table{{"device", "time_ns", "registers", "warps", "spills", "bound by",
                       "best change", "times as fast"},
                      {}};
    for (const ExplainedKernel& kernel : devices) {
        const Variant* best = best_change(kernel);
        const auto word = [&](int CompiledKernel::*count) {
            return kernel.compiled ? ResultTable::Value(std::int64_t{*kernel.compiled.*count})
                                   : ResultTable::Value(std::string("not known"));
        };
        const ResultTable::Value spills =
            kernel.compiled ? ResultTable::Value(std::int64_t{kernel.compiled->spill_stores} +
                                                 kernel.compiled->spill_loads)
                            : ResultTable::Value(std::string("not known"));
        const ResultTable::Value warps =
            kernel.time.simulation
                ? ResultTable::Value(std::int64_t{kernel.time.simulation->occupancy.warps})
                : word(&CompiledKernel::warps);
        table.rows.push_back({kernel.device, kernel.time.ns(), word(&CompiledKernel::registers),
                              warps, spills, kernel.bound.name,
                              best != nullptr ? best->words : "none of those tried",
                              best != nullptr ? times_text(best->ratio) : std::string()});
    }
    return table;
}

ResultTable reads_table(const ExplainedKernel& kernel)
{
    ResultTable table{{"argument", "kind", "size", "reads", "texels", "reads a texel", "outside",
                       "lines an access", "L1 hits"},
                      {}};
    for (const ArgumentReads& of : kernel.reads) {
        if (of.reads == 0) {
            continue;
        }
        const auto hits = of.hit_rate();
        table.rows.push_back(
            {of.image.name, std::string(of.image.buffer ? "buffer" : "image"),
             extent_text(of.image), of.reads, of.distinct,
             fmt::format("{:.2f}", of.reads_per_texel()), of.outside_share(),
             fmt::format("{:.2f}", of.lines_per_access()),
             hits ? ResultTable::Value(*hits) : ResultTable::Value(std::string())});
    }
    return table;
}

ResultTable changes_table(const ExplainedKernel& kernel)
{
    ResultTable table{{"change", "time_ns", "times as fast"}, {}};
    for (const Variant& variant : kernel.variants.tried) {
        if (variant.ratio >= least_gain) {
            table.rows.push_back({variant.words, variant.ns,
                                  (variant.whole ? "" : "about ") + times_text(variant.ratio)});
        }
    }
    return table;
}

std::vector<std::string> facts(const ExplainedKernel& kernel)
{
    std::vector<std::string> lines;
    if (kernel.compiled) {
        const CompiledKernel& made = *kernel.compiled;
        lines.push_back(fmt::format("registers: {} of 32 bits a work-item, {}; {} warps of {} fit, "
                                    "limited by {}; {} spill stores "
                                    "and {} loads",
                                    made.registers, kernel.registers, made.warps, made.warp_size,
                                    to_string(made.limit), made.spill_stores, made.spill_loads));
    } else {
        lines.push_back(
            "registers: not known, " + kernel.registers +
            "; they limit no warps here and none spill, so the true time may be longer");
    }
    if (kernel.time.simulation) {
        const SimulationResult& result = *kernel.time.simulation;
        lines.push_back("warps: " + warps_text(result.occupancy) + " on a core, limited by " +
                        reason(result.occupancy, kernel.time.options));
        lines.push_back("cores: " + study::stalls_text(study::all_stalls(result)));
    }
    lines.push_back("bound by: " + kernel.bound.words);
    return lines;
}

std::vector<std::string> remarks(const ExplainedKernel& kernel)
{
    std::vector<std::string> lines;
    const auto& tried = kernel.variants.tried;
    if (tried.empty()) {
        lines.emplace_back("no change was tried");
    } else if (best_change(kernel) == nullptr) {
        lines.push_back(fmt::format("none of the {} changes tried is more than {:.0f} % faster: {}",
                                    tried.size(), 100 * (least_gain - 1), tried_words(tried)));
    } else {
        lines.push_back(fmt::format("{} changes were tried: {}", tried.size(), tried_words(tried)));
    }
    for (const std::string& reason : kernel.variants.skipped) {
        lines.push_back("not tried: " + reason);
    }
    return lines;
}

std::string executed_words(const TracedLaunch& launch)
{
    if (!launch.executed) {
        return "not counted when it was recorded: arithmetic takes no time here";
    }
    const ExecutedOperations& executed = *launch.executed;
    return fmt::format("{} operations of float, {} of half, {} special functions and quotients, {} "
                       "of whole numbers, {} other instructions",
                       count_text(executed.floats), count_text(executed.halves),
                       count_text(executed.specials), count_text(executed.integers),
                       count_text(executed.others));
}

} // namespace texelscope::workbench::explain
