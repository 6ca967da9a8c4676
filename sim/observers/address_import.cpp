// Turns byte addresses back into reads of texels: the images lie in memory under a given layout, at
// their base addresses, and the bytes of every read are looked up there. What lies outside of them
// is counted and left out.

#include "sim/observers/address_import.hpp"

#include "base/error.hpp"
#include "base/number_text.hpp"
#include "sim/observers/texel_addresses.hpp"
#include "traces/formats/address_records.hpp"
#include "traces/formats/row_collector.hpp"
#include "traces/formats/trace_copy.hpp"
#include "traces/formats/traceg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <istream>
#include <limits>
#include <map>
#include <utility>

namespace texelscope::sim {
namespace {

/// Takes the reads of a trace, and keeps count of what lies in no image.
class Reads {
public:
    Reads(const std::string& name, const AddressSpace& space)
        : name_(name), texels_(space.images, space.layout, space.bases), rows_(name)
    {}

    /// Adds the texels of a read at the steps from `step` on. Returns how many there are.
    std::uint64_t add(std::int64_t group, std::int32_t item, std::uint64_t step,
                      std::uint64_t address, std::uint32_t bytes)
    {
        const bool whole = texels_.find(address, std::max(bytes, 1U), found_);
        if (found_.empty()) {
            ++outside_;
            lowest_ = std::min(lowest_, address);
            highest_ = std::max(highest_, address);
        } else if (!whole) {
            ++partly_;
        }
        if (step + found_.size() > std::uint64_t{std::numeric_limits<std::uint32_t>::max()} + 1) {
            throw bad_input("more reads than steps can be numbered", name_, "split the trace");
        }
        for (std::size_t i = 0; i < found_.size(); ++i) {
            rows_.add({group, item, static_cast<std::uint32_t>(step + i), found_[i].image,
                       found_[i].texel});
        }
        return found_.size();
    }

    /// The trace of what was added. Throws bad_input where that is nothing, for all reads lie
    /// outside.
    AddressImport take(const std::string& kernel, const std::vector<Image>& images)
    {
        AddressImport done;
        done.source = rows_.take(kernel, images);
        done.launch = traced_launch(*done.source);
        done.outside = outside_;
        if (outside_ > 0) {
            const std::string where = fmt::format("{:#x} to {:#x}", lowest_, highest_);
            if (done.source->group_count() == 0) {
                throw bad_input(
                    fmt::format("none of {} addresses, {}, lies in an image", outside_, where),
                    name_,
                    "declare the images with --layout and their base addresses, such as --image "
                    "A:64x64x16@0x7fd165500000; without these the first one starts at address 0");
            }
            done.notes.push_back(fmt::format("{} reads of addresses in no image, {}, were left out",
                                             base::count_text(outside_), where));
        }
        if (partly_ > 0) {
            done.notes.push_back(fmt::format(
                "{} reads lie in an image only in part: their other bytes were left out",
                base::count_text(partly_)));
        }
        return done;
    }

private:
    const std::string& name_;
    TexelAddresses texels_;
    RowCollector rows_;
    std::vector<TexelAddresses::Found> found_;
    std::int64_t outside_ = 0;
    std::int64_t partly_ = 0;
    /// The addresses of reads outside.
    std::uint64_t lowest_ = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t highest_ = 0;
};

void note_others(AddressImport& done, std::int64_t others)
{
    if (others > 0) {
        done.notes.push_back(
            fmt::format("{} accesses that are no loads were left out", base::count_text(others)));
    }
}

AddressImport import_traceg(std::istream& in, const std::string& name, const AddressSpace& space)
{
    Reads reads(name, space);
    traceg::Kernel kernel;
    // Steps so far, by group and warp.
    std::map<std::pair<std::int64_t, std::int32_t>, std::uint64_t> steps;
    std::int64_t others = 0;
    std::int64_t without_addresses = 0;
    const std::int64_t blocks = traceg::read(
        in, name, [&](const traceg::Kernel& read) { kernel = read; },
        [&](const traceg::Access& access) {
            if (!traceg::is_load(access.opcode)) {
                others += static_cast<std::int64_t>(access.lanes.size());
                return;
            }
            without_addresses += access.lanes.empty() ? 1 : 0;
            std::uint64_t& step = steps[{access.group, access.warp}];
            // Lanes that read fewer texels wait for those that read more, as in lockstep. A step
            // counts only where a lane reads an image.
            std::uint64_t most = 0;
            for (const auto& [lane, address] : access.lanes) {
                most =
                    std::max(most, reads.add(access.group, access.warp * traceg::warp_size + lane,
                                             step, address, access.bytes));
            }
            step += most;
        });
    AddressImport done = reads.take(kernel.name.empty() ? name : kernel.name, space.images);
    for (std::size_t i = 0; i < 3; ++i) {
        done.launch.local[i] = kernel.block[i];
        done.launch.global[i] = kernel.grid[i] * kernel.block[i];
    }
    if (without_addresses > 0) {
        const std::string loads = base::count_text(without_addresses);
        if (done.source->group_count() == 0) {
            throw bad_input(
                fmt::format("{} loads stand there without addresses, and none with one", loads),
                name, "trace the kernel with the addresses of its loads");
        }
        done.notes.push_back(
            fmt::format("{} loads without addresses, as of textures, were left out", loads));
    }
    const std::int64_t in_grid = kernel.grid[0] * kernel.grid[1] * kernel.grid[2];
    if (blocks < in_grid) {
        done.notes.push_back(fmt::format("the file has {} of the {} thread blocks of its grid",
                                         base::count_text(blocks), base::count_text(in_grid)));
    }
    note_others(done, others);
    return done;
}

} // namespace

AddressImport import_addresses(std::istream& in, const std::string& name, const AddressSpace& space,
                               AddressFormat format)
{
    if (format == AddressFormat::traceg) {
        return import_traceg(in, name, space);
    }
    Reads reads(name, space);
    std::uint64_t step = 0;
    std::int64_t others = 0;
    const AddressSink sink = [&](const AddressRecord& record) {
        if (record.is_read) {
            // Without threads, all reads are those of one work-item, one after the other.
            step += reads.add(0, 0, step, record.address, record.bytes);
        } else {
            ++others;
        }
    };
    switch (format) {
    case AddressFormat::din:
        read_din(in, name, sink);
        break;
    case AddressFormat::binary_din:
        read_binary_din(in, name, sink);
        break;
    default:
        read_oracle_general(in, name, sink);
    }
    AddressImport done = reads.take(name, space.images);
    if (format == AddressFormat::din) {
        done.notes.emplace_back("the format has no sizes: each read is one of the texel at its "
                                "address");
    }
    note_others(done, others);
    return done;
}

} // namespace texelscope::sim
