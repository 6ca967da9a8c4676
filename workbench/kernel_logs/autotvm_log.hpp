#pragma once

#include "base/layers.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace texelscope::workbench::kernel_logs {

/// A tensor among the arguments of a task.
struct TensorArgument {
    std::vector<std::int64_t> shape;
    std::string dtype; ///< "float16"; empty where the log leaves it out

    bool operator==(const TensorArgument&) const = default;
};

/// A knob of a configuration. A split has several numbers, the outermost first, and -1 for the one
/// that follows from the others; a choice has one number or words.
struct LogKnob {
    std::string name;
    std::string kind; ///< "sp": split, "ot": choice, "re": order, "an": annotation
    std::vector<std::int64_t> numbers;
    std::vector<std::string> words;

    bool operator==(const LogKnob&) const = default;
};

/// What AutoTVM's MeasureErrorNo says of a measurement; the number in the log is its place here.
enum class MeasureError {
    none,
    instantiation,
    compile_host,
    compile_device,
    runtime_device,
    wrong_answer,
    build_timeout,
    run_timeout,
};
inline constexpr std::size_t measure_errors = 8;
[[nodiscard]] std::string to_string(MeasureError error);

/// One line of a log: a task, a configuration, and what its measurement gave.
struct LogRow {
    std::int64_t line = 0; ///< from 1
    std::string target;    ///< "opencl -device=adreno ..."
    std::string task;      ///< name of the template
    std::vector<TensorArgument> tensors;
    /// Arguments that are lists of numbers, in their order: strides, padding, dilation.
    std::vector<std::vector<std::int64_t>> lists;
    std::string out_dtype; ///< the last argument that is a word; empty where there is none
    std::string arguments; ///< all of them as JSON: rows of one task have the same
    std::vector<LogKnob> knobs;
    std::vector<double> seconds; ///< of each run; no meaning where there is an error
    MeasureError error = MeasureError::none;
    double timestamp = 0; ///< seconds since 1970; 0 where the log has none
    std::string tvm_version;

    /// Null where there is no knob of that name.
    [[nodiscard]] const LogKnob* knob(std::string_view name) const;
    /// All knobs as text: rows of a task with the same one are repeats.
    [[nodiscard]] std::string configuration() const;
    /// The mean of the runs, in ns: AutoTVM's own measure.
    [[nodiscard]] double mean_ns() const;
};

/// A line that is no row of AutoTVM's.
struct MalformedLine {
    std::int64_t line = 0; ///< from 1
    std::string reason;
};

struct AutotvmLog {
    std::vector<LogRow> rows; ///< in the order of the file
    std::vector<MalformedLine> malformed;
    std::array<std::int64_t, measure_errors> errors{}; ///< rows by MeasureError, none included
};

/// Reads AutoTVM's JSON lines: {"input": [target, task, arguments, {}], "config": {"entity":
/// [[name, kind, value]]}, "result": [seconds, error, spent, timestamp]}. Every line that is not
/// empty becomes a row or a malformed line. Never throws for what a line holds.
[[nodiscard]] AutotvmLog parse_autotvm_log(std::string_view text);

/// Whether the first line that is not empty is a row of AutoTVM's.
[[nodiscard]] bool is_autotvm_log(std::string_view text);

/// A row as a line that parse_autotvm_log() reads as the same row, without an end of line. What a
/// row does not keep is not in it: the index of the configuration and the time that measuring took.
[[nodiscard]] std::string autotvm_line(const LogRow& row);

} // namespace texelscope::workbench::kernel_logs
