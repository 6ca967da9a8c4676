#include "workbench/tuning/priced_parts.hpp"

#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/nest/schedule_parts.hpp"
#include "devices/launch/buffer_reads.hpp"
#include "devices/launch/launch_options.hpp"
#include "workbench/space/configuration_space.hpp"
#include "workbench/space/part_values.hpp"
#include "workbench/tuning/bottleneck_price.hpp"

#include <vector>

namespace texelscope::workbench::tuning {
namespace {

/// Whether both judges take a configuration, which must be legal.
bool is_priced(const Operator& op, const DeviceProfile& device, const Schedule& schedule)
{
    try {
        check_simulated(loop_nest(op, schedule), device);
    } catch (const Error&) {
        return false;
    }
    return bottleneck_price(op, device, schedule).has_value();
}

/// The operator's default configuration with other tiles and work-groups.
std::vector<Schedule> places_to_try(const Operator& op)
{
    std::vector<Schedule> places{op.default_schedule};
    for (const auto& tile : packing_tiles(op)) {
        for (const Dim3& group :
             {Dim3{8, 8, 1}, Dim3{16, 1, 1}, Dim3{1, 16, 1}, Dim3{64, 1, 1}, Dim3{1, 64, 1}}) {
            Schedule& place = places.emplace_back(op.default_schedule);
            place.tile = tile;
            place.group = group;
            place.warp = {group[0], group[1]};
        }
    }
    return places;
}

enum class Price { illegal, refused, known };

/// How a value of a part fares in all places: `known` where both judges take it in one of them,
/// `refused` where it is legal but has no price anywhere, `illegal` where the operator takes it in
/// no place.
Price price_of(const Operator& op, const DeviceProfile& device, const std::vector<Schedule>& places,
               char key, const std::string& value)
{
    Price price = Price::illegal;
    for (Schedule schedule : places) {
        schedule_part(key).read(schedule, value, {});
        if (is_legal(op, schedule)) {
            if (is_priced(op, device, schedule)) {
                return Price::known;
            }
            price = Price::refused;
        }
    }
    return price;
}

/// How a part fares: `refused` where one of its values is; otherwise `known` where a value other
/// than the default has a price, or `illegal` where there is none.
Price price_of(const Operator& op, const DeviceProfile& device, const std::vector<Schedule>& places,
               char key)
{
    Price all = Price::illegal;
    for (const std::string& value : part_values(op, key)) {
        if (value.empty()) {
            continue; // the default
        }
        const Price price = price_of(op, device, places, key, value);
        if (price == Price::refused) {
            return price;
        }
        all = price == Price::known ? price : all;
    }
    return all;
}

/// The keys of those parts, beside TMModel's own, that fare like `price`.
std::string parts_with(Price price, const Operator& op, const DeviceProfile& device)
{
    // A copy of the device without limits and compiler: whether a part can be priced at all must
    // not depend on whether the kernels of the places happen to fit.
    DeviceProfile judged = device;
    judged.limits.image_width = judged.limits.image_height = largest_size;
    judged.limits.local_memory = judged.limits.local_memory_of_group = {};
    judged.compiler = nullptr;
    const std::vector<Schedule> places = places_to_try(op);
    std::string parts;
    for (const char key : {'L', 'U', 'R', 'S', 'M', 'V'}) {
        parts += price_of(op, judged, places, key) == price ? std::string(1, key) : "";
    }
    return parts;
}

} // namespace

std::string drawn_parts(const Operator& op, const DeviceProfile& device)
{
    std::string parts = priced_parts(op, device);
    std::erase(parts, 'S');
    return parts;
}

std::string priced_parts(const Operator& op, const DeviceProfile& device)
{
    return paper_parts + parts_with(Price::known, op, device);
}

std::string refused_parts(const Operator& op, const DeviceProfile& device)
{
    return parts_with(Price::refused, op, device);
}

} // namespace texelscope::workbench::tuning
