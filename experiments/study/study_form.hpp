#pragma once

#include "experiments/study/study.hpp"

#include <string>
#include <vector>

namespace texelscope::experiments {

/// A study as the user writes it: the texts of the command line's options.
struct StudyForm {
    std::string op = "matmul";
    std::string shape = "64,64,64";
    std::string padding; ///< of convolutions; empty: same
    std::string config;  ///< empty: the operator's default schedule
    std::string device = "adreno-740";
    std::vector<std::string> overrides; ///< "KEY=VALUE"; empty ones are passed over
    std::string seed = "1";
    bool rank = true;                    ///< in the window: rank all configurations as well
    std::string registers = "estimated"; ///< or "compiled"

    bool operator==(const StudyForm&) const = default;
};

// As a file:
//   <study>
//     <operator name="conv2d" shape="1,14,14,32,32,3,3,1" padding="valid"/>
//     <configuration>A=row,block4;T=4x4;W=8x8;G=16x8x1</configuration>
//     <device name="adreno-740"/>
//     <set key="l1.capacity">2048</set>
//     <registers>compiled</registers>
//     <seed>1</seed>
//     <rank>no</rank>
//   </study>
// Padding, configuration, overrides, registers, seed and rank may be left out. A device that is a file (.xml) is looked for beside the study's
// file first.

[[nodiscard]] std::string to_xml(const StudyForm& form);
/// What the texts say is not looked at. `path`: for errors, and where a device's file is looked for. Throws bad_input with file
/// and line for what is no study.
[[nodiscard]] StudyForm parse_study_form(const std::string& xml, const std::string& path);
/// Throws bad_input, also where the file cannot be read.
[[nodiscard]] StudyForm read_study_form(const std::string& path);

/// Throws bad_input for whatever does not parse, for values that do not fit together, and for a configuration that is
/// illegal for the operator or breaks a limit of the device; missing where registers are to be compiled and there is no compiler.
[[nodiscard]] StudyRequest to_request(const StudyForm& form);

/// The device alone, with the overrides and estimated registers. Throws bad_input as to_request() does.
[[nodiscard]] DeviceProfile device_of(const StudyForm& form);

/// Whether a file begins as a study's does, and is not, say, a device profile, or missing.
[[nodiscard]] bool is_study_file(const std::string& path);

} // namespace texelscope::experiments
