// Writes traces in the format of Accel-Sim's NVBit tracer after post-processing ("traceg", version
// 3). traceg_reader.cpp reads them.

#include "traces/formats/traceg.hpp"

#include <fmt/format.h>

#include <iterator>

namespace texelscope::traces::traceg {

std::string header(const Kernel& kernel)
{
    // A trace knows nothing of registers, shared memory and versions: these values only fill the
    // places that the format has for them.
    return fmt::format(
        "-kernel name = {}\n-kernel id = 1\n-grid dim = ({},{},{})\n-block dim = "
        "({},{},{})\n-shmem = 0\n"
        "-nregs = 32\n-binary version = 70\n-cuda stream id = 0\n-shmem base_addr = "
        "0x00007f0000000000\n"
        "-local mem base_addr = 0x00007f1000000000\n-nvbit version = 1.5\n-accelsim tracer version "
        "= 3\n\n"
        "#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
        "[adrrescompress?] [mem_addresses]\n\n",
        kernel.name, kernel.grid[0], kernel.grid[1], kernel.grid[2], kernel.block[0],
        kernel.block[1], kernel.block[2]);
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

// Strides are the shortest form, but need lanes that are neighbours and addresses at equal
// distances.
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
    // The mask has bit i set where lane i is active.
    for (const auto& [lane, address] : access.lanes) {
        mask |= std::uint32_t{1} << lane;
    }
    std::string line = fmt::format("{:04x} {:08x} 1 R4 {} 1 R2 {} {}", counter, mask, access.opcode,
                                   access.bytes, static_cast<int>(mode));
    auto out = std::back_inserter(line);
    for (std::size_t i = 0; i < access.lanes.size(); ++i) {
        const std::uint64_t address = access.lanes[i].second;
        const auto difference =
            i == 0 ? 0 : static_cast<std::int64_t>(address - access.lanes[i - 1].second);
        if (i == 0 || mode == AddressMode::list_all) {
            fmt::format_to(out, " 0x{:016x}", address);
        } else if (mode == AddressMode::base_delta || i == 1) {
            // base_delta writes a difference for each lane after the first; base_stride writes the
            // stride once, behind the first address.
            fmt::format_to(out, " {}", difference);
        }
    }
    // A single lane has no stride, but the format has a place for it.
    if (mode == AddressMode::base_stride && access.lanes.size() == 1) {
        line += " 0";
    }
    return line + "\n";
}

} // namespace texelscope::traces::traceg
