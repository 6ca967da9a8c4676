#pragma once

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "workbench/machines/identified_machines.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::cli {

/// `identify --kernels`: which machines agree with measured kernels.
struct MachinesArguments {
    std::vector<std::string> kernels; ///< files; empty: not asked for
    std::string figures;
    std::string device;
    std::string of; ///< the device of logs; empty: `device`
    std::vector<std::string> hold_out, free, keep;
    std::string state;
    std::string output;    ///< folder, or a file that ends in .machines.json
    int threads = 0;       ///< 0: all cores
    std::size_t folds = 1; ///< of the tasks; 1: none
    std::size_t kernels_of_task = 40;
    std::size_t simulated = 0;
    std::size_t simulated_kernels = 12;
    std::int64_t sample = 5'000;
    SearchOptions search;
    std::string machines_of; ///< a profile that has machines; empty: not asked for
    // With it: which kernels to measure next.
    OperatorArguments op;
    std::size_t propose = 0;
    double error = 0.05; ///< of a measured time, relative

    void add_to(CLI::App& parser);
};

/// Prints the kernels whose times would tell most about which of the machines it is.
int propose_kernels_and_print(const MachinesArguments& arguments, const GlobalOptions& global);

/// Identifies, writes the file of machines and the profile beside it, and prints what was found.
int identify_machines_and_print(const MachinesArguments& arguments, const GlobalOptions& global);

} // namespace texelscope::cli
