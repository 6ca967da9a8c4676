#include "sim/options/occupancy.hpp"
#include "workbench/explain/explained_output.hpp"
#include "workbench/report/simulation_json.hpp"
#include "workbench/study/stall_reasons.hpp"

namespace texelscope::workbench::explain {
namespace {

using report::json_list;
using report::json_or_null;
using report::ordered_json;

ordered_json launch_json(const ExplainedLaunch& explained)
{
    const TracedLaunch& launch = explained.launch;
    ordered_json executed;
    if (launch.executed) {
        executed = {{"floats", launch.executed->floats},
                    {"halves", launch.executed->halves},
                    {"specials", launch.executed->specials},
                    {"integers", launch.executed->integers},
                    {"others", launch.executed->others}};
    }
    return {{"kernel", launch.kernel},
            {"global", launch.global},
            {"local", launch.local},
            {"arguments", explained.arguments},
            {"trace", explained.trace.empty() ? ordered_json() : ordered_json(explained.trace)},
            {"local_memory", explained.local_bytes},
            {"executed", executed}};
}

ordered_json registers_json(const ExplainedKernel& kernel)
{
    if (!kernel.compiled) {
        return {{"from", nullptr}, {"reason", kernel.registers}};
    }
    const CompiledKernel& made = *kernel.compiled;
    return {{"from", kernel.registers},
            {"registers", made.registers},
            {"warp_size", made.warp_size},
            {"warps", made.warps},
            {"limited_by", to_string(made.limit)},
            {"spill_stores", made.spill_stores},
            {"spill_loads", made.spill_loads},
            {"instructions", made.instructions}};
}

ordered_json reads_json(const ArgumentReads& of)
{
    return {{"argument", of.image.name},
            {"kind", of.image.buffer ? "buffer" : "image"},
            {"width", of.image.extent.width},
            {"height", of.image.extent.height},
            {"bytes", of.image.bytes_per_texel.value},
            {"reads", of.reads},
            {"outside", of.outside},
            {"distinct", of.distinct},
            {"reads_per_texel", of.reads_per_texel()},
            {"accesses", of.accesses},
            {"lines_per_access", of.lines_per_access()},
            {"l1_hit_rate", json_or_null(of.hit_rate())}};
}

ordered_json device_json(const ExplainedKernel& kernel)
{
    ordered_json out{{"device", kernel.device},
                     {"ns", kernel.time.ns()},
                     {"reading_ns", kernel.time.reading_ns},
                     {"spills_ns", kernel.time.spills_ns},
                     {"registers", registers_json(kernel)},
                     {"bound", {{"name", kernel.bound.name}, {"words", kernel.bound.words}}}};
    ordered_json stalls;
    ordered_json occupancy;
    if (kernel.time.simulation) {
        const SimulationResult& result = *kernel.time.simulation;
        stalls = report::stalls_json(study::all_stalls(result));
        occupancy = {{"warps", result.occupancy.warps},
                     {"limited_by", to_string(result.occupancy.limiter)}};
    }
    out["occupancy"] = occupancy;
    out["stalls"] = stalls;
    out["reads"] = json_list(kernel.reads, reads_json);
    out["changes"] = json_list(kernel.variants.tried, [](const Variant& variant) -> ordered_json {
        return {{"kind", variant.kind},   {"argument", variant.argument},
                {"words", variant.words}, {"ns", variant.ns},
                {"ratio", variant.ratio}, {"faster", variant.ratio >= least_gain},
                {"whole", variant.whole}};
    });
    out["not_tried"] = kernel.variants.skipped;
    return out;
}

} // namespace

ordered_json explain_json(const ExplainedLaunch& launch,
                          const std::vector<ExplainedKernel>& devices)
{
    return {{"file", launch.file},
            {"launch", launch_json(launch)},
            {"devices", json_list(devices, device_json)}};
}

} // namespace texelscope::workbench::explain
