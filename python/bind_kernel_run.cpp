#include "base/error.hpp"
#include "base/lists.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "python/bind_study.hpp"
#include "python/long_call.hpp"
#include "workbench/study/checked_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <map>

namespace texelscope::python {
namespace {

/// A kernel that ran, and what it made.
struct KernelRun {
    CheckedRun run;
    std::vector<std::int64_t> shape; ///< of the output
    std::string device;
    std::string about;
};

/// Input tensors in the operator's order: drawn with the study's seed, but for those that are
/// given. Throws bad_input for a name or shape that is none of its.
std::vector<std::vector<float>> inputs_of(const Study& study,
                                          const std::map<std::string, FloatArray>& given)
{
    std::vector<std::vector<float>> values = random_inputs(study.op(), study.seed());
    for (const auto& [name, array] : given) {
        const auto found = std::ranges::find(study.op().inputs, name, &Tensor::name);
        if (found == study.op().inputs.end()) {
            throw bad_input("there is no input '" + name + "'", "inputs",
                            "inputs are " + joined(study.op().inputs, &Tensor::name));
        }
        if (!std::equal(found->shape.begin(), found->shape.end(), array.shape_ptr(),
                        array.shape_ptr() + array.ndim())) {
            throw bad_input(
                fmt::format(
                    "the array has {} dimensions and {} elements, the operator's {} has shape {}",
                    array.ndim(), array.size(), name, found->shape),
                "inputs", "give an array of that shape");
        }
        values[static_cast<std::size_t>(found - study.op().inputs.begin())].assign(
            array.data(), array.data() + array.size());
    }
    return values;
}

/// Study.run(): runs the kernel on an OpenCL device and checks its output against the reference. A
/// wrong output is returned, to be looked at; a kernel that does not run throws.
KernelRun run_study_kernel(const Study& study, const GivenOn& on, const GivenArrays& inputs,
                           int samples, int warm_up, double timeout)
{
    if (samples < 1 || warm_up < 0 || !(timeout > 0)) {
        throw bad_input("samples below 1, warm_up below 0 or timeout not above 0", "run",
                        "give larger numbers");
    }
    const std::vector<std::vector<float>> given = inputs_of(study, float_arrays(inputs));
    LongCall call;
    KernelRun result = call.run([&] {
        const DevicePlace place = place_of(on);
        const OpenClDevice device(place.on, place.how);
        if (const auto reason = beyond_limits(device.info(), study.nest())) {
            throw bad_input("unsupported: " + *reason, device.info().name,
                            "use a configuration within the device's limits");
        }
        RunOptions options;
        options.samples = samples;
        options.warm_up = warm_up;
        options.timeout_seconds = timeout;
        options.stop = call.stop();
        // The reference must start from what the device gets: numbers rounded to the storage.
        const auto values = as_stored(given, study.schedule().storage);
        return KernelRun{run_checked(study.op(), study.nest(), device, values,
                                     make_reference(study.op(), values, study.schedule().storage),
                                     options),
                         study.op().output.shape, device.info().name, study.launch().text};
    });
    const Measurement& measurement = result.run.measurement;
    if (measurement.status != RunStatus::ok) {
        throw bad_input(run_word(measurement.status) + ": " + measurement.reason, result.device,
                        remedy(measurement.status));
    }
    return result;
}

ReadArray<float> output_of(nb::handle_t<KernelRun> self)
{
    const auto& run = nb::cast<const KernelRun&>(self);
    std::vector<std::size_t> shape(run.shape.begin(), run.shape.end());
    return {run.run.output.data(), shape.size(), shape.data(), self};
}

} // namespace

void add_kernel_runs(nb::module_& module, nb::class_<Study>& study)
{
    nb::class_<KernelRun>(module, "KernelRun",
                          "A kernel that ran on an OpenCL device; its output was compared with a "
                          "reference in double precision.")
        .def_prop_ro("output", &output_of,
                     nb::sig("def output(self) -> numpy.typing.NDArray[numpy.float32]"),
                     "The output tensor, without a copy; it can be read only.")
        .def_prop_ro(
            "ns", [](const KernelRun& self) { return self.run.measurement.median_ns(); },
            "Median of the samples, in nanoseconds.")
        .def_prop_ro(
            "samples_ns",
            [](nb::handle_t<KernelRun> self) {
                return view(nb::cast<const KernelRun&>(self).run.measurement.samples_ns, self);
            },
            nb::sig("def samples_ns(self) -> numpy.typing.NDArray[numpy.float64]"),
            "Nanoseconds of each launch that was timed, in order; shape (samples,).")
        .def_prop_ro(
            "wall_clock", [](const KernelRun& self) { return self.run.measurement.wall_clock; },
            "Whether times are the host's, as the device's cannot be.")
        .def_prop_ro(
            "passed", [](const KernelRun& self) { return self.run.check.passed; },
            "Whether the output agrees with the reference.")
        .def_prop_ro(
            "max_error", [](const KernelRun& self) { return self.run.check.max_rel; },
            "Largest error, relative to what rounding errors are proportional to.")
        .def_prop_ro("tolerance", [](const KernelRun& self) { return self.run.check.tolerance; })
        .def_prop_ro(
            "registers",
            [](const KernelRun& self) { return self.run.measurement.footprint.registers; },
            "Of a work-item by the driver; None where it does not tell.")
        .def_ro("device", &KernelRun::device, "Name of the OpenCL device that ran it.")
        .def("__repr__", [](const KernelRun& self) {
            return fmt::format("KernelRun({} on {}: {:.4g} us, {})", self.about, self.device,
                               self.run.measurement.median_ns() / 1000,
                               self.run.check.passed ? "passed" : "FAILED");
        });
    study.def(
        "run", &run_study_kernel, nb::arg("on") = default_on, nb::arg("inputs") = GivenArrays(),
        nb::arg("samples") = 7, nb::arg("warm_up") = 2, nb::arg("timeout") = 60.0,
        nb::sig(
            "def run(self, on: Place | str | int = 'pocl', inputs: collections.abc.Mapping[str, "
            "numpy.typing.ArrayLike] = {}, samples: int = "
            "7, warm_up: int = 2, timeout: float = 60.0) -> KernelRun"),
        "Builds the kernel, runs it and checks its output.\n"
        "on: OpenCL device, by index or part of its name, or agent:, adb:, ssh: as ``--on`` takes "
        "them, or a ``Place``.\n"
        "inputs: float32 arrays by tensor (see ``tensors``); those that are not given are drawn.\n"
        "samples, warm_up: launches that are timed, and before those. timeout: seconds of one "
        "launch.");
}

} // namespace texelscope::python
