#include "cli/arguments.hpp"
#include "cli/identify_output.hpp"
#include "cli/terminal.hpp"
#include "experiments/identify_simulated.hpp"
#include "model/propose_walks.hpp"
#include "model/walk_file.hpp"
#include "traces/error.hpp"

#include <memory>

namespace texelscope::cli {
namespace {

struct IdentifyArguments {
    std::string walks;
    std::string latencies;
    std::string image;
    std::string on;
    std::vector<std::string> overrides;
    std::string predict;
    std::vector<std::string> layouts;
    int folds = 5;
    int threads = 2;
    SimulatedIdentification simulated;
    std::size_t propose = 0;
    std::int64_t steps = 2048;
    std::string output;
    std::string save;
};

Image parsed_image(const std::string& text)
{
    try {
        return parse_image("walks:" + text);
    } catch (const Error&) {
        throw bad_input("'" + text + "' is not WIDTHxHEIGHTxBYTES", "--image", "write it like --image 2048x2048x16");
    }
}

IdentifyOptions search_options(const IdentifyArguments& arguments, const GlobalOptions& global)
{
    IdentifyOptions options;
    options.folds = arguments.folds;
    options.threads = arguments.threads;
    options.seed = global.seed;
    for (const std::string& text : arguments.layouts) {
        options.extra_layouts.push_back(parse_layout(text));
    }
    return options;
}

/// What was measured and what it means; the truth where the device is a simulated one.
struct Identified {
    MeasuredWalks measured;
    Identification identification;
    std::optional<IdentifiedDevice> simulated;
};

Identified identify_files(const IdentifyArguments& arguments, const GlobalOptions& global)
{
    if (arguments.walks.empty() || arguments.latencies.empty() || arguments.image.empty()) {
        throw bad_input("nothing to identify", "identify",
                        "give --walks, --latencies and --image, or --on sim:NAME for a simulated device");
    }
    IdentifyOptions options = search_options(arguments, global);
    const std::vector<LayoutSpec> known = profile_layouts();
    options.extra_layouts.insert(options.extra_layouts.end(), known.begin(), known.end());
    Identified result;
    result.measured = join_walks(read_walks(arguments.walks), read_walk_latencies(arguments.latencies),
                                 parsed_image(arguments.image));
    result.identification = identify(result.measured, options, make_progress(global), interrupted);
    return result;
}

Identified identify_device(const IdentifyArguments& arguments, const GlobalOptions& global)
{
    constexpr std::string_view simulated = "sim:";
    if (!arguments.on.starts_with(simulated)) {
        throw bad_input("'" + arguments.on + "' is no simulated device", "--on",
                        "write sim:NAME with the name of a profile (see texelscope devices)");
    }
    if (!arguments.walks.empty() || !arguments.latencies.empty()) {
        throw bad_input("walks from files and --on were both given", "identify", "give one of them");
    }
    const DeviceArguments device{arguments.on.substr(simulated.size()), arguments.overrides};
    SimulatedIdentification how = arguments.simulated;
    how.steps = arguments.steps;
    if (!arguments.image.empty()) {
        const Image image = parsed_image(arguments.image);
        how.extent = image.extent;
        how.bytes_per_texel = image.bytes_per_texel;
    }
    IdentifiedDevice found = identify_simulated(device.profile().simulation, how, search_options(arguments, global),
                                                make_progress(global), interrupted);
    return {found.measured, found.identification, std::move(found)};
}

std::vector<PredictedWalk> predictions(const IdentifyArguments& arguments, const Identified& identified)
{
    const Explanation& best = identified.identification.explanations.front();
    std::vector<PredictedWalk> list;
    if (arguments.predict.empty()) {
        for (std::size_t i = 0; i < identified.measured.size(); ++i) {
            list.push_back({identified.measured.walks[i].number, best.predicted[i]});
        }
        return list;
    }
    const std::vector<TexelWalk> walks = read_walks(arguments.predict);
    for (const TexelWalk& walk : walks) {
        validate(walk, identified.measured.extent);
    }
    const std::vector<double> ratios =
        miss_ratios(best.cache, identified.measured.extent, identified.measured.bytes_per_texel, walks);
    for (std::size_t i = 0; i < walks.size(); ++i) {
        list.push_back({walks[i].number, best.latency(ratios[i])});
    }
    return list;
}

void write_proposals(const IdentifyArguments& arguments, const GlobalOptions& global, const Identified& identified)
{
    const MeasuredWalks& measured = identified.measured;
    const ProposeOptions options{.count = arguments.propose,
                                 .pool = std::max<std::size_t>(600, 4 * arguments.propose),
                                 .design = {measured.extent, arguments.steps},
                                 .bytes_per_texel = measured.bytes_per_texel,
                                 .first_number = measured.walks.back().number + 1,
                                 .seed = global.seed,
                                 .threads = arguments.threads};
    write_walks(arguments.output, propose_walks(identified.identification, options, interrupted));
    print_note(global, fmt::format("{} walks to measure next written to {}", arguments.propose, arguments.output));
}

int identify_and_print(const IdentifyArguments& arguments, const GlobalOptions& global)
{
    if ((arguments.propose > 0) != !arguments.output.empty()) {
        throw bad_input("--propose and --output belong together", "identify",
                        "write --propose 20 --output next.csv.gz");
    }
    const Identified identified =
        arguments.on.empty() ? identify_files(arguments, global) : identify_device(arguments, global);
    const std::vector<PredictedWalk> predicted = predictions(arguments, identified);
    end_progress(global);
    if (!arguments.save.empty()) {
        write_walks(arguments.save + "-walks.csv.gz", identified.measured.walks);
        write_walk_latencies(arguments.save + "-latencies.csv", identified.measured);
    }
    if (arguments.propose > 0) {
        write_proposals(arguments, global, identified);
    }
    if (global.json) {
        ordered_json out = json_result("identify");
        out["source"] = arguments.on.empty() ? arguments.walks : arguments.on;
        add_identification(out, identified.measured, identified.identification, predicted);
        if (identified.simulated) {
            out["truth"] = to_json(identified.simulated->truth);
            out["found"] = identified.simulated->found;
            out["found_but_for_replacement"] = identified.simulated->found_but_for_replacement;
        }
        print_json(out);
        return exit_code::done;
    }
    std::string text = identification_text(identified.measured, identified.identification);
    if (!arguments.predict.empty()) {
        std::vector<std::vector<std::string>> rows;
        for (const PredictedWalk& walk : predicted) {
            rows.push_back({std::to_string(walk.number), fmt::format("{:.2f}", walk.ns)});
        }
        text += "\npredicted\n" + format_table({"walk", "ns per read"}, rows);
    }
    if (identified.simulated) {
        text += fmt::format("\nthe simulated device is {}: {}\n", to_text(identified.simulated->truth),
                            identified.simulated->found                       ? "found"
                            : identified.simulated->found_but_for_replacement ? "found, but for the replacement"
                                                                              : "not found");
    }
    print_text(text);
    return exit_code::done;
}

} // namespace

Command identify_command(CLI::App& app, const GlobalOptions& global)
{
    CLI::App* parser =
        app.add_subcommand("identify", "recovers texture layout and cache geometry from measured pointer chases");
    const auto arguments = std::make_shared<IdentifyArguments>();
    parser->add_option("--walks", arguments->walks, "CSV of the walks: walk,step,x,y (compressed or not)");
    parser->add_option("--latencies", arguments->latencies, "CSV of their latencies: walk,ns_per_read");
    parser->add_option("--image", arguments->image,
                       "WIDTHxHEIGHTxBYTES: the image in texels, bytes per texel (with --on: default 1024x1024x16)");
    parser->add_option("--on", arguments->on, "sim:NAME measures a simulated device: a profile's name or file");
    parser
        ->add_option("--set", arguments->overrides,
                     "KEY=VALUE: with --on, overrides a value of the profile (repeatable)")
        ->type_size(1)
        ->allow_extra_args(false);
    parser->add_option("--walks-count", arguments->simulated.walks, "with --on: walks in all")
        ->check(CLI::Range(10, 10000))
        ->capture_default_str();
    parser
        ->add_option("--rounds", arguments->simulated.rounds,
                     "with --on: rounds of measuring; all but the first ask what is still open")
        ->check(CLI::Range(1, 20))
        ->capture_default_str();
    parser->add_option("--noise", arguments->simulated.noise, "with --on: standard deviation of a latency, relative")
        ->check(CLI::Range(0.0, 0.3))
        ->capture_default_str();
    parser->add_option("--steps", arguments->steps, "reads of each walk that is simulated or proposed")
        ->check(CLI::Range(16, 1000000))
        ->capture_default_str();
    parser->add_option("--predict", arguments->predict, "CSV of further walks, whose latencies are predicted");
    parser->add_option("--propose", arguments->propose, "how many walks to propose that would tell most, to --output")
        ->check(CLI::Range(1, 1000));
    parser->add_option("-o,--output", arguments->output, "where the proposed walks go (.csv, .csv.gz)");
    parser->add_option("--save", arguments->save, "writes PREFIX-walks.csv.gz and PREFIX-latencies.csv, as measured");
    parser
        ->add_option("--layout", arguments->layouts,
                     "a storage layout to try as well, written as for --set layout= (repeatable)")
        ->type_size(1)
        ->allow_extra_args(false);
    parser->add_option("--folds", arguments->folds, "of the cross-validation")
        ->check(CLI::Range(2, 50))
        ->capture_default_str();
    parser->add_option("--threads", arguments->threads, "that search; the result does not depend on it")
        ->check(CLI::Range(1, 256))
        ->capture_default_str();
    return {parser, [&global, arguments] { return identify_and_print(*arguments, global); }, true};
}

} // namespace texelscope::cli
