// What the compilers of Adreno and Mali have in common in their output. Each line of a listing has
// a mnemonic, by whose first letters it belongs to a class; an instruction that is not known is an
// error, so that a new version of Mesa does not go unnoticed.

#include "devices/compilers/compiler_output.hpp"

#include "base/error.hpp"
#include "devices/compilers/compiler_output_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <sstream>
#include <utility>

namespace texelscope::devices {
namespace {

/// In front of the statistics of a kernel, and behind them.
constexpr std::string_view adreno_mark = "MESA: info: Native code for", mali_mark = "spills:fills";
/// Around the name of the kernel whose code follows.
constexpr std::string_view name_mark = "decl_function __wrapped_", entry_mark = " (entrypoint)";

/// The name of the kernel that a line announces; empty of other lines.
std::string announced(const std::string& line)
{
    const std::size_t at = line.find(name_mark);
    if (at == std::string::npos || !line.ends_with(entry_mark)) {
        return {};
    }
    const std::size_t start = at + name_mark.size();
    return line.substr(start, line.find(' ', start) - start);
}

/// The lines of one kernel that are read.
std::string essential_lines(const CompilerGpu& gpu, const std::string& output)
{
    std::string text;
    if (gpu.family == CompilerFamily::adreno) {
        const std::size_t before = output.rfind("\n" + std::string(adreno_mark));
        return before == std::string::npos ? output : output.substr(before + 1);
    }
    bool clauses = false; // Bifrost's listing, which is the last part
    for (const std::string& line : lines_with(output, "")) {
        clauses = clauses || line.starts_with("clause_");
        // Valhall's lines begin with three blanks and a capital letter.
        const bool listed =
            line.size() > 3 && line.starts_with("   ") && line[3] >= 'A' && line[3] <= 'Z';
        if (clauses || listed || line == valhall_unprinted ||
            line.find(mali_mark) != std::string::npos) {
            text += line + "\n";
        }
    }
    return text;
}

} // namespace

InstructionClass class_of(std::string_view mnemonic, std::span<const MnemonicClass> classes)
{
    const auto found = std::find_if(classes.begin(), classes.end(), [&](const MnemonicClass& one) {
        return mnemonic.starts_with(one.prefix);
    });
    if (found == classes.end()) {
        throw bad_input("the instruction '" + std::string(mnemonic) + "' is not known",
                        "compiler's output", "the formats of Mesa 25 and 26 are known");
    }
    return found->what;
}

// Counts the instructions of each class, and the texture reads between two waits.
void count_listing(CompiledKernel& kernel)
{
    int reads = 0;
    const auto wait = [&] {
        if (reads > 0) {
            kernel.reads_between_waits.push_back(std::exchange(reads, 0));
        }
    };
    for (const ListingLine& line : kernel.listing) {
        if (line.waits_before) {
            wait();
        }
        kernel.count(line.what) += line.times;
        kernel.count(InstructionClass::wait) += line.nops;
        reads += line.reads_texture() ? line.times : 0;
        if (line.waits_after) {
            wait();
        }
    }
    wait();
}

std::vector<std::string> lines_with(const std::string& text, std::string_view prefix)
{
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with(prefix)) {
            lines.push_back(line.substr(prefix.size()));
        }
    }
    return lines;
}

std::int64_t needed_number(const std::string& text, std::string_view word)
{
    const std::size_t at = text.find(" " + std::string(word));
    // The number stands in front of its word: "24 instr".
    std::size_t start = std::min(at, text.size());
    while (start > 0 && text[start - 1] >= '0' && text[start - 1] <= '9') {
        --start;
    }
    std::int64_t number = 0;
    if (at == std::string::npos ||
        std::from_chars(text.data() + start, text.data() + at, number).ec != std::errc()) {
        unknown_format("no number before '" + std::string(word) + "'");
    }
    // of registers, instructions, bytes: sums of a few fit an int
    constexpr std::int64_t most = 100'000'000;
    if (number > most) {
        unknown_format("the number before '" + std::string(word) + "' is too large");
    }
    return number;
}

void unknown_format(const std::string& what)
{
    throw bad_input(what, "compiler's output", "the formats of Mesa 25 and 26 are known");
}

BuildOutput parse_build_output(const std::string& output)
{
    // "driver VERSION", then for each file "file N" and what the compiler printed, then "end".
    constexpr std::string_view driver = "driver ";
    BuildOutput read;
    std::istringstream in(output);
    for (std::string line; std::getline(in, line);) {
        if (line == fmt::format("file {}", read.files.size())) {
            read.files.emplace_back();
        } else if (line == "end") {
            read.ended = true;
        } else if (!read.files.empty()) {
            read.files.back() += line + "\n";
        } else if (line.starts_with(driver)) {
            read.driver = line.substr(driver.size());
        }
    }
    return read;
}

std::vector<KernelOutput> kernel_outputs(const std::string& output)
{
    std::vector<KernelOutput> kernels;
    KernelOutput* at = &kernels.emplace_back();
    for (const std::string& line : lines_with(output, "")) {
        if (const std::string name = announced(line); !name.empty()) {
            const auto found = std::ranges::find(kernels, name, &KernelOutput::name);
            // What stands in front of the first name belongs to it.
            at = found != kernels.end()    ? &*found
                 : kernels[0].name.empty() ? &kernels[0]
                                           : &kernels.emplace_back();
            *at = {name, {}};
        }
        at->text += line + "\n";
    }
    return kernels;
}

CompiledKernel parse_compiler_output(const CompilerGpu& gpu, const std::string& driver,
                                     const std::string& output)
{
    CompiledKernel kernel = gpu.family == CompilerFamily::adreno
                                ? parse_adreno_output(gpu, driver, output)
                                : parse_mali_output(gpu, output);
    kernel.gpu = gpu.name;
    kernel.compiler = "Mesa " + driver;
    if (std::accumulate(kernel.by_class.begin(), kernel.by_class.end(), 0) != kernel.instructions) {
        unknown_format("its listing has another number of instructions than its statistics");
    }
    return kernel;
}

bool has_statistics(const CompilerGpu& gpu, const std::string& output)
{
    return output.find(gpu.family == CompilerFamily::adreno ? adreno_mark : mali_mark) !=
           std::string::npos;
}

std::string essential_output(const CompilerGpu& gpu, const std::string& output)
{
    std::string text;
    for (const KernelOutput& kernel : kernel_outputs(output)) {
        if (!kernel.name.empty()) {
            text += fmt::format("{}{} (){}\n", name_mark, kernel.name, entry_mark);
        }
        text += essential_lines(gpu, kernel.text);
    }
    return text;
}

} // namespace texelscope::devices
