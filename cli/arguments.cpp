#include "cli/arguments.hpp"

#include "base/error.hpp"
#include "base/number_text.hpp"
#include "cli/terminal.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/compilers/kernel_compiler.hpp"
#include "devices/launch/launch_options.hpp"
#include "model/tmmodel/model_variant.hpp"
#include "traces/formats/csv_trace.hpp"
#include "traces/launch_source.hpp"
#include "workbench/space/pruning_conditions.hpp"
#include "workbench/study/study_form.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

namespace texelscope::cli {

void OperatorArguments::add_to(CLI::App& parser, bool needs_config)
{
    parser.add_option("--op", op,
                      fmt::format("operator: {}; or a formula: O[m,n] = sum(k) A[m,k] * B[k,n]",
                                  fmt::join(operator_names(), ", ")));
    parser.add_option(
        "--shape", shape,
        "its shape, for example matmul M,N,K or conv2d N,H,W,Cin,Cout,KH,KW,stride; of a "
        "formula m=64,n=64,k=64");
    parser.add_option("--padding", padding,
                      "of convolutions: same (default), valid, or a number on every side");
    if (needs_config) {
        parser.add_option("--config", config,
                          "configuration, for example \"A=block4,column;T=4x4;W=8x8;G=16x8x1\"; "
                          "default: one that always works");
    }
}

Operator OperatorArguments::parsed_operator() const
{
    // The parser does not require it, because a study may bring it.
    if (shape.empty()) {
        throw bad_input("--shape is required", {}, "give it, or a --study that has one");
    }
    return parse_operator(op, shape, padding);
}

Schedule OperatorArguments::parsed_schedule() const
{
    return config.empty() ? parsed_operator().default_schedule : parse_schedule(config);
}

void DeviceArguments::add_to(CLI::App& parser)
{
    parser.add_option("--device", device, "device profile: a name, or a file that ends in .xml");
    add_overrides_to(parser);
}

void DeviceArguments::add_overrides_to(CLI::App& parser, const std::string& when)
{
    add_repeatable(parser, "--set", overrides,
                   "KEY=VALUE: " + when + "overrides a value of the profile (repeatable)");
}

void DeviceArguments::add_registers_to(CLI::App& parser)
{
    parser
        .add_option("--registers", registers,
                    "of a kernel, and so its occupancy: estimated, or compiled (see texelscope "
                    "compile --setup)")
        ->check(CLI::IsMember(
            std::vector<std::string>(registers_words.begin(), registers_words.end())));
}

DeviceProfile DeviceArguments::profile() const
{
    return with_registers(with_overrides(find_profile(device), overrides, "--set"), registers);
}

void TraceArguments::add_to(CLI::App& parser)
{
    parser.add_option(
        "trace,--trace", file,
        "trace: a native file, or plain CSV, compressed or not (else give --op and --shape)");
    parser
        .add_option("--launch", launch,
                    "which launch of a native trace, from 0 on (default: the only one)")
        ->check(CLI::NonNegativeNumber);
    add_repeatable(parser, "--image", images,
                   "ID:WIDTHxHEIGHTxBYTES: declares an image of the trace (repeatable)");
    parser
        .add_option(
            "--address", address_mode,
            "reads outside of an image of the trace: border (no memory access; default) or edge")
        ->check(CLI::IsMember({"border", "edge"}));
    op.add_to(parser, true);
}

void TraceArguments::add_local_to(CLI::App& parser)
{
    parser.add_option(
        "--local", local,
        "X[,Y[,Z]]: a native trace's work-items in work-groups of this size (default: "
        "as recorded)");
}

std::optional<std::array<std::int64_t, 3>> TraceArguments::chosen_local() const
{
    if (local.empty()) {
        return std::nullopt;
    }
    const auto sizes = parse_sizes(local);
    if (!sizes) {
        throw bad_input("'" + local + "' is no size of a work-group", "--local",
                        "give X[,Y[,Z]], for example 64 or 8,8");
    }
    return sizes;
}

std::vector<Image> TraceArguments::declared() const
{
    std::vector<Image> parsed;
    for (const std::string& text : images) {
        parsed.push_back(parse_image(text));
        parsed.back().address_mode = address();
    }
    return parsed;
}

int TraceArguments::chosen_launch(const TraceFile& trace) const
{
    const int count = trace.launch_count();
    if (count == 0) {
        throw bad_input("the trace has no launch", file);
    }
    if (!launch && count > 1) {
        throw bad_input(fmt::format("the trace has {} launches", count), file,
                        "choose one with --launch; trace info lists them");
    }
    if (launch.value_or(0) >= count) {
        throw bad_input(fmt::format("there is no launch {}; the trace has {}", *launch, count),
                        file, "launches are numbered from 0");
    }
    return launch.value_or(0);
}

std::string TraceArguments::Loaded::text() const
{
    return nest ? nest->operator_text + " " + nest->schedule_text : source->name();
}

TraceArguments::Loaded TraceArguments::load(BufferReads buffers) const
{
    Loaded loaded;
    if (from_file()) {
        if (!op.shape.empty()) {
            throw bad_input("a trace file and an operator were both given", file,
                            "give one of them");
        }
        if (is_native_trace(file)) {
            if (!images.empty() || !address_mode.empty()) {
                throw bad_input("--image and --address are not for native traces", file,
                                "leave them out: the trace brings its images");
            }
            const TraceFile trace(file);
            const int number = chosen_launch(trace);
            const TraceTotals& totals = trace.totals(number);
            const std::int64_t buffer_reads = sum_of(totals.buffer_reads);
            loaded.replay.local = chosen_local();
            loaded.replay.buffers =
                buffer_reads > 0 &&
                (buffers == BufferReads::all ||
                 (buffers == BufferReads::where_alone && sum_of(totals.reads) == 0));
            loaded.source = trace.source(number, loaded.replay);
            loaded.recorded = trace.launch(number);
            loaded.buffer_reads_left_out = loaded.replay.buffers ? 0 : buffer_reads;
            return loaded;
        }
        if (launch || !local.empty()) {
            throw bad_input("--launch and --local are for native traces", file,
                            "leave them out: a CSV trace is one launch, without sizes of "
                            "work-groups");
        }
        loaded.source = read_csv(file, declared(), address());
        return loaded;
    }
    if (op.shape.empty()) {
        throw bad_input("neither a trace file nor an operator was given", {},
                        "give TRACE.csv, or --op NAME --shape ...");
    }
    if (!images.empty() || !address_mode.empty() || launch || !local.empty()) {
        throw bad_input("--image, --address, --launch and --local are for trace files", {},
                        "leave them out: an operator brings its images and work-groups");
    }
    loaded.nest = loop_nest(op.parsed_operator(), op.parsed_schedule());
    loaded.launch = launch_of(*loaded.nest);
    loaded.source = make_trace_source(*loaded.launch);
    return loaded;
}

std::optional<std::array<std::int64_t, 3>> parse_sizes(const std::string& text)
{
    std::array<std::int64_t, 3> sizes{1, 1, 1};
    const char* at = text.data();
    const char* const end = text.data() + text.size();
    for (std::int64_t& size : sizes) {
        const auto [next, error] = std::from_chars(at, end, size);
        if (error != std::errc{} || size < 1 || (next != end && *next != ',')) {
            return std::nullopt;
        }
        if (next == end) {
            return sizes;
        }
        at = next + 1;
    }
    return std::nullopt;
}

std::map<std::string, std::string> named_files(const std::vector<std::string>& texts,
                                               const std::vector<std::string>& known,
                                               const std::string& option)
{
    std::map<std::string, std::string> files;
    for (const std::string& text : texts) {
        const auto equals = text.find('=');
        const std::string name = text.substr(0, equals);
        if (equals == std::string::npos || equals + 1 == text.size() ||
            std::ranges::count(known, name) == 0) {
            throw bad_input("'" + text + "' does not name a tensor", option,
                            fmt::format("write NAME=F.npy; names are {}", fmt::join(known, ", ")));
        }
        if (!files.emplace(name, text.substr(equals + 1)).second) {
            throw bad_input("the tensor '" + name + "' is given twice", option, "give it once");
        }
    }
    return files;
}

NpyArray read_input(const std::string& path, const std::string& tensor)
{
    NpyArray array = read_npy(path);
    const auto count =
        std::ranges::count_if(array.values, [](float value) { return std::isnan(value); });
    if (count > 0) {
        throw bad_input(fmt::format("the input '{}' has {} NaN among its {} numbers", tensor,
                                    count_text(count), count_text(std::ssize(array.values))),
                        path, "give numbers: an output that comes of NaN cannot be checked");
    }
    return array;
}

void refuse_options(const CLI::App& parser, const std::vector<std::string>& options,
                    const std::string& why, const std::string& remedy)
{
    for (const std::string& option : options) {
        if (parser.count(option) > 0) {
            throw bad_input(option + " does not apply " + why, {}, remedy);
        }
    }
}

CLI::Option* add_repeatable(CLI::App& parser, const std::string& name,
                            std::vector<std::string>& values, const std::string& about)
{
    return parser.add_option(name, values, about)
        ->type_size(1)
        ->allow_extra_args(false)
        ->default_str("");
}

void add_variant(CLI::App& parser, std::string& variant)
{
    std::vector<std::string> names;
    for (const ModelVariant each : all_model_variants) {
        names.push_back(to_string(each));
    }
    parser
        .add_option("--variant", variant,
                    "of the model: literal (the paper's), refined, reuse-aware or bottleneck; else "
                    "the one that agrees best")
        ->check(CLI::IsMember(names));
}

void add_sample(CLI::App& parser, std::int64_t& accesses)
{
    parser
        .add_option("--sample", accesses,
                    "warp accesses after which the simulator takes the rest of a launch from what "
                    "it has seen; 0: never")
        ->check(CLI::NonNegativeNumber);
}

void add_samples(CLI::App& parser, RunOptions& run)
{
    parser.add_option("--samples", run.samples, "timed launches of a run, after warm-up")
        ->check(CLI::Range(1, 100000));
}

ordered_json json_result(const std::string& schema, const ordered_json& members)
{
    ordered_json out{{"schema", "texelscope." + schema + "/1"}, {"texelscope", TEXELSCOPE_VERSION}};
    out.update(members);
    return out;
}

void note_buffers(const GlobalOptions& global, const LoopNest& nest)
{
    std::vector<std::string> names;
    for (const Operand& input : nest.inputs) {
        if (input.memory == Memory::buffer) {
            names.push_back(input.tensor.name);
        }
    }
    if (!names.empty()) {
        print_note(
            global,
            fmt::format(
                "{} in buffers: their reads do not pass through the texture cache and are not "
                "looked at",
                fmt::join(names, ", ")));
    }
}

std::optional<std::string> note_spills(const GlobalOptions& global, const LoopNest& nest,
                                       const DeviceProfile& device)
{
    std::optional<std::string> reason = spill_reason(nest, device);
    if (reason) {
        print_note(global,
                   fmt::format(
                       "registers spill on {}: {}; choose a smaller tile, or write fewer loops out",
                       device.name, *reason));
    }
    return reason;
}

void note_left_out(const GlobalOptions& global, const TraceArguments::Loaded& loaded,
                   const std::string& why)
{
    if (loaded.buffer_reads_left_out > 0) {
        print_note(global, fmt::format("{} reads of buffers are left out: {}",
                                       count_text(loaded.buffer_reads_left_out), why));
    }
}

void note_local(const GlobalOptions& global, const TraceArguments::Loaded& loaded)
{
    using Sizes = std::array<std::int64_t, 3>;
    if (loaded.recorded && !loaded.replay.local && loaded.recorded->local == Sizes{1, 1, 1} &&
        loaded.recorded->global != Sizes{1, 1, 1}) {
        print_note(global,
                   "work-groups of 1x1x1 were recorded, and are taken: what Oclgrind chooses where "
                   "the program leaves the local size to OpenCL; --local X,Y,Z takes another");
    }
}

Command command_of(CLI::App* parser, std::vector<Command> subcommands)
{
    parser->require_subcommand(1);
    // Options of the command above may stand behind the subcommand.
    parser->fallthrough();
    return {parser, [subcommands = std::move(subcommands)] {
                return std::find_if(subcommands.begin(), subcommands.end(),
                                    [](const Command& command) { return command.parser->parsed(); })
                    ->run();
            }};
}

// The parser of the innermost subcommand that was given has the options to fill in.
void complete_by_study(const std::string& file, CLI::App& app)
{
    const StudyForm study = read_study_form(file);
    CLI::App* parser = &app;
    while (!parser->get_subcommands().empty()) {
        parser = parser->get_subcommands().front();
    }
    // A study is about one operator; what takes no operator has no use for it.
    if (parser->get_option_no_throw("--shape") == nullptr) {
        throw bad_input("--study does not apply here", file,
                        "leave it out, or give it to a subcommand with --op and --shape");
    }
    const auto option = [&](const char* name) {
        CLI::Option* own = parser->get_option_no_throw(name);
        return own != nullptr ? own : app.get_option_no_throw(name);
    };
    const auto given = [&](const char* name) {
        return option(name) != nullptr && option(name)->count() > 0;
    };
    // Values of the study go in front of those of the command line: of two --set for one key the
    // last counts, so the command line wins.
    const auto put_first = [&](const char* name, std::vector<std::string> values) {
        CLI::Option* of = option(name);
        if (of == nullptr || values.empty()) {
            return;
        }
        values.insert(values.end(), of->results().begin(), of->results().end());
        of->clear();
        for (const std::string& value : values) {
            of->add_result(value);
        }
        of->run_callback();
    };
    const auto put = [&](const char* name, const std::string& value) {
        if (!value.empty() && !given(name)) {
            put_first(name, {value});
        }
    };
    // With another operator or shape, the study's configuration would not fit any more.
    if (!given("--op") && !given("--shape")) {
        put("--op", study.op);
        put("--shape", study.shape);
        put("--padding", study.padding);
        put("--config", study.config);
    }
    // The overrides belong to the study's device, so another device does not get them.
    if (!given("--device")) {
        put("--device", study.device);
        put_first("--set", study.overrides);
    }
    put("--seed", study.seed);
    put("--registers", study.registers);
}

} // namespace texelscope::cli
