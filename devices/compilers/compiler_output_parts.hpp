#pragma once

#include "devices/compilers/compiled_kernel.hpp"
#include "devices/compilers/compiler_gpu.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace texelscope::devices {

/// Prefixes of mnemonics; the first that fits says the class.
struct MnemonicClass {
    std::string_view prefix;
    InstructionClass what;
};
/// Throws bad_input, naming the mnemonic, where none fits.
[[nodiscard]] InstructionClass class_of(std::string_view mnemonic,
                                        std::span<const MnemonicClass> classes);

/// Counts the instructions of the kernel's listing.
void count_listing(CompiledKernel& kernel);

/// A line of Valhall's listing in place of an instruction that is not printed.
inline constexpr std::string_view valhall_unprinted = "   ";

/// The lines of a text, each without `prefix`; others are left out.
[[nodiscard]] std::vector<std::string> lines_with(const std::string& text, std::string_view prefix);

/// The number in front of a word that begins like this, as in "171 instr". Throws bad_input where
/// there is none.
[[nodiscard]] std::int64_t needed_number(const std::string& text, std::string_view word);

/// Throws bad_input: the compiler's output has a form that is not known.
[[noreturn]] void unknown_format(const std::string& what);

/// Of parse_compiler_output(), for one family; gpu and compiler are left to the caller.
[[nodiscard]] CompiledKernel parse_adreno_output(const CompilerGpu& gpu, const std::string& driver,
                                                 const std::string& output);
[[nodiscard]] CompiledKernel parse_mali_output(const CompilerGpu& gpu, const std::string& output);

} // namespace texelscope::devices
