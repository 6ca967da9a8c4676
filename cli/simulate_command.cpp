#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "cli/arguments.hpp"
#include "cli/heat_map_output.hpp"
#include "cli/terminal.hpp"
#include "cli/touches_output.hpp"
#include "devices/compilers/kernel_compiler.hpp"
#include "devices/launch/buffer_reads.hpp"
#include "devices/launch/launch_options.hpp"
#include "devices/launch/limits.hpp"
#include "sim/observers/heat_map_observer.hpp"
#include "sim/simulate.hpp"
#include "traces/launch_source.hpp"
#include "workbench/plots/simulation_timeline.hpp"
#include "workbench/report/cache_table.hpp"
#include "workbench/report/simulation_json.hpp"
#include "workbench/study/stall_reasons.hpp"
#include "workbench/study/study.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace texelscope::cli {
namespace {

// `simulate`: runs a launch through the simulated texture caches. In: a trace, or operator and
// configuration. Out: hits, misses and occupancy; with --timed also cycles and stalls; on demand a
// heat map, the accesses that touched a texel, or a timeline.
struct SimulateArguments {
    TraceArguments trace;
    DeviceArguments device;
    bool timed = false;
    std::string buffer_reads = "auto"; ///< of a native trace: auto, all, none
    std::string timeline;              ///< file to write; empty: none
    HeatMapArguments heat_map;
    TouchesArguments touches;
    SelectionArguments selection;
};

std::string timing_text(const SimulationResult& result, const SimulationOptions& options)
{
    ReservationFailures failures;
    for (const CoreResult& core : result.cores) {
        failures += core.reservation_failures;
    }
    std::string text = fmt::format("time: {} cycles = {}\n", count_text(result.cycles->value),
                                   human_time(result.time(options.machine)->value));
    text += "cores: " + stalls_text(all_stalls(result)) + "\n";
    text +=
        fmt::format("reservation failures: {} lookups found no free entry, {} no room to merge\n",
                    count_text(failures.no_entry), count_text(failures.no_merge_slot));
    const double average = result.average_resident_warps();
    text +=
        fmt::format("resident warps: {:.2f} a core on average, an achieved occupancy of {:.1f} %\n",
                    average, 100 * achieved_occupancy(average, options));
    return text;
}

std::string simulation_text(const SimulationResult& result, const SimulationOptions& options,
                            const std::string& device, const std::string& source)
{
    std::string text =
        fmt::format("{} on {}, layout {}, {} mode\n", source, device,
                    to_string(options.machine.layout), options.mode.timed ? "timed" : "untimed");
    text += fmt::format("launch: {} work-groups, {} warps, {} warp accesses, {} texel reads",
                        count_text(result.groups), count_text(result.warps),
                        count_text(result.steps), count_text(result.l1.texel_reads));
    text += result.simulated_steps < result.steps
                ? fmt::format(" ({} warp accesses simulated, the others repeat them)",
                              count_text(result.simulated_steps))
                : "";
    text += result.border_reads == 0 ? "\n"
                                     : fmt::format(", {} reads outside of their image\n",
                                                   count_text(result.border_reads));
    text += fmt::format("occupancy: {} a core (limited by: {})", warps_text(result.occupancy),
                        reason(result.occupancy, options));
    text += options.machine.group_schedule == GroupSchedule::batch
                ? fmt::format(", {} occupancy groups\n\n", count_text(result.occupancy_groups))
                : std::string("\n\n");
    text += format_table(cache_table(result));
    text += fmt::format("\nmemory: {} bytes\n", count_text(result.memory_bytes.value));
    if (result.cycles) {
        text += timing_text(result, options);
    }
    return text;
}

/// One simulation for whatever was asked for. A heat map alone is counted with jumps over what
/// repeats; together with touches, which have to see every access, an observer counts it.
HeatMapResult run(const TraceSource& source, const SimulationOptions& options,
                  const std::optional<HeatRequest>& request, TexelTouchObserver* touches,
                  SimulationTimeline* timeline)
{
    if (timeline != nullptr) {
        return {simulate_in_time(source, options, *timeline, interrupted), {}, 0};
    }
    if (touches == nullptr) {
        return request ? heat_maps(source, options, *request, interrupted)
                       : HeatMapResult{simulate(source, options, {}, interrupted), {}, 0};
    }
    std::vector<SimulationObserver*> observers{touches};
    std::optional<HeatMapObserver> heat;
    if (request) {
        heat.emplace(source.images(), options, *request);
        observers.push_back(&*heat);
    }
    HeatMapResult result{simulate(source, options, observers, interrupted), {}, 0};
    if (heat) {
        result.maps = heat->maps();
        result.selected = heat->selected();
    }
    return result;
}

/// Which reads of a trace's buffers are simulated. As of generated kernels, those of a timed launch
/// are; untimed, where there is nothing else. Heat maps and touches are of texels, and know no
/// buffers.
TraceArguments::BufferReads buffer_reads(const SimulateArguments& arguments, bool timed)
{
    using BufferReads = TraceArguments::BufferReads;
    const bool of_texels = arguments.heat_map.given() || arguments.touches.given();
    if (arguments.buffer_reads == "all") {
        if (of_texels) {
            throw bad_input("heat maps and touches are of texels, and know no buffers",
                            "--buffer-reads all", "leave it out");
        }
        return BufferReads::all;
    }
    if (arguments.buffer_reads == "none" || of_texels) {
        return BufferReads::none;
    }
    return timed ? BufferReads::all : BufferReads::where_alone;
}

/// Says what of a trace was not simulated, and what was chosen for it.
void note_replay(const GlobalOptions& global, const TraceArguments::Loaded& loaded,
                 const SimulationResult& result, bool of_texels)
{
    note_left_out(global, loaded,
                  of_texels ? "heat maps and touches are of texels"
                            : "--timed or --buffer-reads all simulates them, too");
    note_local(global, loaded);
    if (result.steps == 0) {
        const bool buffers = loaded.recorded && !loaded.recorded->buffers.empty();
        print_note(global,
                   loaded.buffer_reads_left_out > 0
                       ? std::string("nothing was simulated: the launch reads no image")
                       : fmt::format("nothing was simulated: the launch reads no image{}",
                                     buffers           ? " and no buffer"
                                     : loaded.recorded ? ", and no buffers were recorded (trace "
                                                         "capture --buffers records them)"
                                                       : ""));
    }
    if (result.border_reads > 0 && !loaded.nest) {
        print_note(
            global,
            fmt::format("{} reads lie outside of their image{} and touched no memory{}",
                        count_text(result.border_reads), loaded.replay.buffers ? " or buffer" : "",
                        loaded.recorded ? "" : "; --address edge reads the nearest texel instead"));
    }
}

/// How a recorded launch was replayed.
ordered_json replay_json(const TraceArguments::Loaded& loaded)
{
    ordered_json buffers = ordered_json::array();
    for (const Image& image : loaded.source->images()) {
        if (image.buffer) {
            buffers.push_back({{"id", image.name}, {"texel_bytes", image.bytes_per_texel.value}});
        }
    }
    return {{"local", loaded.replay.local.value_or(loaded.recorded->local)},
            {"recorded_local", loaded.recorded->local},
            {"buffers", std::move(buffers)},
            {"buffer_reads_left_out", loaded.buffer_reads_left_out}};
}

int simulate_and_print(const SimulateArguments& arguments, const GlobalOptions& global)
{
    const DeviceProfile device = arguments.device.profile();
    SimulationOptions options = device.simulation;
    const TraceArguments::Loaded loaded =
        arguments.trace.load(buffer_reads(arguments, options.mode.timed || arguments.timed));
    if (!loaded.recorded && arguments.buffer_reads != "auto") {
        throw bad_input("--buffer-reads is for native traces", {},
                        "leave it out: no other trace has buffers, and an operator's are simulated "
                        "with --timed");
    }
    if (loaded.replay.buffers) {
        options.kernel.buffers = buffer_path(device);
    }
    std::optional<std::string> spills;
    if (loaded.nest) {
        check_limits(*loaded.nest, device);
        options = options_for(*loaded.nest, device);
        spills = note_spills(global, *loaded.nest, device);
    }
    options.mode.timed = options.mode.timed || arguments.timed;
    const std::span<const Image> images = loaded.source->images();
    std::optional<SimulationTimeline> timeline;
    if (!arguments.timeline.empty()) {
        if (!options.mode.timed) {
            throw bad_input("a timeline is of the timed mode", "--timeline", "add --timed");
        }
        base::check_writable(arguments.timeline);
        timeline.emplace(options);
    }
    // Whatever is wrong with what was asked for is found out before the simulation.
    const AccessSelection selection = arguments.selection.selection();
    if (arguments.selection.given() && !arguments.heat_map.given() && !arguments.touches.given()) {
        throw bad_input("a range of accesses is selected for nothing", arguments.selection.option(),
                        "add --heatmap F or --touches IMAGE:X,Y");
    }
    std::optional<HeatRequest> request;
    if (arguments.heat_map.given()) {
        request = arguments.heat_map.request(images, selection);
    }
    std::unique_ptr<TexelTouchObserver> touches;
    if (arguments.touches.given()) {
        touches = arguments.touches.observer(images, options, selection);
    }
    std::unique_ptr<TraceSource> with_buffers;
    if (loaded.nest && reads_buffers(*loaded.nest)) {
        // In timed mode, reads of buffers take time as well: they are simulated as rows of images
        // on the way that the device's buffers take. Heat maps and touches are of texels, and know
        // no buffers.
        if (options.mode.timed && !request && !touches) {
            options.kernel.buffers = buffer_path(device);
            with_buffers = make_trace_source(launch_of(buffers_as_rows(*loaded.nest)));
        } else {
            note_buffers(global, *loaded.nest);
        }
    }
    const std::string source = loaded.text();
    const std::string subject = loaded.nest ? loaded.nest->operator_text : source;
    const auto [result, maps, selected] =
        run(with_buffers ? *with_buffers : *loaded.source, options, request, touches.get(),
            timeline ? &*timeline : nullptr);
    TouchesContext context{images, options.machine.warp_size, loaded.source->launch(), {}};
    for (const LevelStatistics& level : result.behind) {
        context.behind.push_back(level.name);
    }
    if (timeline) {
        write_file_atomically(arguments.timeline, timeline->bytes(subject + " on " + device.name));
        print_note(global, "timeline written to " + arguments.timeline);
    }
    ordered_json written;
    if (request) {
        written = arguments.heat_map.write(maps, subject + " on " + device.name, images, options,
                                           arguments.selection, global);
        if (selected == 0 && arguments.selection.given()) {
            print_note(global, fmt::format("the map is empty: no access is in{}",
                                           arguments.selection.text().substr(1)));
        }
    }
    if (global.json) {
        ordered_json out =
            json_result("simulate", simulation_json(result, options, device, source));
        if (loaded.recorded) {
            out["replay"] = replay_json(loaded);
        }
        if (loaded.nest) {
            out["registers"] = registers_text(device);
            out["spills"] = json_or_null(spills);
        }
        if (request) {
            out["heatmap"] = std::move(written);
        }
        if (touches) {
            out["touches"] = touches_json(arguments.touches, *touches, context);
        }
        print_json(out);
    } else {
        print_text(simulation_text(result, options, device.name, source) +
                   (touches ? touches_text(arguments.touches, *touches, context) : ""));
    }
    note_replay(global, loaded, result, request || touches);
    return exit_code::done;
}

} // namespace

