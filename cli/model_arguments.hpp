#pragma once

#include "cli/calibration_file.hpp"
#include "cli/command.hpp"
#include "devices/profile/device_profile.hpp"
#include "workbench/tuning/ordering_model.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::cli {

/// Options of `tune` for what the model has a say in: `--calibration`, `--variant`, `--prune`,
/// `--prune-loads`.
struct ModelArguments {
    CalibrationArgument calibration;
    std::string variant;            ///< empty: default_variant()
    std::vector<std::string> prune; ///< criteria; "all" for every one
    bool prunes = false;
    /// How they are counted; empty: as Romou does, and else where that leaves nothing.
    std::string loads;

    /// It must outlive the parser.
    void add_to(CLI::App& parser);
    /// The names of the options, for those who do not look at them.
    [[nodiscard]] static std::vector<std::string> names();
    [[nodiscard]] PruningOptions pruning() const;
    /// What they ask of the model. They must outlive it, and so must the device.
    [[nodiscard]] ModelQuestion question(const DeviceProfile& device, std::uint64_t seed) const;
};

} // namespace texelscope::cli
