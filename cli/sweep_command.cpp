#include "base/error.hpp"
#include "cli/arguments.hpp"
#include "cli/parts_argument.hpp"
#include "cli/place_arguments.hpp"
#include "cli/sweep_mpi.hpp"
#include "cli/terminal.hpp"
#include "cli/where_argument.hpp"
#include "workbench/report/tuned_json.hpp"
#include "workbench/tuning/sweep.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <sstream>

namespace texelscope::cli {
namespace {

// `sweep`: judges configurations of many operators on many devices, and keeps every result in a
// store. What the store has already is not judged again, so a sweep can be interrupted and go on.
// The work is shared by threads, or by the ranks of an MPI program.
struct SweepArguments {
    std::string store;
    std::vector<std::string> operators; ///< "matmul 64,64,64" or "conv2d 1,14,14,16,16,3,3,1 valid"
    std::vector<std::string> devices{"adreno-740"};
    DeviceArguments overrides;
    PartsArgument parts;
    WhereArgument where;
    std::string choose = "random";
    std::int64_t budget = 64;
    std::int64_t sample = 20'000;
    int jobs = 1;
    PlaceArguments place;
    std::string on; ///< device whose runs judge; empty: the simulator judges
    RunOptions run;
};

Operator operator_of(const std::string& text)
{
    if (const std::size_t end = text.find_last_of(' '); // a formula has spaces of its own
        text.find('[') != std::string::npos && end != std::string::npos) {
        return parse_operator(text.substr(0, end), text.substr(end + 1));
    }
    std::istringstream words(text);
    std::string name, shape, padding, rest;
    words >> name >> shape >> padding;
    if (shape.empty() || words >> rest) {
        throw bad_input(
            "'" + text + "' is no operator with its shape", "--op",
            "write it like \"matmul 64,64,64\" or \"conv2d 1,14,14,16,16,3,3,1 valid\"");
    }
    return parse_operator(name, shape, padding);
}

SweepPlan plan_of(const SweepArguments& arguments, const GlobalOptions& global)
{
    SweepPlan plan;
    for (const std::string& text : arguments.operators) {
        plan.operators.push_back(operator_of(text));
    }
    for (const std::string& name : arguments.devices) {
        DeviceArguments device = arguments.overrides;
        device.device = name;
        plan.devices.push_back(device.profile());
    }
    plan.parts = arguments.parts.parts();
    plan.where = arguments.where.conditions;
    plan.choice = parse_sweep_choice(arguments.choose);
    plan.configurations = arguments.budget;
    plan.most_accesses = arguments.sample;
    plan.seed = global.seed;
    plan.run = arguments.run;
    plan.run.stop = interrupted;
    return plan;
}

/// `ranks`: of an MPI program; null: this process alone.
int judge_and_print(const SweepArguments& arguments, const SweepPlan& plan, MpiRanks* ranks,
                    const GlobalOptions& global)
{
    const auto start = std::chrono::steady_clock::now();
    ResultStore store(arguments.store);
    const SweepWorkers workers =
        ranks ? ranks->hand_out() : sweep_threads(arguments.jobs, interrupted);
    const SweepResult result =
        sweep(plan, store, TEXELSCOPE_VERSION, workers, make_progress(global), interrupted);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    end_progress(global);
    const int hands = ranks != nullptr ? ranks->workers() : arguments.jobs;
    const std::string by = plan.on != nullptr
                               ? plan.on->info().name
                               : fmt::format("{} {}{}", hands, ranks != nullptr ? "rank" : "thread",
                                             hands == 1 ? "" : "s");
    if (global.json) {
        ordered_json out = json_result("sweep");
        out["store"] = arguments.store;
        out["operators"] = plan.operators.size();
        out["devices"] = plan.devices.size();
        out["parts"] = parts_json(plan.parts);
        if (!plan.where.empty()) {
            out["space"] = result.where.size;
            out["where"] = conditions_json(result.where);
        }
        out["registers"] = arguments.overrides.registers;
        out["judge"] = plan.on != nullptr ? "device" : "simulator";
        out["tasks"] = result.tasks;
        out["from_store"] = result.from_store;
        out["judged"] = result.judged;
        out["illegal"] = result.illegal;
        out["seconds"] = seconds;
        out["digest"] = result.digest;
        print_json(out);
    } else {
        print_text(
            where_text(result.where) +
            fmt::format("{} configurations ({} operators, {} devices): {} judged by {} in {:.2f} "
                        "s, {} from the store{}\n"
                        "digest {}\n",
                        count_text(result.tasks), plan.operators.size(), plan.devices.size(),
                        count_text(result.judged), by, seconds, count_text(result.from_store),
                        result.illegal > 0 ? fmt::format(", {} illegal", count_text(result.illegal))
                                           : "",
                        result.digest));
    }
    return exit_code::done;
}

int sweep_and_print(const CLI::App& parser, const SweepArguments& arguments,
                    const GlobalOptions& global)
{
    if (started_by_mpi()) {
        if (parser.count("--jobs") > 0 && !first_of_mpi()) {
            // Rank 0 prints the error; from every rank it would be printed many times.
            return exit_code::bad_input;
        }
        refuse_options(parser, {"--jobs"}, "under mpirun, whose ranks judge");
    }
    SweepPlan plan = plan_of(arguments, global);
    std::optional<OpenClDevice> device;
    if (!arguments.on.empty()) {
        refuse_options(parser, {"--sample"}, "where a device judges");
        // Two kernels at once would disturb each other's times.
        refuse_options(parser, {"--jobs"}, "where a device judges, one kernel after the other");
        if (plan.devices.size() > 1) {
            throw bad_input("--device names several profiles", "--on " + arguments.on,
                            "name one, whose limits give the space; the device judges");
        }
        if (started_by_mpi()) {
            throw bad_input("--on does not apply under mpirun", "--on " + arguments.on,
                            "run it as one process");
        }
        plan.on = &device.emplace(arguments.on, arguments.place.runner_options());
    } else {
        refuse_options(parser, {"--samples", "--agent", "--opencl"},
                       "to the simulator, which judges", "leave it out, or add --on DEVICE");
    }
    if (!started_by_mpi()) {
        return judge_and_print(arguments, plan, nullptr, global);
    }
    MpiRanks ranks;
    if (!ranks.leads()) {
        ranks.work(plan, TEXELSCOPE_VERSION);
        return exit_code::done;
    }
    try {
        return judge_and_print(arguments, plan, &ranks, global);
        // Printed here: MPI's end of rank 0 ends all ranks before main() could print it.
    } catch (const std::exception& error) {
        std::fprintf(stderr, "texelscope: %s\n", error.what());
        throw;
    }
}

} // namespace

Command sweep_command(CLI::App& app, const GlobalOptions& global)
{
    CLI::App* parser =
        app.add_subcommand("sweep", "judges many operators, shapes and devices, by the simulator "
                                    "or a device's runs, into one store");
    const auto arguments = std::make_shared<SweepArguments>();
    parser
        ->add_option("store", arguments->store, "file of results; it is made where it is not there")
        ->required();
    add_repeatable(
        *parser, "--op", arguments->operators,
        "operator and shape, e.g. \"matmul 64,64,64\" (repeatable); a padding may follow")
        ->required();
    add_repeatable(*parser, "--device", arguments->devices, "profile: name or file (repeatable)")
        ->capture_default_str();
    arguments->overrides.add_overrides_to(*parser);
    arguments->overrides.add_registers_to(*parser);
    arguments->parts.add_to(*parser);
    arguments->where.add_to(*parser);
    parser
        ->add_option("--choose", arguments->choose,
                     "configurations: random or shortlist (the model's first)")
        ->check(CLI::IsMember({"random", "shortlist"}));
    parser->add_option("--budget", arguments->budget, "configurations of each operator and device")
        ->check(CLI::PositiveNumber);
    add_sample(*parser, arguments->sample);
    parser->add_option("--on", arguments->on,
                       "device whose runs judge, instead of the simulator: as for run");
    arguments->place.add_to(*parser);
    add_samples(*parser, arguments->run);
    parser->add_option("--jobs", arguments->jobs, "threads; mpirun gives ranks instead")
        ->check(CLI::Range(1, 1024));
    return {parser,
            [&global, parser, arguments] { return sweep_and_print(*parser, *arguments, global); },
            true};
}

} // namespace texelscope::cli
