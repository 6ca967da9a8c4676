// Turns byte addresses back into reads of texels: the images lie in memory one after another under
// a given layout, as the simulator stores them, and every address is looked up there. Addresses
// outside of them are counted and left out.

#include "sim/observers/address_import.hpp"

#include "base/error.hpp"
#include "sim/memory/image_storage.hpp"
#include "sim/options/options.hpp"
#include "traces/formats/address_records.hpp"
#include "traces/formats/row_collector.hpp"
#include "traces/formats/trace_copy.hpp"
#include "traces/formats/traceg.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <istream>
#include <limits>
#include <map>
#include <utility>

namespace texelscope::sim {
namespace {

AddressImport import_traceg(std::istream& in, const std::string& name, const AddressSpace& space,
                            const TexelAddresses& texels)
{
    AddressImport done;
    RowCollector rows(name);
    traceg::Kernel kernel;
    // Steps so far, by group and warp.
    std::map<std::pair<std::int64_t, std::int32_t>, std::uint32_t> steps;
    traceg::read(
        in, name, [&](const traceg::Kernel& read) { kernel = read; },
        [&](const traceg::Access& access) {
            // Loads from global memory, generic loads, and texture reads of NVIDIA's instruction
            // set.
            const bool is_load = access.opcode.starts_with("LDG") ||
                                 access.opcode.starts_with("LD.") || access.opcode == "LD" ||
                                 access.opcode.starts_with("TEX") ||
                                 access.opcode.starts_with("TLD");
            if (!is_load) {
                done.others += static_cast<std::int64_t>(access.lanes.size());
                return;
            }
            bool any = false;
            std::uint32_t& step = steps[{access.group, access.warp}];
            for (const auto& [lane, address] : access.lanes) {
                if (const auto found = texels.find(address)) {
                    rows.add({access.group, access.warp * traceg::warp_size + lane, step,
                              found->image, found->texel});
                    any = true;
                } else {
                    ++done.outside;
                }
            }
            // A step counts only where a lane reads an image.
            step += any ? 1U : 0U;
        });
    done.source = rows.take(kernel.name.empty() ? name : kernel.name, space.images);
    done.launch = traced_launch(*done.source);
    for (std::size_t i = 0; i < 3; ++i) {
        done.launch.local[i] = kernel.block[i];
        done.launch.global[i] = kernel.grid[i] * kernel.block[i];
    }
    return done;
}

} // namespace

AddressImport import_addresses(std::istream& in, const std::string& name, const AddressSpace& space,
                               AddressFormat format)
{
    SimulationOptions options;
    options.machine.layout = space.layout;
    const TexelAddresses texels(store_images(space.images, options));
    AddressImport done;
    if (format == AddressFormat::traceg) {
        done = import_traceg(in, name, space, texels);
    } else {
        RowCollector rows(name);
        std::int64_t step = 0;
        const AddressSink sink = [&](const AddressRecord& record) {
            if (!record.is_read) {
                ++done.others;
            } else if (const auto found = texels.find(record.address)) {
                if (step > std::numeric_limits<std::uint32_t>::max()) {
                    throw bad_input("more reads than steps can be numbered", name,
                                    "split the trace");
                }
                // Without threads, all reads are those of one work-item, one after the other.
                rows.add({0, 0, static_cast<std::uint32_t>(step++), found->image, found->texel});
            } else {
                ++done.outside;
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
        done.source = rows.take(name, space.images);
        done.launch = traced_launch(*done.source);
    }
    if (done.outside > 0 && done.source->group_count() == 0) {
        throw bad_input(fmt::format("none of {} addresses lies in an image", done.outside), name,
                        "declare the images with --image and their --layout; the first one starts "
                        "at address 0");
    }
    return done;
}

} // namespace texelscope::sim
