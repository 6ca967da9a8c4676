#include "base/error.hpp"
#include "base/lists.hpp"
#include "python/arrays.hpp"
#include "python/bind_launch.hpp"
#include "python/long_call.hpp"
#include "python/tables.hpp"

#include <fmt/format.h>
#include <nanobind/stl/vector.h>

namespace texelscope::python {
namespace {

std::string heading_of(const Reuse& reuse)
{
    return fmt::format("miss ratio of fully associative LRU caches: {} on {}, lines of {} B",
                       reuse.curves.source, reuse.curves.device, reuse.curves.line.value);
}

ReadArray<std::int64_t> distances_of(nb::handle_t<Reuse> self, const std::string& image)
{
    const auto& reuse = nb::cast<const Reuse&>(self);
    return view(reuse.histogram(reuse.number_of(image)).counts, self);
}

/// Capacities in lines and miss ratios, where the curve has its steps.
nb::tuple curve_of(const Reuse& reuse, const std::string& image)
{
    const MissRatioCurve& curve = reuse.curves.curves[reuse.number_of(image)].curve;
    std::vector<std::int64_t> lines;
    std::vector<double> ratios;
    for (const MissRatioCurve::Point& point : curve.points) {
        lines.push_back(point.lines);
        ratios.push_back(curve.lookups == 0 ? 0.0
                                            : static_cast<double>(point.misses) /
                                                  static_cast<double>(curve.lookups));
    }
    const std::size_t size = lines.size();
    return nb::make_tuple(handed_over(std::move(lines), {size}),
                          handed_over(std::move(ratios), {size}));
}

} // namespace

std::size_t Reuse::number_of(const std::string& name) const
{
    // A launch of one image has one curve, which is that of all.
    for (std::size_t number = 0; number < curves.curves.size(); ++number) {
        if (curves.curves[number].name == name ||
            (name == "together" && curves.curves.size() == 1)) {
            return number;
        }
    }
    throw bad_input("there is no curve '" + name + "'", "image",
                    "curves are " + joined(curves.curves, &MissRatioCurves::Named::name));
}

const ReuseDistanceHistogram& Reuse::histogram(std::size_t number) const
{
    return number < distances.images.size() ? distances.images[number] : distances.together;
}

Reuse reuse_of(const SimulatedLaunch& launch, std::optional<int> depth)
{
    SimulationOptions options = launch.options;
    // Reuse distances are of the untimed order of accesses.
    options.mode.timed = false;
    LongCall call;
    Reuse reuse{
        call.run([&] { return reuse_distances(*launch.source, options, depth, call.stop()); }),
        {launch.text,
         launch.device,
         options.machine.l1().geometry.line,
         options.machine.l1().geometry.capacity,
         {}}};
    reuse.curves.curves = named_curves(reuse.distances, launch.source->images());
    return reuse;
}

void add_reuse(nb::module_& module)
{
    nb::class_<Reuse> reuse(module, "Reuse",
                            "Exact LRU stack distances in L1 lines, and miss-ratio curves, of each "
                            "image and together.");
    reuse
        .def_prop_ro(
            "names",
            [](const Reuse& self) {
                return mapped(self.curves.curves, &MissRatioCurves::Named::name);
            },
            "Images, and 'together' where there are several.")
        .def("counts", &distances_of, nb::arg("image") = "together",
             nb::sig(
                 "def counts(self, image: str = 'together') -> numpy.typing.NDArray[numpy.int64]"),
             "How often a line was looked up again, by the distinct other lines in between; shape "
             "(distances,), "
             "without a copy.")
        .def(
            "first_touches",
            [](const Reuse& self, const std::string& image) {
                return self.histogram(self.number_of(image)).first_touches;
            },
            nb::arg("image") = "together", "Lookups of lines that had not been looked up before.")
        .def(
            "miss_ratio",
            [](const Reuse& self, std::int64_t lines, const std::string& image) {
                return self.curves.curves[self.number_of(image)].curve.miss_ratio(lines);
            },
            nb::arg("lines"), nb::arg("image") = "together",
            "Of a fully associative LRU cache of so many lines.")
        .def("curve", &curve_of, nb::arg("image") = "together",
             nb::sig("def curve(self, image: str = 'together') -> "
                     "tuple[numpy.typing.NDArray[numpy.int64], "
                     "numpy.typing.NDArray[numpy.float64]]"),
             "Capacities in lines from which on a miss ratio holds, ascending from 0, and the "
             "ratios.")
        .def_prop_ro("line_bytes", [](const Reuse& self) { return self.curves.line.value; })
        .def("_repr_svg_",
             [](const Reuse& self) {
                 const PanelPlot plot = miss_ratio_plot(self.curves);
                 return to_svg(draw(plot), plot.title);
             })
        .def("__repr__", [](const Reuse& self) { return "Reuse(" + heading_of(self) + ")"; });
    add_table_members(
        reuse, [](const Reuse& self) { return miss_ratio_table(self.curves); }, heading_of);
}

} // namespace texelscope::python
