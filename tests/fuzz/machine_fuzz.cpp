// Machines that agree with measured kernels: their file, the state of a search, published figures.

#include "tests/fuzz/entries.hpp"
#include "tests/fuzz/property.hpp"
#include "workbench/machines/figure.hpp"
#include "workbench/machines/machines_json.hpp"
#include "workbench/machines/over_machines.hpp"
#include "workbench/machines/search_state.hpp"

namespace texelscope::fuzz {
namespace machine_room = workbench::machines;

bool machines(std::string_view input)
{
    const auto read =
        accepted([&] { return machine_room::parse_machines(std::string(input), "machines.json"); });
    if (!read) {
        return false;
    }
    require(machine_room::parse_machines(machine_room::machines_text(*read), "again.json") == *read,
            "machines that are written and read again are others");
    // they may not be of this profile
    (void)accepted([&] {
        return machine_room::priced_machines(*read, devices::find_profile("adreno-740")).size();
    });
    require(
        machine_room::over_machines(*read, std::vector(read->machines.size(), 100.0)).has_value(),
        "machines that can run a kernel have no time for it");
    return true;
}

bool machine_search(std::string_view input)
{
    const auto read = accepted(
        [&] { return machine_room::parse_search_state(std::string(input), "x", "state.json"); });
    if (!read) {
        return false;
    }
    require(machine_room::parse_search_state(machine_room::search_state_text(*read, "x"), "x",
                                             "again.json") == *read,
            "the state of a search that is written and read again is another one");
    return true;
}

bool figures(std::string_view input)
{
    const auto read =
        accepted([&] { return machine_room::parse_figures(std::string(input), "figures.csv"); });
    if (!read) {
        return false;
    }
    const devices::DeviceProfile device = devices::find_profile("adreno-740");
    for (const machine_room::Figure& figure : *read) {
        require(figure.value > 0 && figure.error > 0, "a figure of nothing");
        (void)accepted([&] { return machine_room::quantity_on(figure.quantity, device); });
    }
    return true;
}

} // namespace texelscope::fuzz
