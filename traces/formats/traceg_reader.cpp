// Reads traces of Accel-Sim's NVBit tracer after post-processing ("traceg"). A file has a header of
// lines `-name = value`, then for each thread block `#BEGIN_TB`, `thread block = x,y,z`, its warps
// (`warp = n`, `insts = n`, an instruction on each line) and `#END_TB`. An instruction is
//   PC mask n [n registers] opcode n [n registers] width [mode addresses]
// where the mask has a bit for each active lane, and width is 0 for an instruction without memory.
// A load may have width 0, too: the tracer knows no addresses of texture reads. Anything else
// throws bad_input with the line.

#include "base/error.hpp"
#include "base/printable_text.hpp"
#include "traces/formats/traceg.hpp"
#include "traces/native/file_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <istream>
#include <limits>
#include <optional>

namespace texelscope::traces::traceg {
namespace {

// Post-processing groups the instructions by warp; the tracer's raw output has them mixed.
constexpr const char* remedy = "is this the output of Accel-Sim's post-traces-processing?";

template <class Number>
bool parse(std::string_view word, Number& value, int base)
{
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
    return error == std::errc{} && end == word.data() + word.size() && !word.empty();
}

/// The words of a line, one after the other. Throws bad_input where there is none, or no number.
class Words {
public:
    Words(std::string_view line, std::string where) : line_(line), where_(std::move(where)) {}

    std::string_view next(const char* what)
    {
        line_.remove_prefix(std::min(line_.find_first_not_of(" \t"), line_.size()));
        const std::string_view word = line_.substr(0, line_.find_first_of(" \t"));
        line_.remove_prefix(word.size());
        if (word.empty()) {
            throw bad_input(fmt::format("the line ends before its {}", what), where_, remedy);
        }
        return word;
    }
    template <class Number>
    Number number(const char* what, int base = 10)
    {
        std::string_view word = next(what);
        const std::string_view all = word;
        if (base == 16 && word.starts_with("0x")) {
            word.remove_prefix(2);
        }
        Number value{};
        if (!parse(word, value, base)) {
            throw bad_input(fmt::format("the {} is no number: '{}'", what, printable(all)), where_,
                            remedy);
        }
        return value;
    }
    [[nodiscard]] const std::string& where() const { return where_; }

private:
    std::string_view line_;
    std::string where_;
};

/// "1,2,3". Throws bad_input for anything else.
std::array<std::int64_t, 3> triple(std::string_view text, const std::string& where)
{
    std::array<std::int64_t, 3> values{};
    for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t end = text.find(',');
        std::uint32_t value = 0;
        if ((end == std::string_view::npos) != (i == 2) || !parse(text.substr(0, end), value, 10)) {
            throw bad_input("these are not three whole numbers", where, remedy);
        }
        values[i] = value;
        text.remove_prefix(std::min(end == std::string_view::npos ? end : end + 1, text.size()));
    }
    return values;
}

/// What follows "= ", without blanks around it. Throws bad_input where there is no '='.
std::string_view value_of(std::string_view line, const std::string& where)
{
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) {
        throw bad_input("there is no '='", where, remedy);
    }
    line.remove_prefix(equals + 1);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return line.substr(0, line.find_last_not_of(" \t") + 1);
}

/// Bytes that each lane accesses, from the number of bits in an opcode such as LDG.E.128 or
/// LDG.E.U8; an opcode without such a number accesses 4 bytes.
std::uint32_t width_of(std::string_view opcode)
{
    while (!opcode.empty()) {
        std::string_view word = opcode.substr(0, opcode.find('.'));
        opcode.remove_prefix(std::min(word.size() + 1, opcode.size()));
        if (word.starts_with('U') || word.starts_with('S')) {
            word.remove_prefix(1);
        }
        std::uint32_t bits = 0;
        if (parse(word, bits, 10)) {
            return std::max(bits / 8, 1U);
        }
    }
    return 4;
}

