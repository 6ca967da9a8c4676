#include "python/device.hpp"

#include "codegen/operators/operator.hpp"
#include "devices/compilers/kernel_compiler.hpp"
#include "python/tables.hpp"

#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <memory>
#include <vector>

namespace texelscope::python {
namespace {

ResultTable table_of(const DeviceProfile& device)
{
    ResultTable table{{"key", "value", "unit", "provenance", "source"}, {}};
    for (const Setting& key : profile_keys()) {
        if (const auto found = device.values.find(key.key); found != device.values.end()) {
            const ProfileValue& value = found->second;
            table.rows.push_back({key.key, value.text, value.unit, to_string(value.provenance), value.source});
        }
    }
    return table;
}

ResultTable operators_table()
{
    ResultTable table{{"name", "shape", "example", "padding"}, {}};
    for (const codegen::OperatorInfo& each : codegen::operators()) {
        table.rows.push_back({each.name, each.sizes, each.example, each.takes_padding ? "yes" : ""});
    }
    return table;
}

} // namespace

DeviceProfile profile_of(const GivenDevice& device)
{
    if (const auto* const given = std::get_if<const DeviceProfile*>(&device)) {
        return **given;
    }
    return find_profile(std::get<std::string>(device));
}

void add_devices(nb::module_& module)
{
    nb::class_<DeviceProfile> device(
        module, "Device",
        "A device profile: what simulator and model know of a GPU, and where each number comes from.");
    device
        .def(
            "__init__",
            [](DeviceProfile* self, const std::string& name, const std::map<std::string, nb::object>& set,
               const std::string& registers) {
                std::vector<std::string> overrides;
                for (const auto& [key, value] : set) {
                    overrides.push_back(key + "=" + nb::cast<std::string>(nb::str(value)));
                }
                new (self)
                    DeviceProfile(with_registers(with_overrides(find_profile(name), overrides, "set"), registers));
            },
            nb::arg("name") = "adreno-740", nb::arg("set") = std::map<std::string, nb::object>(),
            nb::arg("registers") = "estimated",
            nb::sig("def __init__(self, name: str = 'adreno-740', set: dict[str, object] = {}, registers: str = "
                    "'estimated') -> None"),
            "name: a built-in profile (see ``devices()``), or a file that ends in .xml.\n"
            "set: values that replace the profile's, by key, as ``--set`` takes them: ``{'l1.capacity': 2048}``.\n"
            "registers: of kernels, 'estimated' or 'compiled' (needs ``texelscope compile --setup``).")
        .def_ro("name", &DeviceProfile::name)
        .def_ro("description", &DeviceProfile::description)
        .def(
            "to_xml", [](const DeviceProfile& self) { return to_xml(self); }, "The profile as the text of a file.")
        .def(
            "__getitem__",
            [](const DeviceProfile& self, const std::string& key) {
                const auto found = self.values.find(key);
                if (found == self.values.end()) {
                    throw nb::key_error(key.c_str());
                }
                return found->second.text;
            },
            "The text of a value, by its key.")
        .def("__repr__", [](const DeviceProfile& self) { return fmt::format("Device('{}')", self.name); });
    add_table_members(device, table_of, [](const DeviceProfile& self) { return self.name + ": " + self.description; });

    module.def("devices", &profile_names, "Names of the built-in device profiles.");
    module.def(
        "operators", [] { return rows_of(operators_table()); },
        nb::sig("def operators() -> list[dict[str, str | int | float]]"),
        "What can be studied: each operator's name, the sizes of its shape, and an example.");
}

} // namespace texelscope::python
