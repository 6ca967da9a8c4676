#include "gui/kernel/compiler_lines.hpp"

#include "devices/compilers/kernel_compiler.hpp"
#include "gui/widgets/controls.hpp"

#include <QStringList>
#include <exception>

namespace texelscope::gui {
namespace {

QString counted(int count, const QString& one, const QString& several)
{
    return count_text(count) + u' ' + (count == 1 ? one : several);
}

} // namespace

/// Goes by the profile's name: only GPUs that Mesa compiles for are known.
CompilerChoice choose_compiler(const std::string& profile)
{
    const CompilerGpu* gpu = known_compiler_gpu(profile);
    if (gpu == nullptr) {
        return {nullptr, tr("There is no compiler for %1, only for GPUs named Adreno or Mali.")
                             .arg(QString::fromStdString(profile))};
    }
    try {
        if (MesaCompilers().has(gpu->family)) {
            return {gpu, {}};
        }
    } catch (const std::exception& error) { // no folder to look into
        return {nullptr, error.what()};
    }
    return {nullptr,
            tr("The compiler for %1 is not here yet: “texelscope compile --setup” fetches it.")
                .arg(gpu->name)};
}

QString compiled_summary(const CompiledKernel& kernel)
{
    const int spills = kernel.spill_stores + kernel.spill_loads;
    return QStringList{
        counted(kernel.registers, tr("register"), tr("registers")),
        tr("%1 of %2 work-items on a core, limited by %3")
            .arg(counted(kernel.warps, tr("warp"), tr("warps")))
            .arg(kernel.warp_size)
            .arg(QString::fromStdString(to_string(kernel.limit))),
        counted(kernel.instructions, tr("instruction"), tr("instructions")),
        counted(kernel.reads_in_flight(), tr("read in flight"), tr("reads in flight")),
        spills == 0 ? tr("no spills") : counted(spills, tr("spill"), tr("spills"))}
        .join(QStringLiteral("; "));
}

QString spills_line(const CompiledKernel& kernel)
{
    if (kernel.spill_stores + kernel.spill_loads == 0) {
        return {};
    }
    return tr("It spills: what has no room in registers goes through memory, in %1 and %2.")
        .arg(counted(kernel.spill_stores, tr("store"), tr("stores")),
             counted(kernel.spill_loads, tr("load"), tr("loads")));
}

QString compiled_details(const CompiledKernel& kernel)
{
    QStringList classes;
    for (std::size_t c = 0; c < instruction_classes; ++c) {
        if (kernel.by_class[c] > 0) {
            classes << QStringLiteral("%1 %2")
                           .arg(kernel.by_class[c])
                           .arg(
                               QString::fromStdString(to_string(static_cast<InstructionClass>(c))));
        }
    }
    QStringList lines{tr("%1, %2").arg(QString::fromStdString(kernel.gpu),
                                       QString::fromStdString(kernel.compiler)),
                      classes.join(QStringLiteral(", ")),
                      tr("%1 of code, %2")
                          .arg(bytes_text(Bytes{kernel.code_bytes}),
                               counted(kernel.loops, tr("loop"), tr("loops")))};
    if (const CompilerGpu& gpu = find_compiler_gpu(kernel.gpu); *gpu.core != '\0') {
        lines.insert(1, tr("compiled for %1, which has the same core").arg(gpu.core));
    }
    return lines.join(u'\n');
}

} // namespace texelscope::gui
