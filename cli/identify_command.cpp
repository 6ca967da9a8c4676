#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/parallel.hpp"
#include "cli/identify_machines.hpp"
#include "cli/identify_output.hpp"
#include "cli/identify_source.hpp"
#include "cli/terminal.hpp"
#include "model/walks/walk_file.hpp"
#include "workbench/probes/identification_tables.hpp"
#include "workbench/probes/profile/identified_profile.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <memory>

namespace texelscope::cli {
namespace {

// `identify`: finds the storage layout and the texture cache that explain the latencies of walks
// over an image. In: walks measured elsewhere (files), on a simulated device, or on a real one.
// Out: the explanations by their error; with --propose the walks that would tell them apart best;
// with --profile-out a device profile.
struct IdentifyArguments {
    IdentifySource source;
    MachinesArguments machines;
    std::string predict;
    std::size_t propose = 0;
    std::string output;
    std::string profile_out;
    std::string base;
};

/// What the best explanation expects of the walks of --predict; without that option, of the
/// measured walks.
std::vector<PredictedWalk> predictions(const IdentifyArguments& arguments,
                                       const IdentifiedRounds& rounds)
{
    const Explanation& best = rounds.identification.explanations.front();
    std::vector<PredictedWalk> list;
    if (arguments.predict.empty()) {
        for (std::size_t i = 0; i < rounds.measured.size(); ++i) {
            list.push_back({rounds.measured.walks[i].number, best.predicted[i]});
        }
        return list;
    }
    const std::vector<TexelWalk> walks = read_walks(arguments.predict);
    for (const TexelWalk& walk : walks) {
        validate(walk, rounds.measured.extent);
    }
    const std::vector<double> ratios =
        miss_ratios(best.cache, rounds.measured.extent, rounds.measured.bytes_per_texel, walks);
    for (std::size_t i = 0; i < walks.size(); ++i) {
        list.push_back({walks[i].number, best.latency(ratios[i])});
    }
    return list;
}

void write_proposals(const IdentifyArguments& arguments, const GlobalOptions& global,
                     const IdentifiedRounds& rounds)
{
    write_walks(arguments.output,
                next_walks(rounds, arguments.propose, arguments.source.asked.asked.steps,
                           global.seed, threads_or_all(arguments.source.threads), interrupted));
    print_note(global, fmt::format("{} walks to measure next written to {}", arguments.propose,
                                   arguments.output));
}

/// The profile that --base names, or that of the simulated device.
DeviceProfile base_profile(const IdentifyArguments& arguments)
{
    const std::string name = arguments.base.empty()
                                 ? arguments.source.target.simulated_profile().value_or("")
                                 : arguments.base;
    if (name.empty()) {
        throw bad_input("the walks do not tell everything that a profile holds", "--profile-out",
                        "name a profile for the rest with --base");
    }
    return find_profile(name);
}

void write_profile(const IdentifyArguments& arguments, const GlobalOptions& global,
                   DeviceProfile base, const Identified& found)
{
    base.description = fmt::format(
        "{} Its layout, L1 and their latencies are those that texelscope identify found for "
        "{}.",
        base.description, found.origin);
    base.name = std::filesystem::path(arguments.profile_out).stem().string();
    const std::string how =
        fmt::format("texelscope identify {}: {} walks; {}",
                    arguments.source.target.on.empty() ? "--walks " + arguments.source.walks
                                                       : "--on " + arguments.source.target.on,
                    found.rounds.measured.size(), found.origin);
    write_file_atomically(
        arguments.profile_out,
        to_xml(identified_profile(std::move(base), found.rounds.identification, how)));
    print_note(global, "profile written to " + arguments.profile_out);
}

/// Throws bad_input for what can be found wrong before walks are measured, which may take long.
void check(const IdentifyArguments& arguments)
{
    if ((arguments.propose > 0) != !arguments.output.empty()) {
        throw bad_input("--propose and --output belong together", "identify",
                        "write --propose 20 --output next.csv.gz");
    }
    if (!arguments.profile_out.empty() && !arguments.profile_out.ends_with(".xml")) {
        throw bad_input("a profile is a file that ends in .xml",
                        "--profile-out " + arguments.profile_out);
    }
}

void print_found(const IdentifyArguments& arguments, const GlobalOptions& global,
                 const Identified& found)
{
    const auto& [measured, identification] = found.rounds;
    const std::vector<PredictedWalk> predicted = predictions(arguments, found.rounds);
    if (global.json) {
        ordered_json out = json_result("identify");
        out["source"] = arguments.source.target.on.empty() ? arguments.source.walks
                                                           : arguments.source.target.on;
        out["origin"] = found.origin;
        add_identification(out, measured, identification, predicted);
        if (found.simulated) {
            out["truth"] = to_json(found.simulated->truth);
            out["found"] = found.simulated->found;
            out["found_but_for_replacement"] = found.simulated->found_but_for_replacement;
        }
        print_json(out);
        return;
    }
    std::string text = identification_text(measured, identification);
    if (!arguments.predict.empty()) {
        std::vector<Cells> rows;
        for (const PredictedWalk& walk : predicted) {
            rows.push_back({std::to_string(walk.number), fmt::format("{:.2f}", walk.ns)});
        }
        text += "\npredicted\n" + format_table({"walk", "ns per read"}, rows);
    }
    if (found.simulated) {
        text += fmt::format("\nthe simulated device is {}: {}\n", to_text(found.simulated->truth),
                            found.simulated->found ? "found"
                            : found.simulated->found_but_for_replacement
                                ? "found, but for the replacement"
                                : "not found");
    }
    if (found.real) {
        text += "\nmeasured on " + found.origin + "\n";
        text +=
            found.real->cpu
                ? "it is a CPU: images are plain memory, and there is no texture cache to find\n"
                : "";
    }
    print_text(text);
}

int identify_and_print(const IdentifyArguments& arguments, const GlobalOptions& global)
{
    if (!arguments.machines.machines_of.empty() && arguments.machines.kernels.empty()) {
        MachinesArguments machines = arguments.machines;
        machines.propose = arguments.propose;
        machines.threads = arguments.source.threads;
        return propose_kernels_and_print(machines, global);
    }
    if (!arguments.machines.kernels.empty()) {
        if (!arguments.source.walks.empty() || !arguments.source.target.on.empty()) {
            throw bad_input("walks and kernels are identified from apart", "--kernels",
                            "leave out --walks and --on");
        }
        MachinesArguments machines = arguments.machines;
        machines.output = arguments.output;
        machines.threads = arguments.source.threads;
        machines.folds = static_cast<std::size_t>(arguments.source.folds.value_or(1));
        return identify_machines_and_print(machines, global);
    }
    check(arguments);
    std::optional<DeviceProfile> base;
    if (!arguments.profile_out.empty()) {
        base = base_profile(arguments);
    }
    const Identified found = identify_source(arguments.source, global);
    end_progress(global);
    print_found(arguments, global, found);
    if (arguments.propose > 0) {
        write_proposals(arguments, global, found.rounds);
    }
    if (base) {
        write_profile(arguments, global, std::move(*base), found);
    }
    return exit_code::done;
}

void add_source(CLI::App& parser, IdentifySource& source)
{
    IdentifyRounds& asked = source.asked.asked;
    parser.add_option("--walks", source.walks,
                      "CSV of the walks: walk,step,x,y (compressed or not), or the "
                      "ImageCacheHierarchyPChase.csv of ArchProbe, which has latencies, too");
    parser.add_option("--latencies", source.latencies, "CSV of their latencies: walk,ns_per_read");
    parser.add_option("--image", source.image,
                      "WIDTHxHEIGHTxBYTES: the image in texels, bytes per texel (with --on: "
                      "default 1024x1024x16)");
    parser.add_option("--on", source.target.on,
                      "measures a device: sim:NAME, the simulator with a profile, or an OpenCL "
                      "device: index, or part of "
                      "a name");
    source.target.place.add_to(parser);
    source.device.add_overrides_to(parser, "with --on sim:NAME, ");
    parser.add_option("--walks-count", asked.walks, "with --on: walks in all")
        ->check(CLI::Range(10, 10000));
    parser
        .add_option("--rounds", asked.rounds,
                    "with --on: rounds of measuring; all but the first ask what is still open")
        ->check(CLI::Range(1, 20));
    parser
        .add_option("--noise", source.asked.noise,
                    "with --on sim:NAME: standard deviation of a latency, relative")
        ->check(CLI::Range(0.0, 0.3));
    parser
        .add_option("--samples", source.samples,
                    "with --on: of each walk on a real device; the median counts")
        ->check(CLI::Range(1, 1000));
    parser.add_option("--steps", asked.steps, "reads of each walk that is measured or proposed")
        ->check(CLI::Range(16, 1000000));
    parser
        .add_option("--most-steps", asked.most_steps,
                    "with --on: walks of later rounds become longer, up to this, while the "
                    "capacity is open")
        ->check(CLI::Range(16, 1000000));
    parser.add_option("--save", source.save,
                      "PREFIX-walks.csv.gz and PREFIX-latencies.csv, as measured; with --on a real "
                      "device, what they hold "
                      "is not measured again");
    add_repeatable(parser, "--layout", source.layouts,
                   "a storage layout to try as well, written as for --set layout= (repeatable)");
    parser
        .add_option(
            "--folds", source.folds,
            "of the cross-validation: of walks (5), or with --kernels of tasks (none), each "
            "of which is foretold by machines that were identified on the others")
        ->check(CLI::Range(2, 50));
    parser
        .add_option("--threads", source.threads,
                    "that search, 0: all cores; the result does not depend on it")
        ->check(CLI::Range(0, 256));
}

} // namespace

Command identify_command(CLI::App& app, const GlobalOptions& global)
{
    CLI::App* parser = app.add_subcommand(
        "identify",
        "recovers texture layout and cache geometry from measured pointer chases, or the "
        "machines that agree with measured kernels");
    const auto arguments = std::make_shared<IdentifyArguments>();
    add_source(*parser, arguments->source);
    arguments->machines.add_to(*parser);
    parser->add_option("--predict", arguments->predict,
                       "CSV of further walks, whose latencies are predicted");
    parser
        ->add_option("--propose", arguments->propose,
                     "how many walks to propose that would tell most, to --output; with "
                     "--machines-of: how many kernels")
        ->check(CLI::Range(1, 1000))
        ->default_str("");
    parser->add_option("-o,--output", arguments->output,
                       "where the proposed walks go (.csv, .csv.gz); with --kernels: a folder, or "
                       "FILE.machines.json");
    parser->add_option(
        "--profile-out", arguments->profile_out,
        "FILE.xml: writes a profile with the layout, L1 and latencies that were found");
    parser->add_option(
        "--base", arguments->base,
        "profile that has everything else for --profile-out (default: that of sim:NAME)");
    return {parser, [&global, arguments] { return identify_and_print(*arguments, global); }, true};
}

} // namespace texelscope::cli
