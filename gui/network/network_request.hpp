#pragma once

#include "base/progress.hpp"
#include "base/stop.hpp"
#include "networks/plan/memory_plan.hpp"
#include "workbench/network_studies/judged_network.hpp"
#include "workbench/network_studies/training_layers.hpp"
#include "workbench/study/study_form.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::gui {

/// Which network is judged, and by whom beside the model.
struct NetworkRequest {
    std::string model; ///< name of a built-in one, or path of an ONNX file
    std::int64_t batch = 1;
    StudyForm form; ///< whose device it is planned for, and whose seed draws weights and inputs
    bool simulate = false;
    std::int64_t most_accesses = 20'000; ///< of a kernel that are simulated; 0: all
    DevicePlace place;                   ///< where it runs; `on` empty: nowhere
    bool check = false;                  ///< what runs there, against the reference
    std::optional<networks::TrainingOptions> training = {}; ///< nothing: it is not trained
};

/// The built-in network's name, or the file's without folder and ending.
[[nodiscard]] std::string network_name(const std::string& model);

/// A network with what was said of its kernels, without the numbers of its tensors.
struct NetworkResult {
    NetworkRequest request;
    JudgedNetwork judged;
    networks::MemoryPlan memory;
    std::vector<TrainedLayer> layers; ///< where it is trained
    /// By kernel: bytes of what the backward pass reads of the forward pass.
    std::vector<std::int64_t> kept;

    [[nodiscard]] const std::vector<networks::PlannedKernel>& kernels() const
    {
        return judged.planned.plan.kernels;
    }
    /// The share of a kernel in the last judge's total; nothing where there is none.
    [[nodiscard]] std::optional<double> share(std::size_t kernel) const;
    /// The check of the value that a kernel makes; null where it was not compared.
    [[nodiscard]] const TensorCheck* check(std::size_t kernel) const;
};

/// Plans the network for the request's device, and asks the judges. Throws bad_input for what
/// cannot be read, planned or run, missing where there is no such OpenCL device, Interrupted.
[[nodiscard]] NetworkResult judge_network(const NetworkRequest& request,
                                          const Progress& progress = {},
                                          const StopToken& stop = {});

/// A kernel as a study of its own, under the plan's schedule, its tensors where the plan has them.
[[nodiscard]] StudyForm study_of_kernel(const NetworkResult& network, std::size_t kernel);

} // namespace texelscope::gui
