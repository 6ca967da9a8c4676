#include "experiments/tuning/priced_parts.hpp"

#include "base/error.hpp"
#include "codegen/nest/schedule_parts.hpp"
#include "experiments/space/configuration_space.hpp"
#include "experiments/space/part_values.hpp"
#include "experiments/study/buffer_reads.hpp"
#include "experiments/study/prediction.hpp"

#include <vector>

namespace texelscope::experiments {
namespace {

/// Whether both judges take a configuration, which must be legal.
bool is_priced(const Operator& op, const DeviceProfile& device, const Schedule& schedule)
{
    try {
        check_simulated(loop_nest(op, schedule), device);
    } catch (const Error&) {
        return false;
    }
    ConfigurationSpace alone;
    alone.add_kernel(kernel_of(schedule), alone.add_groups({{schedule.warp, schedule.group}}));
    const Calibration none;
    return ModelCosts(op, device, alone, none, ModelVariant::bottleneck).of_kernel(0).not_priced == 0;
}

/// The operator's default configuration with other tiles and work-groups.
std::vector<Schedule> places_to_try(const Operator& op)
{
    std::vector<Schedule> places{op.default_schedule};
    for (const auto& tile : packing_tiles(op)) {
        for (const Dim3& group : {Dim3{8, 8, 1}, Dim3{16, 1, 1}, Dim3{1, 16, 1}, Dim3{64, 1, 1}, Dim3{1, 64, 1}}) {
            Schedule& place = places.emplace_back(op.default_schedule);
            place.tile = tile;
            place.group = group;
            place.warp = {group[0], group[1]};
        }
    }
    return places;
}

enum class Price { illegal, refused, known };

/// Of a value of a part: `known` where both judges take it in one of the places, `illegal` where the operator takes it in none.
Price price_of(const Operator& op, const DeviceProfile& device, const std::vector<Schedule>& places, char key,
               const std::string& value)
{
    Price price = Price::illegal;
    for (Schedule schedule : places) {
        schedule_part(key).read(schedule, value, {});
        if (is_legal(op, schedule)) {
            price = Price::refused;
            if (is_priced(op, device, schedule)) {
                return Price::known;
            }
        }
    }
    return price;
}

/// Whether all values that the operator takes have a price, and there are some.
bool has_price(const Operator& op, const DeviceProfile& device, const std::vector<Schedule>& places, char key)
{
    bool any = false;
    for (const std::string& value : part_values(op, key)) {
        const Price price =
            value.empty() ? Price::illegal : price_of(op, device, places, key, value); // "": the default
        if (price == Price::refused) {
            return false;
        }
        any = any || price == Price::known;
    }
    return any;
}

} // namespace

std::string priced_parts(const Operator& op, const DeviceProfile& device)
{
    DeviceProfile judged = device; // of which no kernel is beyond the limits, and none is compiled
    judged.limits.image_width = judged.limits.image_height = largest_size;
    judged.limits.local_memory = {};
    judged.compiler = nullptr;
    const std::vector<Schedule> places = places_to_try(op);
    std::string parts = paper_parts;
    for (const char key : {'L', 'U', 'R', 'S', 'M', 'V'}) {
        parts += has_price(op, judged, places, key) ? std::string(1, key) : "";
    }
    return parts;
}

} // namespace texelscope::experiments
