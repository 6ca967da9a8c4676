#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/number_text.hpp"
#include "cli/arguments.hpp"
#include "cli/program_arguments.hpp"
#include "cli/terminal.hpp"
#include "codegen/nest/kernel_launch.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/text/kernel_source.hpp"
#include "devices/compilers/mesa_compilers.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace texelscope::cli {
namespace {

// `compile`: gives a kernel to a real compiler for a mobile GPU (Mesa's, cross-compiling on this
// machine) and prints what it makes of it: registers, warps that fit, and the listing.
struct CompileArguments {
    ProgramArguments program;
    std::string kernel;
    OperatorArguments op;
    std::string gpu = "adreno-740";
    std::string folder;
    bool listing = false;
    bool set_up = false;
};

/// The program of the file with what it includes, or a generated one.
ProgramSource program_of(const CompileArguments& arguments)
{
    if (!arguments.program.file.empty()) {
        return arguments.program.source();
    }
    const LoopNest nest = loop_nest(arguments.op.parsed_operator(), arguments.op.parsed_schedule());
    return {opencl_text(nest, TexelBackend::native), kernel_build_options};
}

/// "T" where texels are read, "w" where their data are waited for.
std::string marked_listing(const CompiledKernel& kernel)
{
    std::string text;
    for (const ListingLine& line : kernel.listing) {
        text += fmt::format("{}{} {}\n", line.reads_texture() ? 'T' : ' ', line.waits() ? 'w' : ' ',
                            line.text);
    }
    return text;
}

std::string summary(const CompiledKernel& kernel)
{
    std::vector<std::string> classes;
    for (std::size_t c = 0; c < instruction_classes; ++c) {
        if (kernel.by_class[c] > 0) {
            classes.push_back(fmt::format("{} {}", kernel.by_class[c],
                                          to_string(static_cast<InstructionClass>(c))));
        }
    }
    const std::string vec4 =
        kernel.vec4_registers > 0 ? fmt::format(", {} of four", kernel.vec4_registers) : "";
    const std::size_t waits = kernel.reads_between_waits.size();
    // How many texture reads are under way when the kernel waits for one: it hides latency where
    // there are many. A long kernel has too many waits to list.
    const std::string reads =
        waits == 0    ? "none"
        : waits <= 16 ? fmt::format("{}", fmt::join(kernel.reads_between_waits, ", "))
                      : fmt::format("at most {}, {} waits", kernel.reads_in_flight(), waits);
    return fmt::format("{}{}, {}\n"
                       "registers            {} of 32 bits a work-item{}\n"
                       "warps                {} of {} work-items on a core, limited by {}\n"
                       "instructions         {}: {}\n"
                       "reads between waits  {}\n"
                       "spills               {} stores, {} loads\n"
                       "code                 {} B, {} loop{}\n",
                       kernel.name.empty() ? "" : kernel.name + ": ", kernel.gpu, kernel.compiler,
                       kernel.registers, vec4, kernel.warps, kernel.warp_size,
                       to_string(kernel.limit), kernel.instructions, fmt::join(classes, ", "),
                       reads, kernel.spill_stores, kernel.spill_loads, kernel.code_bytes,
                       kernel.loops, kernel.loops == 1 ? "" : "s");
}

void add_to(ordered_json& out, const CompiledKernel& kernel, bool listing)
{
    if (!kernel.name.empty()) {
        out["kernel"] = kernel.name;
    }
    out["gpu"] = kernel.gpu;
    out["compiler"] = kernel.compiler;
    out["registers"] = kernel.registers;
    out["vec4_registers"] = kernel.vec4_registers;
    out["warp_size"] = kernel.warp_size;
    out["warps"] = kernel.warps;
    out["limited_by"] = to_string(kernel.limit);
    out["instructions"] = kernel.instructions;
    for (std::size_t c = 0; c < instruction_classes; ++c) {
        out["by_class"][to_string(static_cast<InstructionClass>(c))] = kernel.by_class[c];
    }
    out["reads_between_waits"] = kernel.reads_between_waits;
    out["spill_stores"] = kernel.spill_stores;
    out["spill_loads"] = kernel.spill_loads;
    out["code_bytes"] = kernel.code_bytes;
    out["loops"] = kernel.loops;
    for (const ListingLine& line : kernel.listing) {
        if (listing) {
            out["listing"].push_back({{"text", line.text},
                                      {"reads_texture", line.reads_texture()},
                                      {"waits", line.waits()}});
        }
    }
}

/// A line for each kernel of a file: what was made of it, or why nothing was.
std::string table_of(const std::vector<NamedKernel>& kernels)
{
    std::size_t width = std::string_view("kernel").size();
    for (const NamedKernel& kernel : kernels) {
        width = std::max(width, kernel.name.size());
    }
    std::string text = fmt::format("{:<{}}  registers  warps  limited by      instructions  "
                                   "texture reads  in flight  spills  code B\n",
                                   "kernel", width);
    for (const NamedKernel& kernel : kernels) {
        text += fmt::format("{:<{}}  ", kernel.name, width);
        if (const Error* error = std::get_if<Error>(&kernel.compiled)) {
            text += error->what();
        } else {
            const auto& made = std::get<CompiledKernel>(kernel.compiled);
            text +=
                fmt::format("{:>9}  {:>5}  {:<14}  {:>12}  {:>13}  {:>9}  {:>6}  {:>6}",
                            made.registers, made.warps, to_string(made.limit), made.instructions,
                            made.count(InstructionClass::texture), made.reads_in_flight(),
                            made.spill_stores + made.spill_loads, made.code_bytes);
        }
        text += "\n";
    }
    return text;
}

/// The kernel of this name; all of them where none is asked for.
std::vector<NamedKernel> asked_for(std::vector<NamedKernel> kernels, const std::string& name,
                                   const std::string& file)
{
    if (name.empty()) {
        return kernels;
    }
    const auto found = std::ranges::find(kernels, name, &NamedKernel::name);
    if (found == kernels.end()) {
        throw bad_input("there is no kernel '" + name + "'", file,
                        "it has " + base::joined(kernels, &NamedKernel::name));
    }
    return {*found};
}

int set_up(const MesaCompilers& compilers, const GlobalOptions& global)
{
    for (const CompilerFamily family : {CompilerFamily::adreno, CompilerFamily::mali}) {
        const auto start = std::chrono::steady_clock::now();
        const bool there = compilers.has(family);
        const std::int64_t bytes = compilers.set_up(family, make_progress(global));
        end_progress(global);
        print_text(fmt::format(
            "{}: Mesa (MIT licence) with LLVM (Apache 2.0), {} in {}{}\n", to_string(family),
            bytes_text(Bytes{bytes}), compilers.folder(),
            there ? ", was there"
                  : fmt::format(", {:.0f} s", std::chrono::duration<double>(
                                                  std::chrono::steady_clock::now() - start)
                                                  .count())));
    }
    return exit_code::done;
}

int compile(const CompileArguments& arguments, const CLI::App& parser, const GlobalOptions& global)
{
    if (!arguments.program.file.empty()) {
        refuse_options(parser, {"--op", "--shape", "--config"}, "to " + arguments.program.file);
    } else {
        refuse_options(parser, {"--options", "--define", "--include", "--kernel"},
                       "without a file");
    }
    const MesaCompilers compilers(arguments.folder);
    if (arguments.set_up) {
        return set_up(compilers, global);
    }
    const ProgramSource program = program_of(arguments);
    const std::vector<NamedKernel> kernels = asked_for(
        compilers.compile_kernels(find_compiler_gpu(arguments.gpu), program.text, program.options),
        arguments.kernel, arguments.program.file);
    ordered_json out = json_result("compile");
    if (kernels.size() == 1) {
        if (const Error* error = std::get_if<Error>(&kernels[0].compiled)) {
            throw Error(*error);
        }
        const auto& kernel = std::get<CompiledKernel>(kernels[0].compiled);
        add_to(out, kernel, arguments.listing);
        print_result(global, out,
                     summary(kernel) + (arguments.listing ? "\n" + marked_listing(kernel) : ""));
        return exit_code::done;
    }
    bool all = true;
    std::string listings;
    for (const NamedKernel& kernel : kernels) {
        ordered_json& entry = out["kernels"].emplace_back();
        if (const auto* made = std::get_if<CompiledKernel>(&kernel.compiled)) {
            add_to(entry, *made, arguments.listing);
            listings += arguments.listing
                            ? fmt::format("\n{}\n{}", kernel.name, marked_listing(*made))
                            : "";
        } else {
            entry = {{"kernel", kernel.name}, {"error", std::get<Error>(kernel.compiled).what()}};
            all = false;
        }
    }
    print_result(global, out, table_of(kernels) + listings);
    return all ? exit_code::done : exit_code::bad_input;
}

} // namespace

Command compile_command(CLI::App& app, const GlobalOptions& global)
{
    CLI::App* parser =
        app.add_subcommand("compile", "what a real compiler for Adreno or Mali makes of a kernel");
    const auto arguments = std::make_shared<CompileArguments>();
    arguments->program.add_to(*parser, "OpenCL C, instead of --op");
    parser->add_option("--kernel", arguments->kernel,
                       "that one alone; else all kernels of the file, as a table if several");
    arguments->op.add_to(*parser, true);
    parser->add_option("--gpu", arguments->gpu, base::joined(compiler_gpus(), &CompilerGpu::name));
    parser->add_flag("--asm", arguments->listing,
                     "the listing, with texture reads (T) and waits for them (w) marked");
    parser->add_flag(
        "--setup", arguments->set_up,
        "fetches the compilers: Mesa's, as Debian's packages, into a folder of their own");
    parser->add_option("--folder", arguments->folder,
                       "of the compilers (texelscope/compilers in the cache folder)");
    return {parser, [&global, arguments, parser] { return compile(*arguments, *parser, global); }};
}

} // namespace texelscope::cli