void read_addresses(Words& words, std::uint32_t mask, Access& access)
{
    const auto mode = words.number<int>("address mode");
    if (mode < 0 || mode > 2) {
        throw bad_input(fmt::format("no address mode is {}", mode), words.where(),
                        "0 lists all addresses, 1 has a stride, 2 has differences");
    }
    std::uint64_t address = 0;
    std::int64_t stride = 0;
    bool first = true;
    int last = 0;
    for (int lane = 0; lane < warp_size; ++lane) {
        if ((mask >> lane & 1U) == 0) {
            continue;
        }
        // Addresses are 64 bits and wrap around: differences are added modulo 2^64.
        if (mode == 0 || first) {
            address = words.number<std::uint64_t>("address", 16);
            if (mode == 1) {
                stride = words.number<std::int64_t>("stride");
            }
        } else if (mode == 1) {
            if (lane != last + 1) {
                throw bad_input("the lanes of a stride are not one beside the other", words.where(),
                                remedy);
            }
            address += static_cast<std::uint64_t>(stride);
        } else {
            address += static_cast<std::uint64_t>(words.number<std::int64_t>("difference"));
        }
        access.lanes.emplace_back(lane, address);
        first = false;
        last = lane;
    }
}

/// Takes a trace line by line, and calls the sinks for the kernel and for each memory access. Its
/// state says which part of the file the line may belong to.
class Reader {
public:
    Reader(const std::function<void(const Kernel&)>& kernel_sink,
           const std::function<void(const Access&)>& access_sink)
        : kernel_sink_(kernel_sink), access_sink_(access_sink)
    {}

    void line(std::string_view text, std::string where)
    {
        where_ = std::move(where);
        if (text.find_first_not_of(" \t") == std::string_view::npos) {
            return;
        }
        if (in_header_ && text.starts_with('-')) {
            header_line(text);
        } else if (text.starts_with('#')) {
            mark(text);
        } else if (!in_block_) {
            throw bad_input("this belongs to no thread block", where_, remedy);
        } else if (text.starts_with("thread block")) {
            thread_block(text);
        } else if (text.starts_with("warp")) {
            warp(text);
        } else if (text.starts_with("insts")) {
            std::uint64_t count = 0;
            require(in_warp_ && parse(value_of(text, where_), count, 10),
                    "this is no number of a warp's instructions");
            instructions_said_ = count;
        } else if (!in_warp_) {
            throw bad_input("this instruction belongs to no warp", where_, remedy);
        } else {
            ++instructions_;
            instruction(Words(text, where_));
        }
    }

    /// The number of thread blocks.
    [[nodiscard]] std::int64_t end(const std::string& name) const
    {
        if (in_header_ || in_block_) {
            throw bad_input(in_header_ ? "there is no thread block"
                                       : "the last thread block has no end",
                            name, remedy);
        }
        return blocks_;
    }

private:
    void require(bool holds, const char* what) const
    {
        if (!holds) {
            throw bad_input(what, where_, remedy);
        }
    }

    /// "(x,y,z)".
    [[nodiscard]] std::array<std::int64_t, 3> dimensions(std::string_view value) const
    {
        require(value.starts_with('(') && value.ends_with(')'), "a size is not in parentheses");
        const auto sizes = triple(value.substr(1, value.size() - 2), where_);
        require(std::find(sizes.begin(), sizes.end(), 0) == sizes.end(), "a size is 0");
        return sizes;
    }

    void header_line(std::string_view text)
    {
        const std::string_view value = value_of(text, where_);
        if (text.starts_with("-kernel name")) {
            kernel_.name = value;
        } else if (text.starts_with("-grid dim")) {
            kernel_.grid = dimensions(value);
            has_grid_ = true;
        } else if (text.starts_with("-block dim")) {
            kernel_.block = dimensions(value);
            has_block_ = true;
        } else if (text.starts_with("-accelsim tracer version") && !parse(value, version_, 10)) {
            throw bad_input("the version is no number", where_, remedy);
        } else if (text.starts_with("-enable lineinfo")) {
            has_lines_ = value == "1";
        }
    }

    void end_header()
    {
        require(has_grid_ && has_block_, "there is no grid and block dim in the header");
        const std::int64_t most =
            std::numeric_limits<std::int64_t>::max() / kernel_.grid[0] / kernel_.grid[1];
        const auto& block = kernel_.block;
        require(kernel_.grid[2] <= most && block[0] <= 65536 && block[1] <= 65536 &&
                    block[2] <= 65536 && block[0] * block[1] * block[2] <= 65536,
                "the grid or the block is too large");
        kernel_sink_(kernel_);
        in_header_ = false;
    }

