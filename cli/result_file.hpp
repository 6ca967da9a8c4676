#pragma once

#include "experiments/render/panel_plot.hpp"
#include "experiments/store/result_diff.hpp"

#include <string>

namespace texelscope::cli {

/// Makes the folder where it is not there, parents included. Throws bad_input, naming the option, where that cannot be.
void make_output_folder(const std::string& path, const std::string& option);

/// Writes BASE.svg and BASE.png.
void write_plot(const std::string& base, const PanelPlot& plot);

/// A JSON result of this program, read from a file.
struct ResultFile {
    std::string path;
    std::string schema;  ///< with its version: "texelscope.simulate/1"
    std::string program; ///< version of the program that wrote it; empty where it does not say
    /// Every value but schema and program version. Members are joined by dots. The elements of an array go by their
    /// member "name", "config" or "image" where all have one; of names that come again, the second has a "#2" behind it, and so on. Else they go by their number. An object with
    /// lookups and misses has its miss_rate too.
    ResultLeaves leaves;

    /// "texelscope.simulate"
    [[nodiscard]] std::string schema_name() const { return schema.substr(0, schema.find('/')); }
};

/// The bytes of a file. Throws bad_input, with that remedy, where it cannot be read.
[[nodiscard]] std::string read_whole_file(const std::string& path, const std::string& remedy);

/// Throws bad_input where the file cannot be read, is not JSON, or is no result of this program.
[[nodiscard]] ResultFile read_result_file(const std::string& path);

} // namespace texelscope::cli
