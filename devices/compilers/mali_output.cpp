// Statistics and listings of the compilers for Bifrost and Valhall (Mesa, src/panfrost/compiler).

#include "base/error.hpp"
#include "devices/compilers/compiler_output_parts.hpp"

#include <algorithm>
#include <array>

namespace texelscope::devices {
namespace {

using enum InstructionClass;

// In the order in which they are tried.
constexpr std::array mali_classes{
    MnemonicClass{"NOP", wait},          MnemonicClass{"FMA", multiply_add},
    MnemonicClass{"FADD", arithmetic},   MnemonicClass{"FMUL", arithmetic},
    MnemonicClass{"FMIN", arithmetic},   MnemonicClass{"FMAX", arithmetic},
    MnemonicClass{"FCMP", arithmetic},   MnemonicClass{"FCLAMP", arithmetic},
    MnemonicClass{"FROUND", arithmetic}, MnemonicClass{"FREXP", arithmetic},
    MnemonicClass{"LDEXP", arithmetic},  MnemonicClass{"FSIN", special},
    MnemonicClass{"FCOS", special},      MnemonicClass{"FLOG", special},
    MnemonicClass{"FEXP", special},      MnemonicClass{"FRCP", special},
    MnemonicClass{"FRSQ", special},      MnemonicClass{"FPOW", special},
    MnemonicClass{"F16_TO", conversion}, MnemonicClass{"F32_TO", conversion},
    MnemonicClass{"S32_TO", conversion}, MnemonicClass{"U32_TO", conversion},
    MnemonicClass{"S16_TO", conversion}, MnemonicClass{"U16_TO", conversion},
    MnemonicClass{"S8_TO", conversion},  MnemonicClass{"U8_TO", conversion},
    MnemonicClass{"V2", conversion},     MnemonicClass{"TEX", texture},
    MnemonicClass{"VAR_TEX", texture},   MnemonicClass{"LD_TILE", load},
    MnemonicClass{"LD_", load},          MnemonicClass{"LOAD", load},
    MnemonicClass{"ST_", store},         MnemonicClass{"STORE", store},
    MnemonicClass{"ATOM", store},        MnemonicClass{"LEA", address},
    MnemonicClass{"MOV", move},          MnemonicClass{"MKVEC", move},
    MnemonicClass{"SWZ", move},          MnemonicClass{"MUX", move},
    MnemonicClass{"CSEL", move},         MnemonicClass{"COLLECT", move},
    MnemonicClass{"SPLIT", move},        MnemonicClass{"CLPER", move},
    MnemonicClass{"DTSEL", move},        MnemonicClass{"BRANCH", control},
    MnemonicClass{"JUMP", control},      MnemonicClass{"BARRIER", control},
    MnemonicClass{"DISCARD", control},   MnemonicClass{"END", control},
    MnemonicClass{"I", address}, // IADD, IMUL, ICMP, ILOGB, IABS ...
    MnemonicClass{"SHADDX", address},    MnemonicClass{"LSHIFT", address},
    MnemonicClass{"RSHIFT", address},    MnemonicClass{"ARSHIFT", address},
    MnemonicClass{"LROT", address},      MnemonicClass{"BIT", address},
    MnemonicClass{"POPCOUNT", address},  MnemonicClass{"CLZ", address},
    MnemonicClass{"HADD", address},      MnemonicClass{"U", address},
};

bool is_word(char letter)
{
    return (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') || letter == '_';
}

std::string mnemonic_of(const std::string& text)
{
    std::size_t end = 0;
    while (end < text.size() && is_word(text[end])) {
        ++end;
    }
    return text.substr(0, end);
}

/// Valhall: lines that begin with three blanks and a mnemonic. ".wait01" at an instruction waits,
/// behind it, for what was sent to the slots. Mesa 26.1 prints nothing behind the blanks for an
/// arithmetic shift (RSHIFT_OR.i32.arithmetic before).
std::vector<ListingLine> valhall(const std::vector<std::string>& lines)
{
    std::vector<ListingLine> listing;
    for (const std::string& line : lines) {
        if (line == valhall_unprinted) {
            listing.emplace_back(
                ListingLine{"(an instruction that Mesa does not print)", address, 1});
        }
        if (line.size() < 4 || !line.starts_with("   ") || mnemonic_of(line.substr(3)).empty()) {
            continue;
        }
        const std::string text = line.substr(3);
        ListingLine& listed =
            listing.emplace_back(ListingLine{text, class_of(mnemonic_of(text), mali_classes), 1});
        listed.waits_after = text.substr(0, text.find(' ')).find(".wait") != std::string::npos;
    }
    return listing;
}

/// Bifrost: clauses of tuples, of which each has an instruction for either pipe ("*", "+"). A
/// clause that depends on messages waits for them before it begins: "dwb(...)". Empty halves of
/// tuples are no instructions.
std::vector<ListingLine> bifrost(const std::vector<std::string>& lines)
{
    std::vector<ListingLine> listing;
    auto from = std::find_if(lines.begin(), lines.end(),
                             [](const std::string& l) { return l.starts_with("clause_"); });
    for (; from != lines.end() && from->find("spills:fills") == std::string::npos; ++from) {
        ListingLine& listed = listing.emplace_back(ListingLine{*from});
        listed.waits_before = from->find("dwb(") != std::string::npos;
        if (from->starts_with("    *") || from->starts_with("    +")) {
            const std::string name = mnemonic_of(from->substr(5));
            listed.times = name == "NOP" ? 0 : 1;
            listed.what = class_of(name, mali_classes);
        }
    }
    return listing;
}

} // namespace

CompiledKernel parse_mali_output(const CompilerGpu& gpu, const std::string& output)
{
    const std::vector<std::string> lines = lines_with(output, "");
    const auto statistics = std::find_if(lines.rbegin(), lines.rend(), [](const std::string& line) {
        return line.find("KERNEL shader: ") != std::string::npos &&
               line.find("spills:fills") != std::string::npos;
    });
    if (statistics == lines.rend()) {
        unknown_format("no line '... KERNEL shader: ... spills:fills'");
    }
    const std::string& text = *statistics;
    CompiledKernel kernel;
    kernel.instructions = static_cast<int>(needed_number(text, "inst"));
    kernel.registers = static_cast<int>(needed_number(text, "registers used"));
    kernel.code_bytes = needed_number(text, "code size");
    kernel.loops = static_cast<int>(needed_number(text, "loops"));
    const bool full = needed_number(text, "threads") == 2;
    // "A:B spills:fills": the stores are in front of the colon, the loads behind it.
    const std::size_t colon = text.rfind(':', text.find(" spills:fills"));
    kernel.spill_loads = static_cast<int>(needed_number(text, "spills:fills"));
    kernel.spill_stores =
        static_cast<int>(needed_number(text.substr(0, colon) + " spills", "spills"));
    kernel.warp_size = gpu.warp;
    // "threads 2" says that a core holds all its work-items with these registers; else it holds
    // half.
    kernel.warps = gpu.threads / gpu.warp / (full ? 1 : 2);
    kernel.limit = full ? CompiledLimit::warp_limit : CompiledLimit::registers;
    const bool clauses = text.find(" clauses") != std::string::npos;
    kernel.listing = clauses ? bifrost(lines) : valhall(lines);
    count_listing(kernel);
    // Spills are loads and stores of memory of the work-item's own.
    kernel.count(spill) = kernel.spill_loads + kernel.spill_stores;
    kernel.count(load) -= kernel.spill_loads;
    kernel.count(store) -= kernel.spill_stores;
    return kernel;
}

} // namespace texelscope::devices
