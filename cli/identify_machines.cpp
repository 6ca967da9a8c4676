#include "cli/identify_machines.hpp"

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/file_bytes.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "cli/machines_output.hpp"
#include "cli/terminal.hpp"
#include "workbench/kernel_logs/log_folder.hpp"
#include "workbench/kernel_logs/measured_tasks.hpp"
#include "workbench/machines/logged_kernels.hpp"
#include "workbench/machines/machines_json.hpp"
#include "workbench/machines/next_kernels.hpp"
#include "workbench/machines/over_machines.hpp"
#include "workbench/space/operator_space.hpp"
#include "workbench/store/result_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>
#include <utility>

namespace texelscope::cli {
namespace {

constexpr const char* machines_ending = ".machines.json";

/// The file of machines, and the profile beside it.
struct MachineFiles {
    std::string machines, profile;
};

MachineFiles files_of(const MachinesArguments& arguments, const DeviceProfile& device)
{
    std::string stem = arguments.output;
    if (stem.ends_with(machines_ending)) {
        stem.resize(stem.size() - std::string(machines_ending).size());
    } else {
        std::error_code ignored;
        std::filesystem::create_directories(stem, ignored);
        stem = (std::filesystem::path(stem) / device.name).string();
    }
    return {stem + machines_ending, stem + ".xml"};
}

/// Kernels of files of results, and of folders of AutoTVM's logs.
std::vector<MeasuredKernel> kernels_from(const std::vector<std::string>& files,
                                         const std::string& device)
{
    constexpr std::size_t fewest = 20; // fewer say little about an order
    std::vector<MeasuredKernel> kernels;
    std::vector<StoredResult> results;
    for (const std::string& file : files) {
        if (std::filesystem::is_directory(file)) {
            const auto logs =
                workbench::kernel_logs::measured_tasks(workbench::kernel_logs::read_logs(file));
            const auto some = workbench::machines::measured_kernels(logs, device, fewest, file);
            kernels.insert(kernels.end(), some.begin(), some.end());
        } else {
            const std::vector<StoredResult> some = read_results(file);
            results.insert(results.end(), some.begin(), some.end());
        }
    }
    if (kernels.empty() || !results.empty()) {
        const auto some = measured_kernels(results, fmt::format("{}", fmt::join(files, " ")));
        kernels.insert(kernels.end(), some.begin(), some.end());
    }
    return kernels;
}

Error no_machines(const std::string& device)
{
    return bad_input("nobody knows which machines " + device + " can be", "--machines-of",
                     "take a profile that identify --kernels wrote");
}

Cells judgement_cells(const std::string& who, const Judgement& judgement)
{
    return {who,
            fmt::format("{}", judgement.tasks),
            fmt::format("{}", judgement.kernels),
            fmt::format("{:.2f} ({:.2f})", judgement.tau, judgement.least_tau),
            fmt::format("{:.1f} %", 100 * judgement.error),
            fmt::format("{:.2f} ({:.2f})", judgement.choice, judgement.worst_choice),
            judgement.coverage ? fmt::format("{:.0f} %", 100 * *judgement.coverage) : "-"};
}

std::string set_text(const MachineSet& set)
{
    std::vector<Cells> judged{judgement_cells("best machine, identified on", set.known)};
    if (set.held_out) {
        const std::string on =
            set.folds > 1 ? fmt::format(", {} parts from the others", set.folds) : ", held out";
        judged.push_back(judgement_cells("best machine" + on, *set.held_out));
        judged.push_back(judgement_cells("all machines" + on, *set.together));
        judged.push_back(judgement_cells("profile as it was, on the same", *set.nominal));
    }
    if (set.simulated) {
        judged.push_back(judgement_cells("best machine, simulated", *set.simulated));
    }
    if (set.simulated_held_out) {
        judged.push_back(judgement_cells(set.folds > 1 ? "simulated, chosen by the other parts"
                                                       : "simulated, held out",
                                         *set.simulated_held_out));
    }
    std::string unknown;
    std::vector<Cells> rows;
    for (std::size_t i = 0; i < set.values.size(); ++i) {
        const MachineSet::Value& value = set.values[i];
        if (value.told()) {
            rows.push_back({value.key, set.machines.front().values[i],
                            value.low == value.high ? value.low : value.low + " to " + value.high,
                            fmt::format("{:.2f}", value.spread)});
        } else {
            unknown += (unknown.empty() ? "" : ", ") + value.key;
        }
    }
    return fmt::format(
               "{}: {} machines of {} that were tried agree with {} kernels of {} tasks\n\n",
               set.profile, set.machines.size(), set.evaluations, set.known.kernels,
               set.known.tasks) +
           format_table({"", "tasks", "kernels", "tau (least)", "median error",
                         "choice over best (worst)", "inside of 80 %"},
                        judged) +
           "\n" +
           format_table({"key", "best", "80 % of the machines", "of what was possible"}, rows) +
           (unknown.empty() ? std::string() : "\nnot told by these kernels: " + unknown + "\n");
}

} // namespace

void MachinesArguments::add_to(CLI::App& parser)
{
    add_repeatable(parser, "--kernels", kernels,
                   "measured results (CSV, also .zst; JSON; Kernel Tuner), or a folder of "
                   "AutoTVM's logs: finds the machines that agree with them (repeatable)");
    parser.add_option("--of", of,
                      "with --kernels: the device of a folder's logs, where it is not --device");
    parser.add_option("--device", device,
                      "with --kernels: the profile whose values are asked for, but for those of a "
                      "data sheet or a driver");
    parser.add_option("--figures", figures,
                      "with --kernels: CSV of published figures, name,quantity,value,error");
    add_repeatable(parser, "--hold-out", hold_out,
                   "with --kernels: keeps the tasks for judging whose name has this text "
                   "(repeatable)");
    add_repeatable(parser, "--free", free,
                   "with --kernels: a key that may vary though its value is known (repeatable)");
    add_repeatable(parser, "--keep", keep,
                   "with --kernels: a key whose value is taken for known (repeatable)");
    parser.add_option("--machines", search.machines, "with --kernels: how many are kept")
        ->check(CLI::Range(8, 1000));
    parser.add_option("--budget", search.evaluations, "with --kernels: machines that are tried")
        ->check(CLI::Range(100, 10000000));
    parser
        .add_option("--tolerance", search.tolerance,
                    "with --kernels: how much worse than the best a machine may be, beside a tenth "
                    "of the best's loss")
        ->check(CLI::Range(0.0, 10.0));
    parser
        .add_option("--kernels-of-task", kernels_of_task,
                    "with --kernels: at most so many of each task; 0 = all")
        ->check(CLI::NonNegativeNumber);
    parser.add_flag("--start-anywhere", search.start_anywhere,
                    "with --kernels: begins anywhere, not near the profile");
    add_sample(parser, sample);
    parser
        .add_option("--simulated", simulated,
                    "with --kernels: so many machines are simulated as well, and those that agree "
                    "best by both judges come first")
        ->check(CLI::NonNegativeNumber);
    parser
        .add_option("--simulated-kernels", simulated_kernels,
                    "with --simulated: at most so many of each task; 0 = all")
        ->check(CLI::NonNegativeNumber);
    parser.add_option(
        "--machines-of", machines_of,
        "a profile that identify --kernels wrote. With --kernels: its machines are taken, in place "
        "of a search by the model. With --propose: which kernels of an operator (--op, --shape) "
        "would tell them apart best");
    op.add_to(parser, false);
    parser.add_option("--error", error, "with --machines-of: of a measured time, relative")
        ->check(CLI::Range(0.001, 1.0));
    parser.add_option("--state", state,
                      "with --kernels: a file that an interrupted search goes on from");
}

int propose_kernels_and_print(const MachinesArguments& arguments, const GlobalOptions& global)
{
    constexpr std::size_t candidates = 300; // drawn from the space
    DeviceArguments named;
    named.device = arguments.machines_of;
    const DeviceProfile device = named.profile();
    const auto set = machines_of(device);
    if (!set) {
        throw no_machines(device.name);
    }
    const Operator op = arguments.op.parsed_operator();
    const ConfigurationSpace space = configuration_space(op, device);
    std::mt19937_64 random(global.seed);
    std::vector<Schedule> schedules;
    const auto all = static_cast<std::size_t>(space.size());
    for (std::size_t i = 0; i < std::min(candidates, all); ++i) {
        const std::size_t at =
            all <= candidates ? i : static_cast<std::size_t>(uniform_below(random, all));
        schedules.push_back(space.at(static_cast<std::int64_t>(at)));
    }
    const auto ns = times_on_machines(*set, device, op, schedules,
                                      threads_or_all(arguments.threads), interrupted);
    ordered_json list = ordered_json::array();
    std::vector<Cells> rows;
    for (const NextKernel& next :
         next_kernels(*set, ns, arguments.propose == 0 ? 1 : arguments.propose, arguments.error)) {
        const std::string config = to_string(schedules[next.kernel]);
        const auto time = over_machines(*set, ns[next.kernel]);
        list.push_back({{"config", config},
                        {"median_ns", time->median_ns},
                        {"spread", next.spread},
                        {"bits", next.bits}});
        rows.push_back({config, human_time(time->median_ns),
                        fmt::format("{:.0f} %", 100 * std::expm1(next.spread)),
                        fmt::format("{:.2f}", next.bits)});
    }
    ordered_json json = json_result("next-kernels");
    json["device"] = device.name;
    json["machines"] = set->machines.size();
    json["op"] = op.name;
    json["shape"] = op.shape;
    json["error"] = arguments.error;
    json["kernels"] = list;
    print_result(
        global, json,
        fmt::format("{} on {}: what would tell its {} machines apart, measured within "
                    "{:.0f} %, of {} kernels\n",
                    to_string(op), device.name, set->machines.size(), 100 * arguments.error,
                    schedules.size()) +
            format_table({"configuration", "median", "the machines differ by", "bits"}, rows));
    return exit_code::done;
}

int identify_machines_and_print(const MachinesArguments& arguments, const GlobalOptions& global)
{
    if (arguments.device.empty() || arguments.output.empty()) {
        throw bad_input("--kernels needs --device and --output", "identify",
                        "name a profile, and a folder for what is found");
    }
    MachinesQuestion question{.device = find_profile(arguments.device),
                              .kernels = {},
                              .hold_out = arguments.hold_out,
                              .folds = arguments.folds,
                              .kernels_of_task = arguments.kernels_of_task,
                              .also = arguments.free,
                              .keep = arguments.keep,
                              .search = arguments.search,
                              .simulated = arguments.simulated,
                              .simulated_kernels = arguments.simulated_kernels,
                              .sample = arguments.sample,
                              .state_file = arguments.state,
                              .threads = threads_or_all(arguments.threads)};
    question.kernels =
        kernels_from(arguments.kernels, arguments.of.empty() ? question.device.name : arguments.of);
    question.search.seed = global.seed;
    if (!arguments.machines_of.empty()) {
        question.set = machines_of(find_profile(arguments.machines_of));
        if (!question.set) {
            throw no_machines(arguments.machines_of);
        }
    }
    for (const std::string& file : arguments.kernels) {
        question.sources.push_back(std::filesystem::path(file).filename().string());
    }
    if (!arguments.figures.empty()) {
        question.figures =
            parse_figures(std::string(map_file(arguments.figures)->view()), arguments.figures);
        question.sources.push_back(std::filesystem::path(arguments.figures).filename().string());
    }
    const MachineFiles files = files_of(arguments, question.device);
    check_writable(files.machines);
    const MachineSet set = identified_machines(question, make_progress(global), interrupted);
    end_progress(global);
    DeviceProfile best = identified_device(set, question.device);
    best.name = std::filesystem::path(files.profile).stem().string();
    write_file_atomically(files.machines, machines_text(set));
    write_file_atomically(files.profile, to_xml(best));
    for (const std::string& state : state_files(question)) { // they have nothing more to go on with
        std::error_code ignored;
        std::filesystem::remove(state, ignored);
    }
    if (global.json) {
        print_json(json_result("machines", to_json(set)));
    } else {
        print_text(set_text(set));
    }
    print_note(global, fmt::format("{} and {} written", files.machines, files.profile));
    return exit_code::done;
}

} // namespace texelscope::cli
