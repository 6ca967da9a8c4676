// ir3's statistics and listing (Mesa, src/freedreno/ir3: ir3_shader.c, disasm).

#include "base/error.hpp"
#include "devices/compilers/compiler_output_parts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>

namespace texelscope::devices {
namespace {

using enum InstructionClass;

// In the order in which they are tried: what is special of a mnemonic stands before what is
// general.
constexpr std::array adreno_classes{
    MnemonicClass{"nop", wait},           MnemonicClass{"mad.f", multiply_add},
    MnemonicClass{"mad", address},        MnemonicClass{"sam", texture},
    MnemonicClass{"isam", texture},       MnemonicClass{"gather", texture},
    MnemonicClass{"cov.", conversion},    MnemonicClass{"mov", move},
    MnemonicClass{"swz", move},           MnemonicClass{"gat", move},
    MnemonicClass{"sct", move},           MnemonicClass{"sel.", move},
    MnemonicClass{"alias.", move},        MnemonicClass{"rcp", special},
    MnemonicClass{"rsq", special},        MnemonicClass{"hrsq", special},
    MnemonicClass{"sqrt", special},       MnemonicClass{"exp2", special},
    MnemonicClass{"hexp2", special},      MnemonicClass{"log2", special},
    MnemonicClass{"hlog2", special},      MnemonicClass{"sin", special},
    MnemonicClass{"cos", special},        MnemonicClass{"ldp", spill},
    MnemonicClass{"stp", spill},          MnemonicClass{"ld", load},
    MnemonicClass{"st", store},           MnemonicClass{"atomic", store},
    MnemonicClass{"resinfo", load},       MnemonicClass{"getsize", load},
    MnemonicClass{"getinfo", load},       MnemonicClass{"add.f", arithmetic},
    MnemonicClass{"mul.f", arithmetic},   MnemonicClass{"min.f", arithmetic},
    MnemonicClass{"max.f", arithmetic},   MnemonicClass{"cmps.f", arithmetic},
    MnemonicClass{"cmpv.f", arithmetic},  MnemonicClass{"absneg.f", arithmetic},
    MnemonicClass{"sign.f", arithmetic},  MnemonicClass{"floor.f", arithmetic},
    MnemonicClass{"ceil.f", arithmetic},  MnemonicClass{"rndne.f", arithmetic},
    MnemonicClass{"rndaz.f", arithmetic}, MnemonicClass{"trunc.f", arithmetic},
    MnemonicClass{"add.", address},       MnemonicClass{"sub.", address},
    MnemonicClass{"mul", address},        MnemonicClass{"min.", address},
    MnemonicClass{"max.", address},       MnemonicClass{"cmps.", address},
    MnemonicClass{"cmpv.", address},      MnemonicClass{"absneg.", address},
    MnemonicClass{"shl", address},        MnemonicClass{"shr", address},
    MnemonicClass{"ashr", address},       MnemonicClass{"shm", address},
    MnemonicClass{"shrm", address},       MnemonicClass{"shlm", address},
    MnemonicClass{"shrg", address},       MnemonicClass{"shlg", address},
    MnemonicClass{"andg", address},       MnemonicClass{"and.", address},
    MnemonicClass{"or.", address},        MnemonicClass{"xor.", address},
    MnemonicClass{"not.", address},       MnemonicClass{"sad", address},
    MnemonicClass{"dp2acc", address},     MnemonicClass{"dp4acc", address},
    MnemonicClass{"bary", arithmetic},    MnemonicClass{"bfrev", address},
    MnemonicClass{"clz", address},        MnemonicClass{"cbits", address},
    MnemonicClass{"getbit", address},     MnemonicClass{"mgen", address},
    MnemonicClass{"setrm", control},      MnemonicClass{"b", control},
    MnemonicClass{"jump", control},       MnemonicClass{"end", control},
    MnemonicClass{"call", control},       MnemonicClass{"ret", control},
    MnemonicClass{"kill", control},       MnemonicClass{"pred", control},
    MnemonicClass{"fence", control},      MnemonicClass{"sleep", control},
    MnemonicClass{"getone", control},     MnemonicClass{"getlast", control},
    MnemonicClass{"shps", control},       MnemonicClass{"shpe", control},
    MnemonicClass{"lock", control},       MnemonicClass{"unlock", control},
};

/// "(sy)(ss) (rpt2)mad.f32 r0.x, ..." in its parts.
struct Line {
    std::string flags;
    std::string mnemonic;

