#pragma once

#include "cli/command.hpp"
#include "cli/place_arguments.hpp"
#include "networks/graph/graph.hpp"
#include "workbench/network_studies/judged_network.hpp"
#include "workbench/network_studies/network_prediction.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::cli {
using namespace networks;

/// Which network a subcommand of `network` is about.
struct ModelSource {
    std::string model; ///< name of a built-in one, or an ONNX file
    std::int64_t batch = 1;
    std::vector<std::string> shapes; ///< NAME=N,...

    void add_to(CLI::App& parser);
    /// Throws bad_input where there is no such network, or a shape is not one. `seed`: of drawn
    /// weights.
    [[nodiscard]] Graph graph(std::uint64_t seed) const;
};

/// How a network is trained, where it is.
struct TrainingArguments {
    bool train = false;
    networks::TrainingOptions options;
    std::string loss = "cross-entropy";
    std::uint64_t memory = 0; ///< bytes that it may take; 0: as many as it wants
    std::int64_t steps = 10;
    std::int64_t drawn = 32;  ///< samples, where no files have them
    std::int64_t at_once = 0; ///< steps between two lines and checkpoints; 0: a twentieth of all
    std::string target;       ///< files and folders; empty: none
    std::string gradients;
    std::string weights;
    std::string trained;
    std::string checkpoint;

    /// What decides its plan.
    void add_to(CLI::App& parser);
    /// What it runs on, and what is kept.
    void add_run_to(CLI::App& parser);
};

/// What a network's judges are asked, and where the answers go: one struct for plan, predict,
/// simulate, run, crosscheck and compare. Each of them calls those add_..._to() whose options it
/// has; what it does not offer keeps its default.
struct JudgingArguments {
    ModelSource model;
    std::string device = "adreno-740"; ///< profile that it is planned for
    JudgingOptions judging;
    std::string storage = "fp32";   ///< of its tensors
    bool arena = false;             ///< all that kernels make lies in one buffer
    std::int32_t row_multiple = 64; ///< texels, of images in it, where no OpenCL device says it
    std::string kernels;            ///< folder for their text; empty: none
    std::string on = "none";        ///< OpenCL device that runs it
    PlaceArguments place;
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    TrainingArguments training;
    std::string annotated; ///< files to write; empty: none
    std::string timeline;
    std::string report;

    /// What every subcommand has: the network, how it is planned, and files to write.
    void add_plan_to(CLI::App& parser);
    void add_tuning_to(CLI::App& parser);
    void add_simulation_to(CLI::App& parser);
    void add_run_to(CLI::App& parser);
};

/// Plans a network, and asks the judges that the arguments name. Writes the outputs that are asked
/// for.
[[nodiscard]] JudgedNetwork judged(const JudgingArguments& arguments, const GlobalOptions& global);

/// A step of training of the network that the arguments name.
[[nodiscard]] networks::TrainingStep training_of(const JudgingArguments& arguments,
                                                 const GlobalOptions& global);
/// Throws bad_input where something is asked for that only a run has.
void check_without_device(const JudgingArguments& arguments);
/// What it runs on. Throws bad_input for files that do not fit.
[[nodiscard]] TrainingRun training_run(const JudgingArguments& arguments,
                                       const networks::TrainingStep& step,
                                       const GlobalOptions& global);
/// Writes gradients, weights and the trained network where they are asked for.
void write_training(const JudgingArguments& arguments, const JudgedNetwork& network,
                    const GlobalOptions& global);
/// Options, and what a step takes.
[[nodiscard]] ordered_json training_json(const JudgingArguments& arguments,
                                         const JudgedNetwork& network);

/// network_json() as a result of the command.
[[nodiscard]] ordered_json network_result_json(const JudgedNetwork& network, std::int64_t batch);

/// What was planned, the judges' totals, and the memory that it takes: the lines above a table of
/// kernels.
[[nodiscard]] std::string network_heading(const JudgedNetwork& network);
/// All of it as text. `layouts`: with a column of where inputs lie.
[[nodiscard]] std::string network_text(const JudgedNetwork& network, bool layouts);

/// The model's view of a planned network: network_result_json(), and of each kernel what decides
/// its time. `batch` is the caller's.
[[nodiscard]] ordered_json network_prediction_json(const JudgedNetwork& network,
                                                   const std::vector<KernelPrediction>& predictions,
                                                   std::int64_t batch);
/// network_prediction_json() as text.
[[nodiscard]] std::string network_prediction_text(const JudgedNetwork& network,
                                                  const std::vector<KernelPrediction>& predictions);

/// The storage of that name. Throws bad_input for another than fp32 and fp16.
[[nodiscard]] Storage storage_named(const std::string& name);

/// `network compare`.
void add_network_comparison(std::vector<Command>& subcommands, CLI::App& parser,
                            const GlobalOptions& global);

void add_network_judges(std::vector<Command>& subcommands, CLI::App& parser,
                        const GlobalOptions& global);

} // namespace texelscope::cli
