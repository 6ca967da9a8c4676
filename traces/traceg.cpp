#include "traces/traceg.hpp"

#include "traces/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <istream>
#include <iterator>
#include <limits>
#include <optional>

namespace texelscope::traceg {
namespace {

constexpr const char* remedy = "is this the output of Accel-Sim's post-traces-processing?";

template <class Number>
bool parse(std::string_view word, Number& value, int base)
{
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
    return error == std::errc{} && end == word.data() + word.size() && !word.empty();
}

/// The words of a line, one after the other.
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
            throw bad_input(fmt::format("the {} is no number: '{}'", what, all), where_, remedy);
        }
        return value;
    }
    [[nodiscard]] const std::string& where() const { return where_; }

private:
    std::string_view line_;
    std::string where_;
};

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

/// What follows "= ".
std::string_view value_of(std::string_view line, const std::string& where)
{
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) {
        throw bad_input("there is no '='", where, remedy);
    }
    line.remove_prefix(equals + 1);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    return line;
}

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

} // namespace

void read(std::istream& in, const std::string& name, const std::function<void(const Kernel&)>& kernel_sink,
          const std::function<void(const Access&)>& access_sink)
{
    Kernel kernel;
    bool has_grid = false;
    bool has_block = false;
    bool in_header = true;
    int version = 3;
    bool has_lines = false;
    std::optional<std::int64_t> group;
    bool in_block = false;
    Access access;
    bool in_warp = false;
    std::string line;
    for (std::int64_t number = 1; std::getline(in, line); ++number) {
        const std::string where = fmt::format("{}:{}", name, number);
        if (!line.empty() && line.back() == '\r') {
            line.pop_back();
        }
        const std::string_view text = line;
        if (text.find_first_not_of(" \t") == std::string_view::npos) {
            continue;
        }
        if (in_header && text.starts_with('-')) {
            const std::string_view value = value_of(text, where);
            const auto dimensions = [&] {
                if (!value.starts_with('(') || !value.ends_with(')')) {
                    throw bad_input("a size is not in parentheses", where, remedy);
                }
                const auto sizes = triple(value.substr(1, value.size() - 2), where);
                if (std::any_of(sizes.begin(), sizes.end(), [](std::int64_t size) { return size == 0; })) {
                    throw bad_input("a size is 0", where, remedy);
                }
                return sizes;
            };
            if (text.starts_with("-kernel name")) {
                kernel.name = value;
            } else if (text.starts_with("-grid dim")) {
                kernel.grid = dimensions();
                has_grid = true;
            } else if (text.starts_with("-block dim")) {
                kernel.block = dimensions();
                has_block = true;
            } else if (text.starts_with("-accelsim tracer version") && !parse(value, version, 10)) {
                throw bad_input("the version is no number", where, remedy);
            } else if (text.starts_with("-enable lineinfo")) {
                has_lines = value == "1";
            }
            continue;
        }
        if (text.starts_with('#')) {
            if (in_header) {
                if (!has_grid || !has_block) {
                    throw bad_input("there is no grid and block dim in the header", where, remedy);
                }
                const std::int64_t most = std::numeric_limits<std::int64_t>::max() / kernel.grid[0] / kernel.grid[1];
                if (kernel.grid[2] > most || kernel.block[0] > 65536 || kernel.block[1] > 65536 ||
                    kernel.block[2] > 65536 || kernel.block[0] * kernel.block[1] * kernel.block[2] > 65536) {
                    throw bad_input("the grid or the block is too large", where, remedy);
                }
                kernel_sink(kernel);
                in_header = false;
            }
            if (text.starts_with("#BEGIN_TB")) {
                if (in_block) {
                    throw bad_input("a thread block begins in another one", where, remedy);
                }
                in_block = true;
                group.reset();
                in_warp = false;
            } else if (text.starts_with("#END_TB")) {
                if (!in_block) {
                    throw bad_input("a thread block ends that never began", where, remedy);
                }
                in_block = false;
            }
            continue;
        }
        if (!in_block) {
            throw bad_input("this belongs to no thread block", where, remedy);
        }
        if (text.starts_with("thread block")) {
            const auto block = triple(value_of(text, where), where);
            for (std::size_t i = 0; i < 3; ++i) {
                if (block[i] >= kernel.grid[i]) {
                    throw bad_input("the thread block is outside of the grid", where, remedy);
                }
            }
            group = block[0] + kernel.grid[0] * (block[1] + kernel.grid[1] * block[2]);
            in_warp = false;
            continue;
        }
        if (text.starts_with("warp")) {
            access = {};
            const std::int64_t warps =
                (kernel.block[0] * kernel.block[1] * kernel.block[2] + warp_size - 1) / warp_size;
            if (!group || !parse(value_of(text, where), access.warp, 10) || access.warp < 0 || access.warp >= warps) {
                throw bad_input("the block has no such warp", where, remedy);
            }
            access.group = *group;
            in_warp = true;
            continue;
        }
        if (text.starts_with("insts")) {
            continue; // their number; they are counted as they come
        }
        if (!in_warp) {
            throw bad_input("this instruction belongs to no warp", where, remedy);
        }
        Words words(text, where);
        if (version < 3) { // the thread block and the warp once more
            for (int i = 0; i < 4; ++i) {
                (void)words.number<std::uint64_t>("thread block");
            }
        }
        if (has_lines) {
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
        access.opcode = words.next("opcode");
        skip_registers("number of sources");
        if (words.number<std::uint32_t>("memory width") == 0 || access.opcode.starts_with('U')) {
            continue; // no memory, or a transfer of whole tiles that no lane asks for
        }
        access.bytes = width_of(access.opcode);
        access.lanes.clear();
        read_addresses(words, mask, access);
        if (!access.lanes.empty()) {
            access_sink(access);
            ++access.step;
        }
    }
    if (in.bad()) {
        throw bad_input("reading failed", name, "is the file complete?");
    }
    if (in_header || in_block) {
        throw bad_input(in_header ? "there is no thread block" : "the last thread block has no end", name, remedy);
    }
}

std::string header(const Kernel& kernel)
{
    return fmt::format(
        "-kernel name = {}\n-kernel id = 1\n-grid dim = ({},{},{})\n-block dim = ({},{},{})\n-shmem = 0\n"
        "-nregs = 32\n-binary version = 70\n-cuda stream id = 0\n-shmem base_addr = 0x00007f0000000000\n"
        "-local mem base_addr = 0x00007f1000000000\n-nvbit version = 1.5\n-accelsim tracer version = 3\n\n"
        "#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
        "[adrrescompress?] [mem_addresses]\n\n",
        kernel.name, kernel.grid[0], kernel.grid[1], kernel.grid[2], kernel.block[0], kernel.block[1], kernel.block[2]);
}

std::string load_opcode(std::uint32_t bytes)
{
    switch (bytes) {
    case 1:
        return "LDG.E.U8";
    case 2:
        return "LDG.E.U16";
    case 4:
        return "LDG.E";
    case 8:
        return "LDG.E.64";
    case 16:
        return "LDG.E.128";
    default:
        return {};
    }
}

AddressMode best_mode(const Access& access)
{
    const auto& lanes = access.lanes;
    for (std::size_t i = 1; i < lanes.size(); ++i) {
        if (lanes[i].first != lanes[i - 1].first + 1 ||
            lanes[i].second - lanes[i - 1].second != lanes[1].second - lanes[0].second) {
            return AddressMode::base_delta;
        }
    }
    return AddressMode::base_stride;
}

std::string load_line(std::uint64_t counter, const Access& access, AddressMode mode)
{
    if (mode == AddressMode::base_stride) {
        mode = best_mode(access);
    }
    std::uint32_t mask = 0;
    for (const auto& [lane, address] : access.lanes) {
        mask |= std::uint32_t{1} << lane;
    }
    std::string line = fmt::format("{:04x} {:08x} 1 R4 {} 1 R2 {} {}", counter, mask, access.opcode, access.bytes,
                                   static_cast<int>(mode));
    auto out = std::back_inserter(line);
    for (std::size_t i = 0; i < access.lanes.size(); ++i) {
        const std::uint64_t address = access.lanes[i].second;
        const auto difference = i == 0 ? 0 : static_cast<std::int64_t>(address - access.lanes[i - 1].second);
        if (i == 0 || mode == AddressMode::list_all) {
            fmt::format_to(out, " 0x{:016x}", address);
        } else if (mode == AddressMode::base_delta || i == 1) {
            fmt::format_to(out, " {}", difference);
        }
    }
    if (mode == AddressMode::base_stride && access.lanes.size() == 1) {
        line += " 0";
    }
    return line + "\n";
}

} // namespace texelscope::traceg
