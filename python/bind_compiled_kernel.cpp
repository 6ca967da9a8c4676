#include "codegen/nest/kernel_launch.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/text/kernel_source.hpp"
#include "devices/compilers/kernel_compiler.hpp"
#include "devices/compilers/mesa_compilers.hpp"
#include "python/bind_study.hpp"
#include "python/long_call.hpp"
#include "python/tables.hpp"

#include <fmt/format.h>
#include <nanobind/stl/vector.h>

namespace texelscope::python {
namespace {

/// What a real compiler makes of OpenCL C; `texelscope compile` is the same on the command line.
CompiledKernel compiled(const std::string& text, const std::string& gpu)
{
    LongCall call;
    return call.run([&] {
        return MesaCompilers().compile(devices::find_compiler_gpu(gpu), text,
                                       codegen::kernel_build_options, call.stop());
    });
}

ResultTable table_of(const CompiledKernel& kernel)
{
    ResultTable table{{"instructions", "count"}, {}};
    for (std::size_t what = 0; what < devices::instruction_classes; ++what) {
        table.rows.push_back({to_string(static_cast<devices::InstructionClass>(what)),
                              std::int64_t{kernel.by_class[what]}});
    }
    return table;
}

std::string heading_of(const CompiledKernel& kernel)
{
    return fmt::format("{}, {}: {} registers, {} warps of {}, {} instructions", kernel.gpu,
                       kernel.compiler, kernel.registers, kernel.warps, kernel.warp_size,
                       kernel.instructions);
}

} // namespace

void add_compiled_kernels(nb::module_& module, nb::class_<Study>& study)
{
    nb::class_<CompiledKernel> kernel(module, "CompiledKernel",
                                      "What a real compiler for Adreno or Mali makes of a kernel.");
    kernel.def_ro("gpu", &CompiledKernel::gpu)
        .def_ro("compiler", &CompiledKernel::compiler)
        .def_ro("registers", &CompiledKernel::registers, "Of a work-item, 32 bits each.")
        .def_ro("warps", &CompiledKernel::warps,
                "That run on a core together, as far as the kernel decides it.")
        .def_ro("warp_size", &CompiledKernel::warp_size)
        .def_prop_ro("limit", [](const CompiledKernel& self) { return to_string(self.limit); })
        .def_ro("instructions", &CompiledKernel::instructions)
        .def_prop_ro("reads_in_flight", &CompiledKernel::reads_in_flight)
        .def_ro("spill_loads", &CompiledKernel::spill_loads)
        .def_ro("spill_stores", &CompiledKernel::spill_stores)
        .def_ro("code_bytes", &CompiledKernel::code_bytes)
        .def_prop_ro("listing",
                     [](const CompiledKernel& self) {
                         std::vector<std::string> lines;
                         for (const devices::ListingLine& line : self.listing) {
                             lines.push_back(line.text);
                         }
                         return lines;
                     })
        .def("__repr__",
             [](const CompiledKernel& self) { return "CompiledKernel(" + heading_of(self) + ")"; });
    add_table_members(kernel, table_of, heading_of);
    module.def("compile_kernel", &compiled, nb::arg("text"), nb::arg("gpu") = "adreno-740",
               "Compiles OpenCL C with one kernel for a GPU of compiler_gpus(). Raises Missing "
               "where ``texelscope "
               "compile --setup`` was not run.");
    module.def(
        "compiler_gpus",
        [] {
            std::vector<std::string> names;
            for (const devices::CompilerGpu& gpu : devices::compiler_gpus()) {
                names.emplace_back(gpu.name);
            }
            return names;
        },
        "GPUs that compile_kernel() takes.");
    study.def(
        "compile",
        [](const Study& self, const std::string& gpu) {
            return compiled(opencl_text(self.nest(), codegen::TexelBackend::native),
                            gpu.empty() ? devices::compiler_gpu_of(self.device().name).name : gpu);
        },
        nb::arg("gpu") = "",
        "The study's kernel; gpu: one of compiler_gpus(); empty: that of the device.");
}

} // namespace texelscope::python