    /// Where a warp ends: it has as many instructions as its line `insts` says.
    void end_warp()
    {
        if (in_warp_ && instructions_said_.value_or(instructions_) != instructions_) {
            throw bad_input(fmt::format("warp {} ends here with {} instructions, its 'insts' says "
                                        "{}",
                                        access_.warp, instructions_, *instructions_said_),
                            where_, "is the file cut off? copy it again, or trace anew");
        }
        in_warp_ = false;
        instructions_ = 0;
        instructions_said_.reset();
    }

    /// Where a thread block begins or ends, or a comment.
    void mark(std::string_view text)
    {
        if (in_header_) {
            end_header();
        }
        if (text.starts_with("#BEGIN_TB")) {
            require(!in_block_, "a thread block begins in another one");
            in_block_ = true;
            group_.reset();
        } else if (text.starts_with("#END_TB")) {
            require(in_block_, "a thread block ends that never began");
            end_warp();
            in_block_ = false;
        }
    }

    void thread_block(std::string_view text)
    {
        end_warp();
        ++blocks_;
        const auto block = triple(value_of(text, where_), where_);
        for (std::size_t i = 0; i < 3; ++i) {
            require(block[i] < kernel_.grid[i], "the thread block is outside of the grid");
        }
        group_ = block[0] + kernel_.grid[0] * (block[1] + kernel_.grid[1] * block[2]);
    }

    void warp(std::string_view text)
    {
        end_warp();
        access_ = {};
        const std::int64_t warps =
            (kernel_.block[0] * kernel_.block[1] * kernel_.block[2] + warp_size - 1) / warp_size;
        require(group_ && parse(value_of(text, where_), access_.warp, 10) && access_.warp >= 0 &&
                    access_.warp < warps,
                "the block has no such warp");
        access_.group = *group_;
        in_warp_ = true;
    }

    void instruction(Words words)
    {
        if (version_ < 3) { // the thread block and the warp once more
            for (int i = 0; i < 4; ++i) {
                (void)words.number<std::uint64_t>("thread block");
            }
        }
        if (has_lines_) {
            (void)words.number<std::uint64_t>("line");
        }
        (void)words.number<std::uint64_t>("program counter", 16);
        const auto mask = words.number<std::uint32_t>("mask", 16);
        const auto skip_registers = [&](const char* what) {
            const auto count = words.number<std::uint32_t>(what);
            for (std::uint32_t i = 0; i < count; ++i) {
                (void)words.next("register");
            }
        };
        skip_registers("number of destinations");
        access_.opcode = words.next("opcode");
        skip_registers("number of sources");
        const auto width = words.number<std::uint32_t>("memory width");
        access_.lanes.clear();
        if (access_.opcode.starts_with('U') || (width == 0 && !is_load(access_.opcode))) {
            return; // a transfer of whole tiles that no lane asks for, or no memory
        }
        access_.bytes = width_of(access_.opcode);
        if (width > 0) {
            read_addresses(words, mask, access_);
        }
        if (!access_.lanes.empty() || (width == 0 && mask != 0)) {
            access_sink_(access_);
            ++access_.step;
        }
    }

    const std::function<void(const Kernel&)>& kernel_sink_;
    const std::function<void(const Access&)>& access_sink_;
    std::string where_; ///< the line
    Kernel kernel_;
    bool has_grid_ = false;
    bool has_block_ = false;
    bool in_header_ = true;
    int version_ = 3;
    bool has_lines_ = false; ///< of the source, before each instruction
    std::optional<std::int64_t> group_;
    bool in_block_ = false;
    std::int64_t blocks_ = 0;
    Access access_; ///< the next one of the warp
    bool in_warp_ = false;
    std::uint64_t instructions_ = 0; ///< of the warp so far
    std::optional<std::uint64_t> instructions_said_;
};

} // namespace

bool is_load(std::string_view opcode)
{
    const std::string_view word = opcode.substr(0, opcode.find('.'));
    return word == "LDG" || word == "LDGSTS" || word == "LD" || word.starts_with("TEX") ||
           word.starts_with("TLD");
}

std::int64_t read(std::istream& in, const std::string& name,
                  const std::function<void(const Kernel&)>& kernel_sink,
                  const std::function<void(const Access&)>& access_sink)
{
    Reader reader(kernel_sink, access_sink);
    for_each_line(in, name, [&](std::string_view line, std::int64_t number) {
        reader.line(line, fmt::format("{}:{}", name, number));
    });
    return reader.end(name);
}

} // namespace texelscope::traces::traceg
