#include "sim/timed/store_sectors.hpp"

#include "sim/memory/image_storage.hpp"

#include <algorithm>
#include <span>

namespace texelscope::sim {
namespace {

/// All variables of a launch have slots below this one (WarpCode).
constexpr std::size_t most_slots = 64;

} // namespace

double port_bytes_of(std::vector<std::int64_t>& addresses, std::int64_t bytes_per_texel,
                     const Machine& machine)
{
    const std::int64_t sector = machine.stores.sector.value;
    const std::int64_t line = machine.shared_level().geometry.line.value;
    std::ranges::sort(addresses);
    double sectors = 0;
    double lines = 0;
    std::int64_t last_line = -1;
    std::int64_t last_sector = -1;
    std::int64_t covered = 0; // bytes of the last sector that are written
    const auto end_sector = [&] {
        if (last_sector >= 0) {
            sectors += covered == sector ? 1 : machine.stores.partial;
        }
    };
    std::int64_t written_to = 0; // all bytes before this one have been counted
    for (const std::int64_t address : addresses) {
        const std::int64_t end = address + bytes_per_texel;
        for (std::int64_t at = std::max(address, written_to); at < end;) {
            if (at / sector != last_sector) {
                end_sector();
                last_sector = at / sector;
                covered = 0;
            }
            if (at / line != last_line) {
                last_line = at / line;
                lines += 1;
            }
            const std::int64_t next = std::min(end, (last_sector + 1) * sector);
            covered += next - at;
            at = next;
        }
        written_to = end;
    }
    end_sector();
    return (sectors + machine.stores.line * lines) * static_cast<double>(sector);
}

StoreSectors::StoreSectors(const Launch& launch, const SimulationOptions& options)
    : launch_(launch), options_(options)
{
    if (options.machine.stores.sector.value == 0 || !launch.output) {
        return;
    }
    layout_ = store_images({&*launch.output, 1}, options).front().layout;
    items_ = static_cast<std::size_t>(launch.group_size());
    zeros_.assign(items_, 0);
    ids_.assign(slots::first_loop_slot, zeros_);
    for (std::size_t item = 0; item < items_; ++item) {
        auto rest = static_cast<std::int32_t>(item);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            ids_[slots::local_x + axis][item] = rest % launch.local[axis];
            rest /= launch.local[axis];
            ids_[slots::group_x + axis][item] = launch.groups[axis] / 2;
        }
    }
    inside_.assign(items_, true);
    for (const Guard& guard : launch.guards) {
        keep(guard, inside_);
    }
}

void StoreSectors::evaluate(const IndexExpr& expression, std::vector<std::int32_t>& out)
{
    std::vector<std::span<const std::int32_t>> columns(ids_.begin(), ids_.end());
    columns.resize(most_slots, zeros_); // the first iteration of all loops
    out.resize(items_);
    expression.evaluate(columns, out);
}

void StoreSectors::keep(const Guard& guard, std::vector<bool>& items)
{
    evaluate(guard.value, x_);
    for (std::size_t item = 0; item < items_; ++item) {
        items[item] = items[item] && x_[item] < guard.bound;
    }
}

double StoreSectors::of_group(const Store& store)
{
    std::vector<bool> writes = inside_;
    for (const Guard& guard : store.guards) {
        keep(guard, writes);
    }
    evaluate(store.x, x_);
    evaluate(store.y, y_);
    const auto warp = static_cast<std::size_t>(options_.machine.warp_size);
    double bytes = 0;
    for (std::size_t first = 0; first < items_; first += warp) {
        addresses_.clear();
        for (std::size_t item = first; item < std::min(items_, first + warp); ++item) {
            const Texel texel{x_[item], y_[item]};
            if (writes[item] && launch_.output->extent.contains(texel)) {
                addresses_.push_back(layout_->offset(texel));
            }
        }
        bytes += port_bytes_of(addresses_, launch_.output->bytes_per_texel.value, options_.machine);
    }
    return bytes;
}

double StoreSectors::port_bytes(const Work& work)
{
    if (work.stored.value == 0 || !layout_ || !work.store) {
        return static_cast<double>(work.stored.value) * options_.machine.warp_size;
    }
    const auto warps = (static_cast<std::int64_t>(items_) + options_.machine.warp_size - 1) /
                       options_.machine.warp_size;
    return of_group(*work.store) / static_cast<double>(warps);
}

} // namespace texelscope::sim
