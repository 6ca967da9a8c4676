#pragma once

#include "cli/command.hpp"
#include "sim/options/options.hpp"
#include "workbench/plots/heat_map_file.hpp"

#include <CLI/CLI.hpp>

#include <optional>
#include <span>
#include <string>

namespace texelscope::cli {

/// `--steps A:B --accesses A:B`: which accesses a heat map or a list of touches counts.
struct SelectionArguments {
    std::string steps;
    std::string accesses;

    void add_to(CLI::App& parser);
    [[nodiscard]] bool given() const { return !steps.empty() || !accesses.empty(); }
    /// Name of one that is given.
    [[nodiscard]] std::string option() const { return steps.empty() ? "--accesses" : "--steps"; }
    [[nodiscard]] AccessSelection selection() const;
    /// ", steps 2:5" for a title; empty where all are selected.
    [[nodiscard]] std::string text() const;
};

/// Number of the image of that name. Throws bad_input, naming the option, where there is none.
[[nodiscard]] int image_number(std::span<const Image> images, const std::string& name,
                               const std::string& option);

/// `--heatmap F` and what belongs to it. request() says what a simulation is to count, write()
/// makes the file of what it counted. Used by `simulate`.
struct HeatMapArguments {
    std::string file;
    std::string image;
    std::string of = "misses";
    std::string at = "texel";
    std::string scale = "linear";

    void add_to(CLI::App& parser);
    [[nodiscard]] bool given() const { return !file.empty(); }
    [[nodiscard]] HeatValue value() const;
    /// What is to be counted. Throws bad_input for whatever can be found wrong before the
    /// simulation.
    [[nodiscard]] HeatRequest request(std::span<const Image> images,
                                      const AccessSelection& selection) const;
    /// Writes the file; returns what a JSON result says about it. `subject`: what was simulated,
    /// for a picture's title.
    [[nodiscard]] ordered_json write(const HeatMaps& maps, const std::string& subject,
                                     std::span<const Image> images,
                                     const SimulationOptions& options,
                                     const SelectionArguments& selection,
                                     const GlobalOptions& global) const;
};

} // namespace texelscope::cli
