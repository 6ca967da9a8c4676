#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/lists.hpp"
#include "python/arrays.hpp"
#include "python/bind_launch.hpp"
#include "python/long_call.hpp"
#include "workbench/plots/heat_map_file.hpp"
#include "workbench/plots/heat_map_picture.hpp"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

namespace texelscope::python {
namespace {

ColourScale scale_named(const std::string& name)
{
    if (name != "linear" && name != "log") {
        throw bad_input("'" + name + "' is no scale", "scale", "give linear or log");
    }
    return name == "log" ? ColourScale::logarithmic : ColourScale::linear;
}

nb::bytes png_of(const CountedMap& self, const std::string& scale, int largest)
{
    LongCall call;
    const std::string png = call.run([&] {
        return to_png(heat_map_picture(self.map, self.title, scale_named(scale), largest));
    });
    return nb::bytes(png.data(), png.size());
}

void save(const CountedMap& self, const std::filesystem::path& to, const std::string& scale)
{
    const std::string path = to.string();
    if (path.ends_with(".png")) {
        write_file_atomically(path,
                              to_png(heat_map_picture(self.map, self.title, scale_named(scale))));
    } else if (path.ends_with(".csv")) {
        write_file_atomically(path, to_csv(self.map));
    } else if (path.ends_with(".npy")) {
        write_file_atomically(path, to_npy(self.map));
    } else {
        throw bad_input("'" + path + "' is neither .png nor .csv nor .npy", "path",
                        "choose one of these endings");
    }
}

/// Counts as rows of the image, (height, width): NumPy's order. The array lies in the map itself.
ReadArray<std::int64_t> counts_of(nb::handle_t<CountedMap> self)
{
    const HeatMap& map = nb::cast<const CountedMap&>(self).map;
    return view(
        map.counts, self,
        {static_cast<std::size_t>(map.extent.height), static_cast<std::size_t>(map.extent.width)});
}

} // namespace

HalfOpenRange range_of(const GivenRange& given)
{
    if (!given) {
        return {};
    }
    if (given->first < 0 || given->first >= given->second) {
        throw bad_input(fmt::format("({}, {}) is no range", given->first, given->second),
                        "steps, accesses or groups", "give (first, end), the end not included");
    }
    return {given->first, given->second};
}

std::vector<CountedMap> counted_maps(const SimulatedLaunch& launch,
                                     const std::vector<std::string>& quantities,
                                     const GivenRange& steps, const GivenRange& accesses)
{
    HeatRequest request;
    request.selection = {range_of(steps), range_of(accesses)};
    if (!quantities.empty()) {
        request.quantities.clear();
        for (const std::string& name : quantities) {
            request.quantities.push_back(parse_heat_quantity(name));
        }
    }
    SimulationOptions options = launch.options;
    // Heat maps count accesses in the untimed order; time does not matter to them.
    options.mode.timed = false;
    LongCall call;
    const HeatMapResult counted =
        call.run([&] { return heat_maps(*launch.source, options, request, call.stop()); });
    std::vector<CountedMap> maps;
    const auto images = launch.source->images();
    for (std::size_t image = 0; image < images.size(); ++image) {
        for (const HeatQuantity quantity : request.quantities) {
            maps.push_back({counted.maps.map(static_cast<int>(image), quantity), images[image].name,
                            to_string(quantity),
                            fmt::format("{} of {}, {} on {}", to_string(quantity),
                                        images[image].name, launch.text, launch.device)});
        }
    }
    return maps;
}

CountedMap counted_map(const SimulatedLaunch& launch, const std::string& image,
                       const std::string& quantity, const GivenRange& steps,
                       const GivenRange& accesses)
{
    const auto images = launch.source->images();
    const auto found =
        image.empty() ? images.begin() : std::ranges::find(images, image, &Image::name);
    if (images.empty()) {
        throw bad_input("the launch reads no image", "heat_map", "buffers have no texels");
    }
    if (found == images.end()) {
        throw bad_input("there is no image '" + image + "'", "image",
                        "images are " + joined(images, &Image::name));
    }
    auto maps = counted_maps(launch, {quantity}, steps, accesses);
    return std::move(maps[static_cast<std::size_t>(found - images.begin())]);
}

void add_heat_maps(nb::module_& module)
{
    nb::class_<CountedMap>(module, "HeatMap", "Counts of one quantity for each texel of an image.")
        .def_prop_ro("counts", &counts_of,
                     nb::sig("def counts(self) -> numpy.typing.NDArray[numpy.int64]"),
                     "Shape (height, width), without a copy; it can be read only.")
        .def(
            "__array__",
            // __array__ of NumPy's protocol: numpy.asarray(heat_map) needs no copy; copy=False with
            // another type is refused, because it would need one.
            [](nb::handle_t<CountedMap> self, nb::object dtype, nb::object copy) -> nb::object {
                nb::object array = nb::cast(counts_of(self));
                const nb::module_ numpy = nb::module_::import_("numpy");
                const bool other =
                    !dtype.is_none() && !numpy.attr("dtype")(dtype).equal(array.attr("dtype"));
                if (!copy.is_none() && nb::cast<bool>(copy)) {
                    return numpy.attr("array")(array, dtype);
                }
                if (other && !copy.is_none()) {
                    throw nb::value_error("counts are int64: another type needs a copy");
                }
                if (other) {
                    return array.attr("astype")(dtype);
                }
                return array;
            },
            nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none())
        .def_ro("image", &CountedMap::image)
        .def_ro("quantity", &CountedMap::quantity)
        .def_prop_ro("total", [](const CountedMap& self) { return self.map.total(); })
        .def_prop_ro("max", [](const CountedMap& self) { return self.map.max(); })
        .def("png", &png_of, nb::arg("scale") = "linear", nb::arg("largest") = 1024,
             "A PNG file with coordinates and a colour bar. scale: linear or log; largest: pixels "
             "along a side.")
        .def("_repr_png_", [](const CountedMap& self) { return png_of(self, "linear", 512); })
        .def("save", &save, nb::arg("path"), nb::arg("scale") = "linear",
             nb::call_guard<nb::gil_scoped_release>(), "Writes F.png, F.csv or F.npy.")
        .def("__repr__", [](const CountedMap& self) {
            return fmt::format("HeatMap({}, {}x{}, {} in all)", self.title, self.map.extent.width,
                               self.map.extent.height, self.map.total());
        });
}

} // namespace texelscope::python
