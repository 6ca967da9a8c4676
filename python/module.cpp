#include "base/error.hpp"
#include "base/program_folder.hpp"
#include "base/stop.hpp"
#include "python/bind_launch.hpp"
#include "python/bind_study.hpp"
#include "python/parts.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;
using namespace texelscope;

namespace {

/// Raises the exception of that name from texelscope._errors. They are classes of Python's code, so
/// that each is also of a built-in kind.
void raise(const char* name, const char* line)
{
    PyErr_SetString(nb::module_::import_("texelscope._errors").attr(name).ptr(), line);
}

/// Makes our exceptions Python's: Error becomes BadInput or Missing, Interrupted becomes
/// KeyboardInterrupt. Others are left to nanobind.
void translate(const std::exception_ptr& thrown, void* /*nothing of ours*/)
{
    try {
        std::rethrow_exception(thrown);
    } catch (const base::Error& error) {
        raise(error.kind() == base::Error::Kind::missing ? "Missing" : "BadInput", error.what());
    } catch (const base::Interrupted&) {
        PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
}

} // namespace

NB_MODULE(_texelscope, module)
{
    module.doc() = "Texelscope's studies, simulator, model, search and networks.";
    module.attr("__version__") = TEXELSCOPE_VERSION;
    nb::register_exception_translator(translate, nullptr);
    nb::set_leak_warnings(false); // threads that still run when Python ends keep what they use
    module.def("program_folder", &base::program_folder,
               "The folder of the programs that this package came with.");

    python::add_devices(module);
    python::add_simulations(module);
    python::add_heat_maps(module);
    python::add_reuse(module);
    python::add_traces(module);
    python::add_studies(module);
    python::add_identification(module);
    python::add_networks(module);
}
