#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/npy.hpp"
#include "cli/arguments.hpp"
#include "cli/place_arguments.hpp"
#include "cli/place_output.hpp"
#include "cli/terminal.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/kernels/nest_job.hpp"
#include "devices/launch/limits.hpp"
#include "workbench/space/configuration_space.hpp"
#include "workbench/study/checked_run.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <map>
#include <memory>

namespace texelscope::cli {
namespace {

// `run`: one configuration on an OpenCL device. The kernel is generated, built and timed, and its
// output compared with the operator's reference; a wrong output is exit code 1.
struct RunArguments {
    OperatorArguments op;
    std::string device; ///< profile whose limits must hold; empty: none
    std::string on = "pocl";
    PlaceArguments place;
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    RunOptions options;
};

std::vector<std::string> names_of(const std::vector<Tensor>& tensors)
{
    std::vector<std::string> names;
    for (const Tensor& tensor : tensors) {
        names.push_back(tensor.name);
    }
    return names;
}

std::vector<std::vector<float>> load_inputs(const Operator& op, const RunArguments& arguments,
                                            std::uint64_t seed)
{
    std::vector<std::vector<float>> values = random_inputs(op, seed);
    const std::vector<Tensor> tensors = op.inputs;
    for (const auto& [tensor_name, path] :
         named_files(arguments.inputs, names_of(tensors), "--input")) {
        const auto found =
            std::find_if(tensors.begin(), tensors.end(),
                         [&, wanted = tensor_name](const Tensor& t) { return t.name == wanted; });
        NpyArray array = read_input(path, tensor_name);
        if (array.shape != found->shape) {
            throw bad_input(fmt::format("the array has shape {}, the operator's {} has {}",
                                        array.shape, tensor_name, found->shape),
                            path, "give an array of that shape");
        }
        values[static_cast<std::size_t>(found - tensors.begin())] = std::move(array.values);
    }
    return values;
}

/// What a work-item takes: our estimate, and what the driver tells (null where it does not).
/// Whether the device's clock stayed the same; empty where nothing told it.
std::string clock_line(const ReferenceTimes& reference)
{
    return !reference.told() ? ""
           : reference.steady()
               ? "clock: the same for all samples\n"
               : fmt::format("clock: CHANGED by {:.2f} between the samples\n", reference.spread);
}

ordered_json footprint_json(const LoopNest& nest, const Measurement& measurement)
{
    const DriverFootprint& footprint = measurement.footprint;
    const auto known = [](const auto& value) {
        return value ? ordered_json(*value) : ordered_json(nullptr);
    };
    return {{"registers_estimate", nest.registers(measurement.arithmetic)},
            {"registers", known(footprint.registers)},
            {"spilled_bytes", known(footprint.spilled_bytes)},
            {"private_bytes", known(footprint.private_bytes)},
            {"local_bytes", known(footprint.local_bytes)},
            {"largest_group", known(footprint.largest_group)},
            {"group_multiple", known(footprint.group_multiple)}};
}

int run_and_print(const RunArguments& arguments, const GlobalOptions& global)
{
    const Operator op = arguments.op.parsed_operator();
    const Schedule schedule = arguments.op.parsed_schedule();
    const LoopNest nest = loop_nest(op, schedule);
    std::optional<std::string> spills;
    if (!arguments.device.empty()) {
        const DeviceProfile profile = find_profile(arguments.device);
        check_limits(nest, profile);
        spills = note_spills(global, nest, profile);
    }
    const auto outputs = named_files(arguments.outputs, {op.output.name}, "--output");
    const OpenClDevice device(arguments.on, arguments.place.runner_options());
    // Asked before the reference is computed, which may take long.
    if (const auto reason = beyond_limits(device.info(), nest)) {
        throw bad_input("unsupported: " + *reason, device.info().name,
                        "use a configuration within the device's limits");
    }
    if (!(arguments.options.timeout_seconds > 0)) {
        throw bad_input("the time limit is not positive", "--timeout", "give seconds");
    }
    // The reference must start from what the device gets: numbers rounded to the storage.
    const std::vector<std::vector<float>> values =
        as_stored(load_inputs(op, arguments, global.seed), schedule.storage);
    const CheckedRun run = run_checked(
        op, nest, device, values, make_reference(op, values, schedule.storage), arguments.options);
    const Measurement& m = run.measurement;
    const bool ok = m.status == RunStatus::ok;
    if (ok) {
        for (const auto& [tensor_name, path] : outputs) {
            write_file_atomically(path, npy_bytes({op.output.shape, run.output}));
            print_note(global, "output " + tensor_name + " written to " + path);
        }
    }
    // Operations per nanosecond are GFLOP/s.
    const double gflops = ok ? nest.flops / m.median_ns() : 0;
    if (global.json) {
        ordered_json out = json_result("run");
        out["status"] = run_word(m.status);
        out["reason"] = m.reason;
        out["op"] = op.name;
        out["shape"] = op.shape;
        out["config"] = to_string(schedule);
        out["device"] = device.info().name;
        out["platform"] = device.info().platform;
        out["driver"] = device.info().driver;
        out["texel_reads"] = to_string(m.backend);
        out["arithmetic"] = to_string(m.arithmetic);
        out["ns"] = {{"median", m.median_ns()}, {"min", m.min_ns()}, {"samples", m.samples_ns}};
        out["wall_clock"] = m.wall_clock;
        out["reference"] = reference_json(m.reference);
        out["gflops"] = gflops;
        out["footprint"] = footprint_json(nest, m);
        out["spills"] = json_or_null(spills);
        out["check"] = {{"passed", run.check.passed},
                        {"max_abs", run.check.max_abs},
                        {"max_rel", run.check.max_rel},
                        {"tolerance", run.check.tolerance},
                        {"exact", json_or_null(run.check.exact)}};
        if (!ok && !m.build_log.empty()) {
            out["build_log"] = m.build_log;
        }
        print_json(out);
    } else if (ok) {
        const double spread =
            *std::max_element(m.samples_ns.begin(), m.samples_ns.end()) / m.min_ns() - 1;
        print_text(fmt::format(
            "{} {}\non {} ({} texel reads, {} arithmetic)\ntime: median {}, minimum {}, spread "
            "{:.0f} % over {} "
            "samples{}; {:.2f} GFLOP/s\n"
            "{}"
            "registers: {} estimated{}\n"
            "check: {}; largest relative error {:.2e}, allowed {:.2e}{}\n",
            to_string(op), to_string(schedule), device.info().name, to_string(m.backend),
            to_string(m.arithmetic), human_time(m.median_ns()), human_time(m.min_ns()),
            100 * spread, m.samples_ns.size(), m.wall_clock ? " by the wall clock" : "", gflops,
            clock_line(m.reference), nest.registers(m.arithmetic),
            m.footprint.registers ? fmt::format(", {} by the driver", *m.footprint.registers)
                                  : std::string(),
            run.check.passed ? "passed" : "FAILED", run.check.max_rel, run.check.tolerance,
            !run.check.exact   ? ""
            : *run.check.exact ? "; whole numbers exact"
                               : "; whole numbers NOT exact"));
    }
    if (!ok) {
        if (!m.build_log.empty() && !global.json) {
            print_note(global, m.build_log);
        }
        const bool given =
            // Unsupported is the configuration's fault (bad input), anything else the device's
            // (missing).
            m.status == RunStatus::unsupported;
        throw(given ? bad_input : missing)(run_word(m.status) + ": " + m.reason, device.info().name,
                                           remedy(m.status));
    }
    return run.check.passed ? exit_code::done : exit_code::check_failed;
}

} // namespace

Command run_command(CLI::App& app, const GlobalOptions& global)
{
    CLI::App* parser =
        app.add_subcommand("run", "generates, compiles, runs, checks the output, times");
    const auto arguments = std::make_shared<RunArguments>();
    arguments->op.add_to(*parser, true);
    parser->add_option("--device", arguments->device,
                       "a device profile whose limits must hold as well");
    parser->add_option("--on", arguments->on,
                       "OpenCL device: index, or part of a platform's or device's name");
    arguments->place.add_to(*parser);
    add_repeatable(*parser, "--input", arguments->inputs,
                   "NAME=F.npy: a float32 array instead of random values (repeatable)");
    add_repeatable(*parser, "--output", arguments->outputs, "NAME=F.npy: writes the result");
    parser->add_option("--samples", arguments->options.samples, "timed launches, after warm-up")
        ->check(CLI::Range(1, 100000));
    parser->add_option("--warm-up", arguments->options.warm_up, "launches before the timed ones")
        ->check(CLI::Range(0, 100000));
    parser->add_option("--timeout", arguments->options.timeout_seconds,
                       "seconds to wait for one launch");
    parser->add_flag(
        "--float-arithmetic", arguments->options.float_arithmetic,
        "compute in float32 even where the device computes in half precision (P=fp16)");
    parser->add_flag("--native-reads", arguments->options.native_reads,
                     "read texels by read_imagef even where a faster way works");
    return {parser, [&global, arguments] { return run_and_print(*arguments, global); }};
}

} // namespace texelscope::cli
