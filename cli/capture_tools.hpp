#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace texelscope::cli {

// What records a kernel's accesses: Oclgrind, our plugin in it, and a program that launches one
// kernel. Each throws missing, with how to get it, where it is not there.

/// TEXELSCOPE_OCLGRIND, or oclgrind on the path. `asker`: what needs it, for the message.
[[nodiscard]] std::string oclgrind_program(const std::string& asker);
/// TEXELSCOPE_CAPTURE_PLUGIN, or the plugin that belongs to this program.
[[nodiscard]] std::string plugin_library();
/// texelscope-run-kernel, which lies beside the plugin.
[[nodiscard]] std::string run_kernel_program();

/// `--subgroup-size`, a power of two that a ballot can hold; `size` stays 0 where it is not given.
void add_subgroup_size(CLI::App& parser, int& size);

} // namespace texelscope::cli
