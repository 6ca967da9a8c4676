#include "python/bind_study.hpp"

#include "base/atomic_file.hpp"
#include "codegen/nest/kernel_launch.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/text/kernel_source.hpp"
#include "devices/launch/buffer_reads.hpp"
#include "devices/launch/launch_options.hpp"
#include "devices/launch/limits.hpp"
#include "python/long_call.hpp"
#include "traces/launch_source.hpp"
#include "workbench/store/kept_calibration.hpp"
#include "workbench/study/study_form.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <mutex>
#include <tuple>

namespace texelscope::python {
namespace {

using GivenShape = std::variant<std::string, std::vector<std::int64_t>>;

std::string shape_text(const GivenShape& shape)
{
    if (const auto* const text = std::get_if<std::string>(&shape)) {
        return *text;
    }
    return fmt::format("{}", fmt::join(std::get<std::vector<std::int64_t>>(shape), ","));
}

Study made_study(const std::string& op, const GivenShape& shape, const std::string& config,
                 const GivenDevice& device, const std::string& padding, std::uint64_t seed)
{
    Operator parsed = parse_operator(op, shape_text(shape), padding);
    Schedule schedule = config.empty() ? parsed.default_schedule : parse_schedule(config);
    return {std::move(parsed), std::move(schedule), profile_of(device), seed};
}

Study open_study(const std::filesystem::path& path)
{
    StudyRequest request = to_request(read_study_form(path.string()));
    return {std::move(request.op), std::move(request.schedule), std::move(request.device),
            request.seed};
}

/// The study as a file of the workbench has it. Where registers come from is not among its members,
/// so an opened study has the default.
StudyForm form_of(const Study& study)
{
    StudyForm form;
    form.op = study.op().name;
    form.shape = shape_text(study.op().shape);
    form.padding = study.op().padding;
    form.config = to_string(study.schedule());
    form.device = study.device().name;
    for (const auto& [key, value] : study.device().values) {
        if (value.source == devices::override_source) {
            form.overrides.push_back(key + "=" + value.text);
        }
    }
    form.seed = std::to_string(study.seed());
    return form;
}

using StudyState = std::tuple<std::string, std::vector<std::int64_t>, std::string, DeviceProfile,
                              std::string, std::uint64_t>;

/// Shapes of inputs and output by name: those that arrays must have.
std::map<std::string, std::vector<std::int64_t>> tensors_of(const Study& study)
{
    std::map<std::string, std::vector<std::int64_t>> shapes{
        {study.op().output.name, study.op().output.shape}};
    for (const Tensor& tensor : study.op().inputs) {
        shapes[tensor.name] = tensor.shape;
    }
    return shapes;
}

/// Seconds of so many simulations without any Python in between. tests/python/bench_overhead.py
/// compares them with the same through Python, to find what the package costs.
double seconds_of_simulations(const Study& study, int count)
{
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) {
        (void)sim::simulate(*study.launch().source, study.launch().options);
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

} // namespace

/// The calibration that studies of one device and seed share; null until it is asked for.
struct Study::Fitted {
    std::mutex mutex;
    std::shared_ptr<const Calibration> calibration;
};

Study::Study(Operator op, Schedule schedule, DeviceProfile device, std::uint64_t seed,
             std::shared_ptr<Fitted> fitted)
    : op_(std::move(op)), schedule_(std::move(schedule)), device_(std::move(device)), seed_(seed),
      nest_(loop_nest(op_, schedule_)),
      fitted_(fitted ? std::move(fitted) : std::make_shared<Fitted>())
{
    check_limits(nest_, device_);
    launch_ = {make_trace_source(launch_of(nest_)), options_for(nest_, device_),
               to_string(op_) + " " + to_string(schedule_), device_.name};
    // For timed mode: a second launch in which buffers are read as rows of images.
    if (reads_buffers(nest_)) {
        check_simulated(nest_, device_);
        const LoopNest rows = buffers_as_rows(nest_);
        launch_.in_time =
            TimedLaunch{make_trace_source(launch_of(rows)), options_for(rows, device_)};
    }
}

std::shared_ptr<const Calibration> Study::calibration(const StopToken& stop) const
{
    {
        const std::scoped_lock lock(fitted_->mutex);
        if (fitted_->calibration) {
            return fitted_->calibration;
        }
    }
    // Not under the lock: `stop` may run a signal handler of Python's, which may ask as well.
    auto calibration = std::make_shared<const Calibration>(
        kept_calibration(device_, seed_, calibrations_folder(), stop));
    const std::scoped_lock lock(fitted_->mutex);
    fitted_->calibration = fitted_->calibration ? fitted_->calibration : calibration;
    return fitted_->calibration;
}

VariantChoice variant_named(const std::string& name)
{
    return name.empty() ? default_variant(false) : VariantChoice{parse_model_variant(name), {}};
}

void add_studies(nb::module_& module)
{
    nb::class_<Study> study(module, "Study", "One operator in one configuration on one device.");
    study
        .def(
            "__init__",
            [](Study* self, const std::string& op, const GivenShape& shape,
               const std::string& config, const GivenDevice& device, const std::string& padding,
               std::uint64_t seed) {
                new (self) Study(made_study(op, shape, config, device, padding, seed));
            },
            nb::call_guard<nb::gil_scoped_release>(), nb::arg("op"), nb::arg("shape"),
            nb::arg("config") = "", nb::arg("device") = "adreno-740", nb::arg("padding") = "",
            nb::arg("seed") = 1,
            "op: as operators() lists it, or a formula ('O[m,n] = sum(k) A[m,k] * B[k,n]').\n"
            "shape: its sizes, numbers or a text ('64,64,64'; of a formula also "
            "'m=64,n=64,k=64').\n"
            "config: as ``--config`` takes it ('A=row,column;T=4x4;G=16x8x1'); empty: one that "
            "always works.\n"
            "device: a Device, or the name or file of a profile.\n"
            "padding: of convolutions: same, valid or a number.\n"
            "seed: of everything random.")
        .def_static("open", &open_study, nb::arg("path"),
                    "A study's file, as the workbench saves it.")
        .def_prop_ro("op", [](const Study& self) { return self.op().name; })
        .def_prop_ro("shape", [](const Study& self) { return self.op().shape; })
        .def_prop_ro("config", [](const Study& self) { return to_string(self.schedule()); })
        .def_prop_ro("device", [](const Study& self) { return self.device(); })
        .def_prop_ro("tensors", &tensors_of, "Shapes of inputs and output by name, row-major.")
        .def_prop_ro(
            "flops", [](const Study& self) { return self.nest().flops; },
            "Two for each multiply-add.")
        .def(
            "with_config",
            [](const Study& self, const std::string& config) {
                return self.with(parse_schedule(config));
            },
            nb::arg("config"), "The same in another configuration.")
        .def_prop_ro(
            "kernel_text",
            [](const Study& self) {
                return opencl_text(self.nest(), codegen::TexelBackend::native);
            },
            "The kernel as OpenCL C.")
        .def_prop_ro(
            "trace",
            [](const Study& self) {
                return Trace{self.launch().source, self.launch()};
            },
            "What the kernel reads of images.")
        .def(
            "simulate",
            [](const Study& self, bool timed, const GivenPath& timeline) {
                return simulated(self.launch(), timed, timeline);
            },
            nb::arg("timed") = false, nb::arg("timeline") = nb::none(),
            "Hits and misses; timed: with cycles and stalls; timeline: F.pftrace to write in timed "
            "mode, for Perfetto.")
        .def(
            "heat_map",
            [](const Study& self, const std::string& image, const std::string& quantity,
               const GivenRange& steps, const GivenRange& accesses) {
                return counted_map(self.launch(), image, quantity, steps, accesses);
            },
            nb::arg("image") = "", nb::arg("quantity") = "misses", nb::arg("steps") = nb::none(),
            nb::arg("accesses") = nb::none(),
            "Counts for each texel of an image (empty: the first). quantity: reads, misses, "
            "compulsory, capacity, "
            "conflict or "
            "evictions. steps, accesses: (first, end) of the work-items' steps, or of all warp "
            "accesses in the order "
            "of the "
            "simulation, that are counted.")
        .def(
            "heat_maps",
            [](const Study& self, const std::vector<std::string>& quantities) {
                return counted_maps(self.launch(), quantities, {}, {});
            },
            nb::arg("quantities") = std::vector<std::string>(),
            "Maps of every image, from one simulation. Empty: all six quantities.")
        .def(
            "reuse",
            [](const Study& self, std::optional<int> depth) {
                return reuse_of(self.launch(), depth);
            },
            nb::arg("depth") = nb::none(),
            "Reuse distances and miss-ratio curves; depth: count no further than that many lines.")
        .def(
            "save",
            [](const Study& self, const std::filesystem::path& path) {
                write_file_atomically(path.string(), to_xml(form_of(self)));
            },
            nb::arg("path"),
            "Writes a study's file, F.xml, which the workbench and ``--study`` open.")
        .def("__getstate__",
             [](const Study& self) {
                 return StudyState{self.op().name, self.op().shape,   to_string(self.schedule()),
                                   self.device(),  self.op().padding, self.seed()};
             })
        .def("__setstate__",
             [](Study& self, const StudyState& state) {
                 const auto& [op, shape, config, device, padding, seed] = state;
                 new (&self) Study(made_study(op, shape, config, &device, padding, seed));
             })
        .def("__repr__", [](const Study& self) {
            return fmt::format("Study({} on {})", self.launch().text, self.device().name);
        });
    module.def("_seconds_of_simulations", &seconds_of_simulations);
    add_predictions(module, study);
    add_tuning(module, study);
    add_machines(module, study);
    add_crosschecks(module, study);
    add_kernel_runs(module, study);
    add_compiled_kernels(module, study);
}

} // namespace texelscope::python
