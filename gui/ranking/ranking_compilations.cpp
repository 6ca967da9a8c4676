#include "gui/ranking/ranking_compilations.hpp"

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "codegen/nest/kernel_launch.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/text/kernel_source.hpp"
#include "devices/compilers/kernel_compiler.hpp"
#include "gui/kernel/compiler_lines.hpp"
#include "gui/study/session.hpp"
#include "gui/widgets/controls.hpp"
#include "workbench/study/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <variant>

namespace texelscope::gui {
namespace {

/// `warp_size`: of the profile, whose warps are counted.
Compilation compilation_of(const CompiledKernel& kernel, int warp_size)
{
    return {kernel.registers, std::max(1, kernel.warps * kernel.warp_size / warp_size),
            std::int64_t{kernel.spill_stores} + kernel.spill_loads,
            kernel.gpu + ": " + compiled_summary(kernel).toStdString()};
}

} // namespace

RowCount compile_configurations(const Operator& op, const DeviceProfile& device,
                                const ConfigurationSpace& space,
                                const std::vector<std::int64_t>& indices, CompilationInbox& inbox,
                                const Progress& progress, const StopToken& stop)
{
    const CompilerGpu& gpu = compiler_gpu_of(device.name);
    const MesaCompilers compilers;
    compilers.require(gpu);
    const int threads = processor_threads();
    // As many as share a process of the compiler, for each thread.
    const std::size_t at_a_time = 8 * static_cast<std::size_t>(threads);
    RowCount count;
    try {
        for (std::size_t from = 0; from < indices.size(); from += at_a_time) {
            const auto some =
                std::span(indices).subspan(from, std::min(at_a_time, indices.size() - from));
            tell(progress,
                 fmt::format("compiling {} of {} for {}", from + 1, indices.size(), gpu.name), from,
                 indices.size());
            std::vector<std::string> texts;
            for (const std::int64_t index : some) {
                check_stop(stop);
                texts.push_back(opencl_text(loop_nest(op, space.at(index)), TexelBackend::native));
            }
            const auto compiled =
                compilers.compile_all(gpu, texts, kernel_build_options, threads, {}, stop);
            for (std::size_t i = 0; i < some.size(); ++i) {
                if (const auto* kernel = std::get_if<CompiledKernel>(&compiled[i])) {
                    inbox.put(some[i],
                              compilation_of(*kernel, device.simulation.machine.warp_size));
                    ++count.done;
                } else if (count.error.empty()) { // the others may still be compiled
                    count.error = std::get<Error>(compiled[i]).what();
                }
            }
        }
    } catch (const Interrupted&) {
        count.stopped = true;
    }
    return count;
}

RankingCompilations::RankingCompilations(Session& session, std::function<const RankingRows&()> rows,
                                         QObject* parent)
    : QObject(parent), rows_(std::move(rows)),
      job_({.progressed =
                [this](const QString& stage, double fraction) {
                    emit progressed(stage, fraction);
                    take_compiled();
                },
            .finished =
                [this](const std::shared_ptr<RowCount>& count) {
                    take_compiled();
                    emit complete();
                    emit ended(
                        count->text(tr("%1 compiled")
                                        .arg(count_text(static_cast<std::int64_t>(count->done)))),
                        !count->error.empty());
                },
            .failed = [this](const QString& line) { emit ended(line, true); },
            .cancelled = [this] { emit ended(tr("Cancelled."), false); }})
{
    connect(&session, &Session::compiled, this,
            [this, &session](const Schedule& schedule, const CompiledKernel& kernel) {
                const int warp_size = session.study()->request.device.simulation.machine.warp_size;
                early_.emplace_back(schedule, compilation_of(kernel, warp_size));
                if (rows_().ranked) {
                    RankingRows next = rows_();
                    put_early(next);
                    emit known(next);
                }
            });
}

// Compilations that came before the ranking (of the study's own kernel) are put to their rows.
void RankingCompilations::put_early(RankingRows& rows)
{
    auto compiled = std::make_shared<Compilations>(*rows.compiled);
    for (auto& [schedule, compilation] : std::exchange(early_, {})) {
        if (const auto index = index_of(*rows.ranked->space(), schedule)) {
            (*compiled)[*index] = std::move(compilation);
        }
    }
    rows.compiled = std::move(compiled);
}

void RankingCompilations::compile(const StudyRequest& request, const std::vector<std::size_t>& rows)
{
    if (const CompilerChoice choice = choose_compiler(request.device.name); choice.gpu == nullptr) {
        emit ended(choice.why_not, true);
        return;
    }
    const auto ranked = rows_().ranked;
    std::vector<std::int64_t> indices;
    std::transform(rows.begin(), rows.end(), std::back_inserter(indices),
                   [&](std::size_t row) { return (*ranked)[row].index; });
    inbox_ = std::make_shared<CompilationInbox>();
    job_.start([request, space = ranked->space(), indices = std::move(indices),
                inbox = inbox_](const Progress& progress, const StopToken& stop) {
        return compile_configurations(request.op, request.device, *space, indices, *inbox, progress,
                                      stop);
    });
    emit started(tr("compiling"));
}

// Results come from another thread through the inbox, so the table is only changed here.
void RankingCompilations::take_compiled()
{
    auto found = inbox_->take();
    if (found.empty()) {
        return;
    }
    RankingRows next = rows_();
    auto compiled = std::make_shared<Compilations>(*next.compiled);
    for (auto& [index, compilation] : found) {
        (*compiled)[index] = std::move(compilation);
    }
    next.compiled = std::move(compiled);
    emit known(next);
}

void RankingCompilations::drop()
{
    job_.drop();
    early_.clear();
}

} // namespace texelscope::gui