    [[nodiscard]] bool has(const char* flag) const { return flags.find(flag) != std::string::npos; }
    /// The number of a flag, as in "(rpt2)"; 0 without.
    [[nodiscard]] int number(const std::string& flag) const
    {
        const std::size_t at = flags.find("(" + flag);
        if (at == std::string::npos) {
            return 0;
        }
        int number = 0;
        const char* const end = flags.data() + flags.size();
        constexpr int most = 255; // of what an instruction has room for
        if (std::from_chars(flags.data() + at + 1 + flag.size(), end, number).ec != std::errc() ||
            number < 0 || number > most) {
            unknown_format("the flag '" + flag + "' has no number");
        }
        return number;
    }
};

/// Nothing for labels, comments and declarations.
std::optional<Line> instruction(const std::string& text)
{
    if (text.empty() || text[0] == ';' || text[0] == '@' || text.back() == ':') {
        return std::nullopt;
    }
    std::size_t at = 0;
    while (at < text.size() && (text[at] == '(' || text[at] == ' ')) {
        const std::size_t last = text[at] == '(' ? text.find(')', at) : at;
        if (last == std::string::npos) {
            unknown_format("a bracket is not closed");
        }
        at = last + 1;
    }
    const std::size_t end = std::min(text.find(' ', at), text.size());
    return Line{text.substr(0, at), text.substr(at, end - at)};
}

/// The last program's lines: a program is compiled again where a wider warp pays.
std::vector<std::string> last_program(const std::vector<std::string>& lines)
{
    const auto head = [](const std::string& line) { return line.starts_with("Native code for"); };
    const auto last = std::find_if(lines.rbegin(), lines.rend(), head).base();
    if (std::none_of(lines.begin(), lines.end(), head)) {
        unknown_format("no line 'Native code for'");
    }
    return {last, lines.end()};
}

std::vector<ListingLine> listing_of(std::span<const std::string> lines)
{
    std::vector<ListingLine> listing;
    bool preamble = std::any_of(lines.begin(), lines.end(),
                                [](const std::string& line) { return line.starts_with("shps"); });
    for (const std::string& text : lines) {
        ListingLine& listed = listing.emplace_back(ListingLine{text});
        const auto line = instruction(text);
        if (!line) {
            continue;
        }
        if (preamble) { // once for all work-items; the compiler counts it apart
            preamble = line->mnemonic != "shpe";
            continue;
        }
        listed.what = class_of(line->mnemonic, adreno_classes);
        // Moves of two and four registers are repetitions that the listing does not show.
        const bool four = line->mnemonic.starts_with("gat.") || line->mnemonic.starts_with("sct.");
        listed.times = four ? 4 : line->mnemonic.starts_with("swz.") ? 2 : 1 + line->number("rpt");
        listed.nops = line->number("nop");
        listed.waits_before = line->has("(sy)");
        if (line->mnemonic == "end") {
            break; // nops behind it fill a line of the instruction cache
        }
    }
    return listing;
}

} // namespace

CompiledKernel parse_adreno_output(const CompilerGpu& gpu, const std::string& driver,
                                   const std::string& output)
{
    const std::vector<std::string> lines = last_program(lines_with(output, "MESA: info: "));
    const auto statistics = std::find_if(lines.begin(), lines.end(), [](const std::string& line) {
        return line.starts_with("; CL prog");
    });
    std::string text;
    for (auto line = statistics; line != lines.end(); ++line) {
        text += line->starts_with("; ") ? " " + *line : "";
    }
    CompiledKernel kernel;
    const auto needed = [&](const char* word) {
        return static_cast<int>(needed_number(text, word));
    };
    // The words of ir3's statistics, a number in front of each: "12 instr", "3 full".
    kernel.instructions = needed("instr");
    kernel.vec4_registers = needed("full");
    kernel.registers = 4 * kernel.vec4_registers;
    constexpr int most_warps = 16;
    // As ir3_get_reg_dependent_max_waves() has them.
    const auto by_registers = [&](int width) {
        return kernel.vec4_registers == 0 ? most_warps
                                          : gpu.registers / (kernel.vec4_registers * width) * 2;
    };
    // Mesa 25 prints neither: narrow warps are taken then, which hold as many work-items, and
    // branches and local memory not to limit.
    const bool told = !driver.starts_with("25.");
    kernel.warps = told ? needed("max_waves") : std::min(most_warps, by_registers(1));
    const bool wide = told && needed("double_threadsize") != 0;
    kernel.warp_size = wide ? 2 * gpu.warp : gpu.warp;
    kernel.loops = needed("loops");
    kernel.code_bytes = 4 * needed("dwords");
    kernel.limit = kernel.warps >= most_warps                   ? CompiledLimit::warp_limit
                   : kernel.warps == by_registers(wide ? 2 : 1) ? CompiledLimit::registers
                                                                : CompiledLimit::other;
    kernel.listing = listing_of(std::vector<std::string>(lines.begin(), statistics));
    count_listing(kernel);
    for (const ListingLine& line : kernel.listing) {
        if (line.times > 0 && line.what == spill) {
            const bool stores = line.text.find("stp") != std::string::npos;
            (stores ? kernel.spill_stores : kernel.spill_loads) += line.times;
        }
    }
    return kernel;
}

} // namespace texelscope::devices
