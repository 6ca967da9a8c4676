#include "cli/calibration_file.hpp"

#include "base/error.hpp"
#include "cli/arguments.hpp"
#include "cli/result_file.hpp"
#include "cli/terminal.hpp"
#include "workbench/store/kept_calibration.hpp"

#include <fmt/format.h>

#include <utility>

namespace texelscope::cli {
namespace {

std::string error_percent(double fraction)
{
    return fmt::format("{:.1f} %", 100 * fraction);
}

} // namespace

std::string error_line(const std::string& what, const FitError& training, const FitError& held_out)
{
    return fmt::format(
        "{}: held-out error {} (worst {}, R2 {:.3f}, {} samples); training error {}\n", what,
        error_percent(held_out.mape), error_percent(held_out.worst), held_out.r2, held_out.samples,
        error_percent(training.mape));
}

ordered_json calibration_json(const NamedCalibration& calibration)
{
    return json_result("calibration", to_json(calibration));
}

NamedCalibration read_calibration(const std::string& path)
{
    return parse_calibration(
        read_whole_file(path, "give a file that texelscope calibrate -o has written"), path);
}

void CalibrationArgument::add_to(CLI::App& parser)
{
    parser.add_option("--calibration", file,
                      "what texelscope calibrate -o has written; without it the model is fitted on "
                      "the simulated device");
}

Calibration CalibrationArgument::of(const DeviceProfile& device, std::uint64_t seed) const
{
    if (file.empty()) {
        return kept_calibration(device, seed, calibrations_folder(), interrupted);
    }
    NamedCalibration named = read_calibration(file);
    // The warp level's D was fitted for a cache of this many lines, and means nothing for another.
    const std::int64_t lines = device.simulation.machine.l1().geometry.lines();
    if (named.calibration.cache_lines != lines) {
        throw bad_input(fmt::format("it was fitted with {} lines of L1, {} has {}",
                                    named.calibration.cache_lines, device.name, lines),
                        file, "calibrate with --device, or set l1.capacity and l1.line");
    }
    const auto& shapes = default_block_shapes();
    // Each coefficient belongs to a block shape: with other shapes they would be multiplied by the
    // wrong counts.
    if (named.calibration.thread.shapes != shapes ||
        named.calibration.reuse_thread.shapes != shapes) {
        throw bad_input("it was fitted with other block shapes than strides are counted over", file,
                        "calibrate again");
    }
    return std::move(named.calibration);
}

VariantChoice CalibrationArgument::variant(const std::string& name) const
{
    return name.empty() ? default_variant(!file.empty())
                        : VariantChoice{parse_model_variant(name), {}};
}

std::string CalibrationArgument::origin() const
{
    return file.empty() ? "on the simulated device"
                        : "on " + read_calibration(file).device + " (" + file + ")";
}

} // namespace texelscope::cli
