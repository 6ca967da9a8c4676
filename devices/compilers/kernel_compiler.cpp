#include "devices/compilers/kernel_compiler.hpp"

#include "base/error.hpp"
#include "base/lists.hpp"
#include "codegen/nest/kernel_launch.hpp"

#include <algorithm>
#include <iterator>
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
    // Compiled without the lock, so that threads compile at the same time; if two compile the same
    // text, the first result stays.
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

void KernelCompiler::prepare(std::span<const std::string> texts, int threads,
                             const Progress& progress, const StopToken& stop) const
{
    std::vector<std::string> asked;
    {
        const std::scoped_lock lock(mutex_);
        std::copy_if(texts.begin(), texts.end(), std::back_inserter(asked),
                     [&](const std::string& text) { return !known_.contains(text); });
    }
    const std::vector<Compiled> compiled =
        compilers_.compile_all(gpu_, asked, kernel_build_options, threads, progress, stop);
    const std::scoped_lock lock(mutex_);
    for (std::size_t i = 0; i < asked.size(); ++i) {
        if (const auto* kernel = std::get_if<CompiledKernel>(&compiled[i])) {
            known_.emplace(asked[i], *kernel);
        }
    }
}

const CompilerGpu* known_compiler_gpu(const std::string& profile)
{
    const auto gpus = compiler_gpus();
    const auto found = std::find_if(gpus.begin(), gpus.end(), [&](const CompilerGpu& gpu) {
        const std::string name = gpu.name;
        return profile == name || profile.starts_with(name + "-");
    });
    return found != gpus.end() ? &*found : nullptr;
}

const CompilerGpu& compiler_gpu_of(const std::string& profile)
{
    if (const CompilerGpu* gpu = known_compiler_gpu(profile)) {
        return *gpu;
    }
    throw bad_input("there is no compiler for '" + profile + "'", "registers",
                    "let them be estimated; there are compilers for " +
                        joined(compiler_gpus(), &CompilerGpu::name));
}

DeviceProfile with_registers(DeviceProfile profile, const std::string& from)
{
    if (std::find(registers_words.begin(), registers_words.end(), from) == registers_words.end()) {
        throw bad_input("'" + from + "' is not where registers can come from", "registers",
                        "use estimated or compiled");
    }
    if (from == "compiled") {
        profile.compiler =
            std::make_shared<const KernelCompiler>(MesaCompilers(), compiler_gpu_of(profile.name));
    }
    return profile;
}

std::string registers_text(const DeviceProfile& profile)
{
    return profile.compiler ? "compiled by Mesa for " + std::string(profile.compiler->gpu().name)
                            : "estimated";
}

} // namespace texelscope::devices
