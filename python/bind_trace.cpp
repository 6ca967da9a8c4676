#include "base/error.hpp"
#include "python/arrays.hpp"
#include "python/bind_launch.hpp"
#include "python/long_call.hpp"
#include "python/tables.hpp"
#include "traces/formats/csv_trace.hpp"
#include "traces/native/trace_file.hpp"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

namespace texelscope::python {
namespace {

/// Trace() in Python: a native trace or plain CSV, whichever the file is. Throws bad_input as the
/// command line does where launch, images or address mode do not fit.
Trace open_trace(const std::filesystem::path& from, std::optional<int> launch,
                 const std::vector<std::string>& images, const std::string& address)
{
    const std::string path = from.string();
    if (address != "border" && address != "edge") {
        throw bad_input("'" + address + "' is no address mode", "address", "give border or edge");
    }
    const AddressMode mode = address == "edge" ? AddressMode::edge : AddressMode::border;
    if (!is_native_trace(path)) {
        std::vector<Image> declared;
        for (const std::string& text : images) {
            declared.push_back(parse_image(text));
            declared.back().address_mode = mode;
        }
        return {read_csv(path, declared, mode)};
    }
    const TraceFile file(path);
    const int count = file.launch_count();
    if (count == 0 || (!launch && count > 1) || launch.value_or(0) < 0 ||
        launch.value_or(0) >= count) {
        throw bad_input(launch
                            ? fmt::format("there is no launch {}; the trace has {}", *launch, count)
                            : fmt::format("the trace has {} launches", count),
                        path, "name one with launch=, from 0 on");
    }
    return {file.source(launch.value_or(0))};
}

/// A column as an array that lies in the object itself.
template <class Number>
auto column(std::vector<Number> Accesses::*numbers)
{
    return [numbers](nb::handle_t<Accesses> self) {
        return view(nb::cast<const Accesses&>(self).*numbers, self);
    };
}

} // namespace

SimulatedLaunch on_device(const Trace& trace, const std::optional<GivenDevice>& device)
{
    if (!device && trace.study) {
        return *trace.study;
    }
    const DeviceProfile profile = profile_of(device.value_or(std::string("adreno-740")));
    return {trace.source, profile.simulation, trace.source->name(), profile.name};
}

Accesses accesses_of(const Trace& trace, std::optional<int> asked, std::size_t limit,
                     const GivenRange& groups)
{
    const int warp_size = asked         ? *asked
                          : trace.study ? trace.study->options.machine.warp_size
                                        : 64;
    const HalfOpenRange range = range_of(groups);
    if (warp_size < 1 || warp_size > 1024) {
        throw bad_input(fmt::format("{} is no warp size", warp_size), "warp_size",
                        "give 1 to 1024");
    }
    LongCall call;
    Accesses all = call.run([&] {
        const StopToken stop = call.stop();
        StopCheck check(stop);
        Accesses found;
        const TraceSource& source = *trace.source;
        const std::int64_t end = std::min(source.group_count(), range.end);
        WarpAccess access;
        for (std::int64_t group = source.next_group(range.begin); group < end;
             group = source.next_group(group + 1)) {
            for (const std::int32_t warp : source.warps(group, warp_size)) {
                const auto stream = source.open(group, warp, warp_size);
                while (stream->next(access)) {
                    check();
                    for (const LaneRead& read : access.lanes) {
                        if (found.x.size() == limit) {
                            found.complete = false;
                            return found;
                        }
                        found.group.push_back(group);
                        found.warp.push_back(warp);
                        found.step.push_back(access.step);
                        found.lane.push_back(read.lane);
                        found.image.push_back(read.image);
                        found.x.push_back(read.texel.x);
                        found.y.push_back(read.texel.y);
                    }
                }
            }
        }
        return found;
    });
    const std::string line =
        "there are more than " + std::to_string(limit) + " reads: give a larger limit, or groups";
    // The warning is an error where the caller's filters make it one.
    if (!all.complete && PyErr_WarnEx(PyExc_RuntimeWarning, line.c_str(), 1) != 0) {
        throw nb::python_error();
    }
    return all;
}

void add_traces(nb::module_& module)
{
    nb::class_<Accesses>(
        module, "Accesses",
        "Every read of a launch, in the order of groups, warps, steps and lanes: columns of one "
        "length, as NumPy arrays without copies.")
        .def_prop_ro("group", column(&Accesses::group),
                     nb::sig("def group(self) -> numpy.typing.NDArray[numpy.int64]"),
                     "Number of the work-group; shape (reads,), like the others.")
        .def_prop_ro("warp", column(&Accesses::warp),
                     nb::sig("def warp(self) -> numpy.typing.NDArray[numpy.int32]"),
                     "Number in the group.")
        .def_prop_ro("step", column(&Accesses::step),
                     nb::sig("def step(self) -> numpy.typing.NDArray[numpy.uint32]"),
                     "Number of the read in its work-item.")
        .def_prop_ro("lane", column(&Accesses::lane),
                     nb::sig("def lane(self) -> numpy.typing.NDArray[numpy.uint16]"),
                     "Position of the work-item in its warp.")
        .def_prop_ro("image", column(&Accesses::image),
                     nb::sig("def image(self) -> numpy.typing.NDArray[numpy.uint16]"),
                     "Number in Trace.images.")
        .def_prop_ro(
            "x", column(&Accesses::x), nb::sig("def x(self) -> numpy.typing.NDArray[numpy.int32]"),
            "Column of the texel, as the kernel computed it: it may lie outside of the image.")
        .def_prop_ro("y", column(&Accesses::y),
                     nb::sig("def y(self) -> numpy.typing.NDArray[numpy.int32]"),
                     "Row of the texel, from the top.")
        .def_ro("complete", &Accesses::complete, "False where there were more than the limit.")
        .def(
            "to_frame",
            [](nb::handle self) {
                nb::dict columns;
                for (const char* const name :
                     {"group", "warp", "step", "lane", "image", "x", "y"}) {
                    columns[name] = self.attr(name);
                }
                return nb::object(pandas().attr("DataFrame")(columns));
            },
            nb::sig("def to_frame(self) -> typing.Any"),
            "A ``pandas.DataFrame`` with these columns.")
        .def("__len__", [](const Accesses& self) { return self.x.size(); })
        .def("__repr__", [](const Accesses& self) {
            return fmt::format("Accesses({} reads{})", self.x.size(),
                               self.complete ? "" : ", there are more");
        });

    nb::class_<Trace>(module, "Trace",
                      "The accesses of a launch: of a study's kernel, or out of a file.")
        .def(
            "__init__",
            [](Trace* self, const std::filesystem::path& path, std::optional<int> launch,
               const std::vector<std::string>& images, const std::string& address) {
                new (self) Trace(open_trace(path, launch, images, address));
            },
            nb::arg("path"), nb::arg("launch") = nb::none(),
            nb::arg("images") = std::vector<std::string>(), nb::arg("address") = "border",
            "path: a native trace, or plain CSV, compressed or not.\n"
            "launch: of a native trace, from 0 on; None: its only one.\n"
            "images: of a CSV trace that does not declare them, each 'ID:WIDTHxHEIGHTxBYTES'.\n"
            "address: what reads outside of an image of a CSV trace do: border or edge.")
        .def_prop_ro("name", [](const Trace& self) { return self.source->name(); })
        .def_prop_ro(
            "images",
            [](const Trace& self) {
                nb::list images;
                for (const Image& image : self.source->images()) {
                    nb::dict one;
                    one["name"] = image.name;
                    one["width"] = image.extent.width;
                    one["height"] = image.extent.height;
                    one["bytes_per_texel"] = image.bytes_per_texel.value;
                    images.append(one);
                }
                return images;
            },
            nb::sig("def images(self) -> list[dict[str, typing.Any]]"),
            "Of each image: name, width and height in texels, bytes_per_texel.")
        .def_prop_ro("group_count", [](const Trace& self) { return self.source->group_count(); })
        .def("accesses", &accesses_of, nb::arg("warp_size") = nb::none(),
             nb::arg("limit") = 10'000'000, nb::arg("groups") = nb::none(),
             "Every read as columns. limit: of reads; groups: (first, end) of work-groups.")
        .def(
            "simulate",
            [](const Trace& self, const std::optional<GivenDevice>& device, bool timed,
               const GivenPath& timeline) {
                return simulated(on_device(self, device), timed, timeline);
            },
            nb::arg("device") = nb::none(), nb::arg("timed") = false,
            nb::arg("timeline") = nb::none(),
            "Simulates it on a device. timed: with cycles and stalls; timeline: F.pftrace to write "
            "in timed mode.")
        .def(
            "heat_map",
            [](const Trace& self, const std::optional<GivenDevice>& device,
               const std::string& image, const std::string& quantity, const GivenRange& steps,
               const GivenRange& accesses) {
                return counted_map(on_device(self, device), image, quantity, steps, accesses);
            },
            nb::arg("device") = nb::none(), nb::arg("image") = "", nb::arg("quantity") = "misses",
            nb::arg("steps") = nb::none(), nb::arg("accesses") = nb::none(),
            "Counts for each texel of an image (empty: the first). quantity: reads, misses, "
            "compulsory, capacity, "
            "conflict or evictions.")
        .def(
            "reuse",
            [](const Trace& self, const std::optional<GivenDevice>& device,
               std::optional<int> depth) { return reuse_of(on_device(self, device), depth); },
            nb::arg("device") = nb::none(), nb::arg("depth") = nb::none(),
            "Reuse distances and miss-ratio curves; depth: count no further than that many lines.")
        .def("__repr__", [](const Trace& self) { return "Trace(" + self.source->name() + ")"; });
}

} // namespace texelscope::python
