// Writes what a launch reads as byte addresses, for other simulators: each read gets the address of
// its texel under the given layout. What the format cannot hold is reported (AddressExport::lost),
// and reads of the border, which touch no memory, are counted apart.

#include "sim/observers/address_export.hpp"

#include "base/error.hpp"
#include "sim/memory/image_storage.hpp"
#include "sim/options/options.hpp"
#include "traces/access_walk.hpp"
#include "traces/formats/address_records.hpp"
#include "traces/formats/trace_copy.hpp"
#include "traces/formats/traceg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <ostream>
#include <span>
#include <unordered_map>

namespace texelscope::sim {
namespace {

/// `visit(record, access_index)` for each read that touches memory, `access_index` counting warp
/// accesses. Returns the border reads.
template <class Visit>
std::int64_t for_each_record(const TraceSource& source, std::span<const StoredImage> images,
                             int warp_size, Visit visit)
{
    std::int64_t border = 0;
    std::int64_t access_index = 0;
    for (AccessWalk walk(source, warp_size); walk.next(); ++access_index) {
        for (const LaneRead& read : walk.access().lanes) {
            const StoredImage& image = images[read.image];
            if (const auto address = image.address_of_read(read.texel)) {
                visit(AddressRecord{static_cast<std::uint64_t>(*address),
                                    static_cast<std::uint32_t>(image.bytes_per_texel), true},
                      access_index);
            } else {
                ++border;
            }
        }
    }
    return border;
}

// Writes the text once it has grown to `from` bytes.
void put(std::ostream& out, std::string& text, std::size_t from = std::size_t{1} << 16)
{
    if (text.size() >= from) {
        out.write(text.data(), static_cast<std::streamsize>(text.size()));
        text.clear();
    }
}

AddressExport export_records(std::ostream& out, const TraceSource& source,
                             std::span<const StoredImage> images, AddressFormat format,
                             int warp_size)
{
    // oracleGeneral is walked twice, because a read has to name its next use.
    AddressExport done;
    std::string text;
    // The number of the next read at the address of each; the format wants it before that read
    // comes.
    std::vector<std::int64_t> next;
    if (format == AddressFormat::oracle_general) {
        std::unordered_map<std::uint64_t, std::size_t> last;
        (void)for_each_record(
            source, images, warp_size, [&](const AddressRecord& record, std::int64_t) {
                const auto [known, is_new] = last.try_emplace(record.address, next.size());
                if (!is_new) {
                    next[known->second] =
                        static_cast<std::int64_t>(next.size()) + 1; // counted from 1
                    known->second = next.size();
                }
                next.push_back(-1);
            });
        done.lost.push_back(
            "work-items: an order of reads alone; the time is the number of the warp access");
    } else {
        done.lost.push_back(format == AddressFormat::din
                                ? "work-items and texel sizes: an order of addresses alone"
                                : "work-items: an order of addresses with sizes");
    }
    done.border_reads = for_each_record(
        source, images, warp_size, [&](const AddressRecord& record, std::int64_t access_index) {
            if (format == AddressFormat::din) {
                append_din(text, record);
            } else if (format == AddressFormat::binary_din) {
                append_binary_din(text, record);
            } else {
                constexpr std::int64_t latest = std::numeric_limits<std::uint32_t>::max();
                append_oracle_general(text,
                                      static_cast<std::uint32_t>(std::min(access_index, latest)),
                                      record, next[static_cast<std::size_t>(done.reads)]);
            }
            ++done.reads;
            put(out, text);
        });
    put(out, text, 1);
    return done;
}

AddressExport export_traceg(std::ostream& out, const TraceSource& source,
                            const TracedLaunch& launch, std::span<const StoredImage> images,
                            TracegAddresses addresses)
{
    // Every thread block needs its lines, even one that reads nothing.
    constexpr std::int64_t most_blocks = 10'000'000;
    traceg::Kernel kernel{launch.kernel, {1, 1, 1}, launch.local};
    for (std::size_t i = 0; i < 3; ++i) {
        kernel.grid[i] = (launch.global[i] + launch.local[i] - 1) / launch.local[i];
    }
    std::replace(kernel.name.begin(), kernel.name.end(), '\n', ' ');
    std::int64_t items = kernel.block[0] * kernel.block[1] * kernel.block[2];
    AddressExport done;
    const std::int64_t reading = source.launch() == nullptr ? reading_items(source) : 0;
    if (reading > items) { // a trace whose launch has no such work-items
        done.lost.push_back(
            fmt::format("work-item {} in groups of {}: the blocks have {} threads along x instead",
                        reading - 1, items, reading));
        kernel.block = {reading, 1, 1};
        items = reading;
    }
    std::int64_t blocks = kernel.grid[0] * kernel.grid[1] * kernel.grid[2];
    if (blocks < source.group_count()) { // a trace whose launch has no such groups
        kernel.grid = {source.group_count(), 1, 1};
        blocks = source.group_count();
    }
    if (blocks > most_blocks || items > 65536) {
        throw bad_input(fmt::format("{} thread blocks of {} threads are too many for this format",
                                    blocks, items),
                        {}, "number the work-groups from 0 on");
    }
    bool mixed = false;
    bool gaps = false;
    out << traceg::header(kernel);
    WarpAccess access;
    for (std::int64_t block = 0; block < blocks; ++block) {
        out << fmt::format("#BEGIN_TB\n\nthread block = {},{},{}\n", block % kernel.grid[0],
                           block / kernel.grid[0] % kernel.grid[1],
                           block / kernel.grid[0] / kernel.grid[1]);
        const auto present = source.warps(block, traceg::warp_size);
        for (std::int32_t warp = 0; warp < (items + traceg::warp_size - 1) / traceg::warp_size;
             ++warp) {
            std::string lines;
            std::uint64_t count = 0;
            if (std::binary_search(present.begin(), present.end(), warp)) {
                const auto stream = source.open(block, warp, traceg::warp_size);
                std::uint32_t next_step = 0;
                while (stream->next(access)) {
                    // An instruction of the format has one width for all lanes, so texels of other
                    // sizes go into an instruction of their own.
                    std::map<std::uint32_t, traceg::Access> by_size;
                    for (const LaneRead& read : access.lanes) {
                        const StoredImage& image = images[read.image];
                        const auto address = image.address_of_read(read.texel);
                        if (!address) {
                            ++done.border_reads;
                            continue;
                        }
                        const auto bytes = static_cast<std::uint32_t>(image.bytes_per_texel);
                        traceg::Access& load = by_size[bytes];
                        load.bytes = bytes;
                        load.opcode = traceg::load_opcode(bytes);
                        if (load.opcode.empty()) {
                            throw bad_input(fmt::format("no load has {} bytes", bytes), {},
                                            "this format holds texels of 1, 2, 4, 8 and 16 bytes");
                        }
                        load.lanes.emplace_back(read.lane, static_cast<std::uint64_t>(*address));
                        ++done.reads;
                    }
                    mixed = mixed || by_size.size() > 1;
                    if (!by_size.empty()) {
                        gaps = gaps || access.step != next_step;
                        ++next_step;
                    }
                    for (const auto& [bytes, load] : by_size) {
                        traceg::AddressMode mode = traceg::best_mode(load);
                        if (addresses != TracegAddresses::shortest) {
                            // TracegAddresses has `shortest` first, then the modes in their order.
                            mode =
                                static_cast<traceg::AddressMode>(static_cast<int>(addresses) - 1);
                        }
                        // Instructions of NVIDIA's GPUs from Volta on take 16 bytes: the program
                        // counter counts them.
                        lines += traceg::load_line(16 * count++, load, mode);
                    }
                }
            }
            lines += fmt::format("{:04x} ffffffff 0 EXIT 0 0\n", 16 * count++);
            out << fmt::format("\nwarp = {}\ninsts = {}\n", warp, count) << lines;
        }
        out << "\n#END_TB\n\n";
    }
    done.lost.push_back("warps of other than 32 lanes: each is written as warps of 32; texture "
                        "reads are written as global "
                        "loads, for Accel-Sim leaves texture addresses out");
    if (gaps) {
        done.lost.push_back("the numbers of steps: where a warp reads nothing in a step, its later "
                            "ones are numbered without a gap");
    }
    if (mixed) {
        done.lost.push_back("reads of texels of several sizes in one step: each size has an "
                            "instruction of its own");
    }
    return done;
}

} // namespace

AddressExport export_addresses(std::ostream& out, const TraceSource& source,
                               const TracedLaunch& launch, const LayoutSpec& layout,
                               AddressFormat format, int warp_size, TracegAddresses addresses)
{
    SimulationOptions options;
    options.machine.layout = layout;
    const std::vector<StoredImage> images = store_images(source.images(), options);
    return format == AddressFormat::traceg ? export_traceg(out, source, launch, images, addresses)
                                           : export_records(out, source, images, format, warp_size);
}

} // namespace texelscope::sim
