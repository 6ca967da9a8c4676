#include "python/bind_device.hpp"

#include "codegen/operators/operator.hpp"
#include "devices/compilers/kernel_compiler.hpp"
#include "devices/jobs/opencl_device_info.hpp"
#include "devices/launch/launch_options.hpp"
#include "devices/runners/job_runner.hpp"
#include "python/tables.hpp"

#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <memory>
#include <vector>

namespace texelscope::python {
namespace {

ResultTable table_of(const DeviceProfile& device)
{
    ResultTable table{{"key", "value", "unit", "provenance", "source"}, {}};
    for (const Setting& key : profile_keys(device)) {
        if (const auto found = device.values.find(key.key); found != device.values.end()) {
            const ProfileValue& value = found->second;
            table.rows.push_back(
                {key.key, value.text, value.unit, to_string(value.provenance), value.source});
        }
    }
    return table;
}

ResultTable operators_table()
{
    ResultTable table{{"name", "shape", "example", "padding"}, {}};
    for (const codegen::OperatorInfo& each : codegen::operators()) {
        table.rows.push_back(
            {each.name, each.sizes, each.example, each.takes_padding ? "yes" : ""});
    }
    return table;
}

/// A value as `--set` takes it: booleans are "on" and "off" there, and 4096.0 is "4096".
std::string text_of_value(const nb::object& value)
{
    if (nb::isinstance<nb::bool_>(value)) {
        return nb::cast<bool>(value) ? "on" : "off";
    }
    if (nb::isinstance<nb::float_>(value) && nb::cast<bool>(value.attr("is_integer")())) {
        return nb::cast<std::string>(nb::str(nb::int_(value)));
    }
    return nb::cast<std::string>(nb::str(value));
}

/// What was set by hand, for repr().
std::string overridden(const DeviceProfile& device)
{
    std::string text;
    for (const auto& [key, value] : device.values) {
        if (value.source == devices::override_source) {
            text += (text.empty() ? "" : ", ") + key + "=" + value.text;
        }
    }
    return text.empty() ? "" : " with " + text;
}

ResultTable opencl_table(const JobRunnerOptions& how)
{
    ResultTable table{{"index", "platform", "name", "driver"}, {}};
    for (const devices::OpenClDeviceInfo& each : devices::devices_here(how)) {
        table.rows.push_back({std::int64_t{each.index}, each.platform, each.name, each.driver});
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

DevicePlace place_of(const GivenOn& on)
{
    if (const auto* const place = std::get_if<const DevicePlace*>(&on)) {
        return **place;
    }
    const auto* const number = std::get_if<int>(&on);
    return {number != nullptr ? std::to_string(*number) : std::get<std::string>(on)};
}

void add_devices(nb::module_& module)
{
    nb::class_<DeviceProfile> device(module, "Device",
                                     "A device profile: what simulator and model know of a GPU, "
                                     "and where each number comes from.");
    device
        .def(
            "__init__",
            [](DeviceProfile* self, const std::string& name,
               const std::map<std::string, nb::object>& set, const std::string& registers) {
                std::vector<std::string> overrides;
                for (const auto& [key, value] : set) {
                    overrides.push_back(key + "=" + text_of_value(value));
                }
                new (self) DeviceProfile(with_registers(
                    with_overrides(find_profile(name), overrides, "set"), registers));
            },
            nb::arg("name") = "adreno-740", nb::arg("set") = std::map<std::string, nb::object>(),
            nb::arg("registers") = "estimated",
            nb::sig("def __init__(self, name: str = 'adreno-740', set: "
                    "collections.abc.Mapping[str, object] = {}, "
                    "registers: str = "
                    "'estimated') -> None"),
            "name: a built-in profile (see ``devices()``), or a file that ends in .xml.\n"
            "set: values that replace the profile's, by key, as ``--set`` takes them: "
            "``{'l1.capacity': 2048}``.\n"
            "registers: of kernels, 'estimated' or 'compiled' (needs ``texelscope compile "
            "--setup``).")
        .def_ro("name", &DeviceProfile::name)
        .def_ro("description", &DeviceProfile::description)
        .def(
            "to_xml", [](const DeviceProfile& self) { return to_xml(self); },
            "The profile as the text of a file.")
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
        .def("__contains__", [](const DeviceProfile& self,
                                const std::string& key) { return self.values.contains(key); })
        .def(
            "keys",
            [](const DeviceProfile& self) {
                std::vector<std::string> keys;
                for (const auto& [key, value] : self.values) {
                    keys.push_back(key);
                }
                return keys;
            },
            "Keys of its values.")
        .def("__iter__", [](nb::handle self) { return nb::iter(self.attr("keys")()); })
        .def("__len__", [](const DeviceProfile& self) { return self.values.size(); })
        .def(
            "__eq__",
            [](const DeviceProfile& self, const DeviceProfile& other) { return self == other; },
            nb::is_operator())
        // A device is pickled as the XML of its profile, which has every value with its source,
        // and the name of its machines.
        .def("__getstate__",
             [](const DeviceProfile& self) { return std::pair(to_xml(self), self.machines); })
        .def("__setstate__",
             [](DeviceProfile& self, const std::pair<std::string, std::string>& state) {
                 new (&self) DeviceProfile(devices::parse_profile(state.first, "a pickled device"));
                 self.machines = state.second;
             })
        .def("__repr__", [](const DeviceProfile& self) {
            return fmt::format("Device('{}'{})", self.name, overridden(self));
        });
    add_table_members(device, table_of, [](const DeviceProfile& self) {
        return self.name + ": " + self.description;
    });

    nb::class_<DevicePlace>(module, "Place",
                            "An OpenCL device for ``on=``, and what opens it there.")
        .def(
            "__init__",
            [](DevicePlace* self, const std::string& on, const std::string& agent,
               const std::string& opencl) {
                (void)devices::parse_job_place(on);
                new (self) DevicePlace{on, {.agent = agent, .opencl = opencl}};
            },
            nb::arg("on"), nb::arg("agent") = "", nb::arg("opencl") = "",
            "on: OpenCL device, by index or part of its name, or agent:, adb:, ssh: as ``--on`` "
            "takes them.\n"
            "agent: program texelscope-agent for that machine; empty: the one beside this "
            "package's program.\n"
            "opencl: OpenCL library that the agent loads there, a path or a name; empty: it looks "
            "for one.")
        .def_ro("on", &DevicePlace::on, "As it was given.")
        .def("__repr__", [](const DevicePlace& self) { return "Place('" + self.on + "')"; });
    module.def("devices", &profile_names, "Names of the built-in device profiles.");
    module.def(
        "opencl_devices",
        [](const std::string& agent, const std::string& opencl) {
            return rows_of(opencl_table({.agent = agent, .opencl = opencl}));
        },
        nb::arg("agent") = "", nb::arg("opencl") = "",
        nb::sig("def opencl_devices(agent: str = '', opencl: str = '') -> list[dict[str, "
                "typing.Any]]"),
        "The OpenCL devices of this machine: what ``on=`` takes, by index or a part of platform or "
        "name.\n"
        "agent, opencl: as for ``Place``.");
    module.def(
        "operators", [] { return rows_of(operators_table()); },
        nb::sig("def operators() -> list[dict[str, typing.Any]]"),
        "What can be studied: each operator's name, the sizes of its shape, and an example.");
}

} // namespace texelscope::python