Command simulate_command(CLI::App& app, const GlobalOptions& global)
{
    CLI::App* parser = app.add_subcommand(
        "simulate",
        "a trace, or operator and configuration, on a device: statistics and heat maps");
    const auto arguments = std::make_shared<SimulateArguments>();
    arguments->trace.add_to(*parser);
    arguments->trace.add_local_to(*parser);
    parser
        ->add_option("--buffer-reads", arguments->buffer_reads,
                     "of a native trace, whether they are simulated: auto (timed, and where a "
                     "launch reads nothing else; default), all or none")
        ->check(CLI::IsMember({"auto", "all", "none"}));
    arguments->device.add_to(*parser);
    arguments->device.add_registers_to(*parser);
    parser->add_flag("--timed", arguments->timed,
                     "timed mode: cycles and stalls (the same as --set mode=timed)");
    CLI::Option* const timeline =
        parser->add_option("--timeline", arguments->timeline,
                           "F.pftrace to write: warps, accesses and misses in time, for Perfetto");
    arguments->heat_map.add_to(*parser);
    arguments->touches.add_to(*parser);
    for (const char* const of_untimed_observers : {"--heatmap", "--touches"}) {
        timeline->excludes(parser->get_option(of_untimed_observers));
    }
    arguments->selection.add_to(*parser);
    return {parser, [&global, arguments] { return simulate_and_print(*arguments, global); }, true};
}

} // namespace texelscope::cli
