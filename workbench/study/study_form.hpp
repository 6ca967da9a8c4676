#pragma once

#include "base/layers.hpp"
#include "codegen/operators/operator.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace texelscope::devices {
struct DeviceProfile;
} // namespace texelscope::devices

namespace texelscope::workbench::study {

struct StudyRequest;

/// A study as the user writes it: the texts of the command line's options.
struct StudyForm {
    std::string op = "matmul";
    std::string shape = "64,64,64";
    std::string padding; ///< of convolutions; empty: same
    std::string config;  ///< empty: the operator's default schedule
    std::string device = "adreno-740";
    std::vector<std::string> overrides; ///< "KEY=VALUE"; empty ones are passed over
    std::string seed = "1";
    bool rank = true; ///< in the window: whether all configurations are ranked as well
    std::string registers = "estimated"; ///< or "compiled"
    /// An operator that a program made, as a kernel of a network is; it is studied in place of the
    /// one that `op` and `shape` name, which then only tell people what it is. A file cannot hold
    /// it.
    std::shared_ptr<const Operator> given = {};

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
// Padding, configuration, overrides, registers, seed and rank may be left out. A device that is a
// file (.xml) is looked for beside the study's file first.

/// Throws bad_input where the operator is a given one.
[[nodiscard]] std::string to_xml(const StudyForm& form);
/// Reads a form from XML. What its texts say is checked by to_request(), not here. `path`: for
/// messages, and the folder where a device's file is looked for. Throws bad_input, with file and
/// line, for a text that is no study.
[[nodiscard]] StudyForm parse_study_form(const std::string& xml, const std::string& path);
/// parse_study_form() of a file. Throws bad_input, also where the file cannot be read.
[[nodiscard]] StudyForm read_study_form(const std::string& path);

/// The given operator, or else the one of that name, shape and padding. Throws bad_input where
/// there is none.
[[nodiscard]] Operator operator_of(const StudyForm& form);

/// Parses all texts of a form. Throws bad_input for whatever does not parse, for values that do not
/// fit together, and for a configuration that is illegal for the operator or breaks a limit of the
/// device; missing where registers are to be compiled and there is no compiler.
[[nodiscard]] StudyRequest to_request(const StudyForm& form);

/// The form's device alone, with its overrides, and with estimated registers. Throws bad_input as
/// to_request() does.
[[nodiscard]] DeviceProfile device_of(const StudyForm& form);

/// The form's seed. Throws bad_input where it is no number.
[[nodiscard]] std::uint64_t seed_of(const StudyForm& form);

/// Whether a file begins as a study's does. False for other files, such as device profiles, and for
/// missing ones.
[[nodiscard]] bool is_study_file(const std::string& path);

} // namespace texelscope::workbench::study
