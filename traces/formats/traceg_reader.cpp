#include "base/error.hpp"
#include "traces/formats/traceg.hpp"
#include "traces/formats/traceg_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <limits>
#include <optional>

namespace texelscope::traces::traceg {
namespace {

/// Bytes of each lane, from the numbers of bits in an opcode such as LDG.E.128; 4 without one.
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
            return bits / 8;
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
        if (mode == 0 || first) {
            address = words.number<std::uint64_t>("address", 16);
            if (mode == 1) {
                stride = words.number<std::int64_t>("stride");
            }
        } else if (mode == 1) {
            if (lane != last + 1) {
                throw bad_input("the lanes of a stride are not one beside the other", words.where(), remedy);
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

/// Takes a trace line by line.
class Reader {
public:
    Reader(const std::function<void(const Kernel&)>& kernel_sink, const std::function<void(const Access&)>& access_sink)
        : kernel_sink_(kernel_sink), access_sink_(access_sink)
    {}

    void line(std::string_view text, const std::string& where)
    {
        if (text.find_first_not_of(" \t") == std::string_view::npos) {
            return;
        }
        if (in_header_ && text.starts_with('-')) {
            header_line(text, where);
        } else if (text.starts_with('#')) {
            mark(text, where);
        } else if (!in_block_) {
            throw bad_input("this belongs to no thread block", where, remedy);
        } else if (text.starts_with("thread block")) {
            thread_block(text, where);
        } else if (text.starts_with("warp")) {
            warp(text, where);
        } else if (text.starts_with("insts")) {
            // their number; they are counted as they come
        } else if (!in_warp_) {
            throw bad_input("this instruction belongs to no warp", where, remedy);
        } else {
            instruction(Words(text, where));
        }
    }

    void end(const std::string& name) const
    {
        if (in_header_ || in_block_) {
            throw bad_input(in_header_ ? "there is no thread block" : "the last thread block has no end", name, remedy);
        }
    }

private:
    /// "(x,y,z)".
    static std::array<std::int64_t, 3> dimensions(std::string_view value, const std::string& where)
    {
        if (!value.starts_with('(') || !value.ends_with(')')) {
            throw bad_input("a size is not in parentheses", where, remedy);
        }
        const auto sizes = triple(value.substr(1, value.size() - 2), where);
        if (std::any_of(sizes.begin(), sizes.end(), [](std::int64_t size) { return size == 0; })) {
            throw bad_input("a size is 0", where, remedy);
        }
        return sizes;
    }

    void header_line(std::string_view text, const std::string& where)
    {
        const std::string_view value = value_of(text, where);
        if (text.starts_with("-kernel name")) {
            kernel_.name = value;
        } else if (text.starts_with("-grid dim")) {
            kernel_.grid = dimensions(value, where);
            has_grid_ = true;
        } else if (text.starts_with("-block dim")) {
            kernel_.block = dimensions(value, where);
            has_block_ = true;
        } else if (text.starts_with("-accelsim tracer version") && !parse(value, version_, 10)) {
            throw bad_input("the version is no number", where, remedy);
        } else if (text.starts_with("-enable lineinfo")) {
            has_lines_ = value == "1";
        }
    }

    void end_header(const std::string& where)
    {
        if (!has_grid_ || !has_block_) {
            throw bad_input("there is no grid and block dim in the header", where, remedy);
        }
        const std::int64_t most = std::numeric_limits<std::int64_t>::max() / kernel_.grid[0] / kernel_.grid[1];
        const auto& block = kernel_.block;
        if (kernel_.grid[2] > most || block[0] > 65536 || block[1] > 65536 || block[2] > 65536 ||
            block[0] * block[1] * block[2] > 65536) {
            throw bad_input("the grid or the block is too large", where, remedy);
        }
        kernel_sink_(kernel_);
        in_header_ = false;
    }

    /// Where a thread block begins or ends, or a comment.
    void mark(std::string_view text, const std::string& where)
    {
        if (in_header_) {
            end_header(where);
        }
        if (text.starts_with("#BEGIN_TB")) {
            if (in_block_) {
                throw bad_input("a thread block begins in another one", where, remedy);
            }
            in_block_ = true;
            group_.reset();
            in_warp_ = false;
        } else if (text.starts_with("#END_TB")) {
            if (!in_block_) {
                throw bad_input("a thread block ends that never began", where, remedy);
            }
            in_block_ = false;
        }
    }

    void thread_block(std::string_view text, const std::string& where)
    {
        const auto block = triple(value_of(text, where), where);
        for (std::size_t i = 0; i < 3; ++i) {
            if (block[i] >= kernel_.grid[i]) {
                throw bad_input("the thread block is outside of the grid", where, remedy);
            }
        }
        group_ = block[0] + kernel_.grid[0] * (block[1] + kernel_.grid[1] * block[2]);
        in_warp_ = false;
    }

    void warp(std::string_view text, const std::string& where)
    {
        access_ = {};
        const std::int64_t warps = (kernel_.block[0] * kernel_.block[1] * kernel_.block[2] + warp_size - 1) / warp_size;
        if (!group_ || !parse(value_of(text, where), access_.warp, 10) || access_.warp < 0 || access_.warp >= warps) {
            throw bad_input("the block has no such warp", where, remedy);
        }
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
        if (words.number<std::uint32_t>("memory width") == 0 || access_.opcode.starts_with('U')) {
            return; // no memory, or a transfer of whole tiles that no lane asks for
        }
        access_.bytes = width_of(access_.opcode);
        access_.lanes.clear();
        read_addresses(words, mask, access_);
        if (!access_.lanes.empty()) {
            access_sink_(access_);
            ++access_.step;
        }
    }

    const std::function<void(const Kernel&)>& kernel_sink_;
    const std::function<void(const Access&)>& access_sink_;
    Kernel kernel_;
    bool has_grid_ = false;
    bool has_block_ = false;
    bool in_header_ = true;
    int version_ = 3;
    bool has_lines_ = false; ///< of the source, before each instruction
    std::optional<std::int64_t> group_;
    bool in_block_ = false;
    Access access_; ///< the next one of the warp
    bool in_warp_ = false;
};

} // namespace

void read(std::istream& in, const std::string& name, const std::function<void(const Kernel&)>& kernel_sink,
          const std::function<void(const Access&)>& access_sink)
{
    Reader reader(kernel_sink, access_sink);
    std::string line;
    for (std::int64_t number = 1; std::getline(in, line); ++number) {
        if (!line.empty() && line.back() == '\r') {
            line.pop_back();
        }
        reader.line(line, fmt::format("{}:{}", name, number));
    }
    if (in.bad()) {
        throw bad_input("reading failed", name, "is the file complete?");
    }
    reader.end(name);
}

} // namespace texelscope::traces::traceg
