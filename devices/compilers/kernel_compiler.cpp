#include "devices/compilers/kernel_compiler.hpp"

#include "codegen/nest/kernel_launch.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace texelscope::devices {

KernelCompiler::KernelCompiler(MesaCompilers compilers, const CompilerGpu& gpu)
    : compilers_(std::move(compilers)), gpu_(gpu)
{
    compilers_.require(gpu);
}

const CompiledKernel& KernelCompiler::of(const std::string& text) const
{
    if (const CompiledKernel* const found = known(text)) {
        return *found;
    }
    CompiledKernel kernel = compilers_.compile(gpu_, text, kernel_build_options);
    const std::scoped_lock lock(mutex_);
    return known_.emplace(text, std::move(kernel)).first->second;
}

const CompiledKernel* KernelCompiler::known(const std::string& text) const
{
    const std::scoped_lock lock(mutex_);
    const auto found = known_.find(text);
    return found == known_.end() ? nullptr : &found->second;
}

void KernelCompiler::prepare(std::span<const std::string> texts, int threads, const Progress& progress,
                             const StopToken& stop) const
{
    const std::vector<Compiled> compiled =
        compilers_.compile_all(gpu_, texts, kernel_build_options, threads, progress, stop);
    const std::scoped_lock lock(mutex_);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        if (const auto* kernel = std::get_if<CompiledKernel>(&compiled[i])) {
            known_.emplace(texts[i], *kernel);
        }
    }
}

const CompilerGpu& compiler_gpu_of(const std::string& profile)
{
    const auto gpus = compiler_gpus();
    const auto found = std::find_if(gpus.begin(), gpus.end(), [&](const CompilerGpu& gpu) {
        const std::string name = gpu.name;
        return profile == name || profile.starts_with(name + "-");
    });
    return found != gpus.end() ? *found : find_compiler_gpu(profile);
}

} // namespace texelscope::devices
