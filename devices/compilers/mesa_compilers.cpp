#include "devices/compilers/mesa_compilers.hpp"

#include "base/atomic_file.hpp"
#include "base/child_process.hpp"
#include "base/error.hpp"
#include "base/sha256.hpp"
#include "devices/compilers/compiler_output.hpp"
#include "devices/compilers/compiler_output_parts.hpp"
#include "devices/compilers/compiler_resources.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

namespace texelscope::devices {
namespace {

namespace fs = std::filesystem;

constexpr const char* build_program = "texelscope-build-kernel";

std::string cache_folder()
{
    const char* const cache = std::getenv("XDG_CACHE_HOME");
    const char* const home = std::getenv("HOME");
    if (cache != nullptr && *cache == '/') {
        return std::string(cache) + "/texelscope/compilers";
    }
    if (home == nullptr || *home == '\0') {
        throw missing("there is no folder for the compilers", "HOME", "set HOME or XDG_CACHE_HOME");
    }
    return std::string(home) + "/.cache/texelscope/compilers";
}

std::string contents(const fs::path& file)
{
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Where a compiler works, and how it is called.
struct Place {
    fs::path root; ///< empty: this system
    Words enter;   ///< in front of every command in it
    Words start;   ///< in front of the program that builds a kernel
    Words environment;
    std::string version; ///< tells one compiler from another
};

Words enter(const fs::path& root)
{
    return geteuid() == 0 ? Words{"chroot", root} : Words{"unshare", "-r", "chroot", root};
}

constexpr const char* system_shim = "/usr/lib/x86_64-linux-gnu/libfreedreno_noop_drm_shim.so";

/// Nothing where there is no compiler of that family.
std::optional<Place> place_of(CompilerFamily family, const fs::path& folder, const fs::path& programs)
{
    Place place;
    if (family == CompilerFamily::adreno) {
        place.environment = {"RUSTICL_ENABLE=freedreno", "MESA_SHADER_CACHE_DISABLE=true", "IR3_SHADER_DEBUG=cs",
                             "TEXELSCOPE_OPENCL=/usr/lib/x86_64-linux-gnu/libOpenCL.so.1"};
        place.root = folder / "amd64";
        if (fs::exists(place.root / "kit/bytes")) {
            place.enter = enter(place.root);
            place.start = {"/lib64/ld-linux-x86-64.so.2", "--preload", system_shim,
                           std::string("/kit/") + build_program};
        } else if (fs::exists(system_shim) && fs::exists(programs / build_program)) {
            place.root.clear();
            place.environment.push_back(std::string("LD_PRELOAD=") + system_shim);
            place.start = {programs / build_program};
            place.version = fmt::format("system {}", fs::last_write_time(system_shim).time_since_epoch().count());
            return place;
        } else {
            return std::nullopt;
        }
    } else {
        place.environment = {"RUSTICL_ENABLE=panfrost", "MESA_SHADER_CACHE_DIR=/kit/cache",
                             "BIFROST_MESA_DEBUG=shaderdb,shaders",
                             "TEXELSCOPE_OPENCL=/usr/lib/aarch64-linux-gnu/libOpenCL.so.1"};
        place.root = folder / "arm64";
        if (!fs::exists(place.root / "kit/bytes")) {
            return std::nullopt;
        }
        place.enter = enter(place.root);
        place.start = {"/kit/qemu-aarch64", "-E", "LD_PRELOAD=/usr/lib/aarch64-linux-gnu/libpanfrost_noop_drm_shim.so",
                       std::string("/kit/") + build_program};
    }
    place.version = contents(place.root / "kit/version");
    return place;
}

/// The part of a compiler's output that is read, and the driver's version in front of it.
constexpr std::string_view driver_mark = "driver ";

std::string driver_of(const std::string& output)
{
    const std::size_t at = output.find(driver_mark);
    if (at != 0 && (at == std::string::npos || output[at - 1] != '\n')) {
        return {};
    }
    const std::size_t start = at + driver_mark.size();
    return output.substr(start, output.find('\n', start) - start);
}

std::string first_error(const std::string& output)
{
    std::size_t at = output.find("error");
    at = at == std::string::npos ? 0 : output.rfind('\n', at) + 1;
    return output.substr(at, output.find('\n', at) - at);
}

} // namespace

MesaCompilers::MesaCompilers(std::string folder, std::string programs)
    : folder_(folder.empty() ? cache_folder() : std::move(folder)),
      programs_(programs.empty() ? fs::read_symlink("/proc/self/exe").parent_path().string() : std::move(programs))
{}

bool MesaCompilers::has(CompilerFamily family) const
{
    return place_of(family, folder_, programs_).has_value();
}

std::int64_t MesaCompilers::set_up(CompilerFamily family, const Progress& progress) const
{
    const fs::path root = fs::path(folder_) / (family == CompilerFamily::adreno ? "amd64" : "arm64");
    if (!fs::exists(root / "kit/bytes")) {
        fs::create_directories(folder_);
        const std::string script = folder_ + "/setup_compilers.sh";
        write_file_atomically(script, std::string(setup_compilers_sh()));
        std::string program = (fs::path(programs_) / build_program).string();
        if (family == CompilerFamily::mali) { // built there, for that machine
            program = folder_ + "/build_kernel.c";
            write_file_atomically(program, std::string(build_kernel_c()));
        } else if (!fs::exists(program)) {
            throw missing("there is no such program", program, "it is built and installed with texelscope");
        }
        if (geteuid() != 0 && run_process({"unshare", "-r", "true"}, 10).exit_code != 0) {
            throw missing("this system gives no user namespaces, which the compilers are entered with", "unshare -r",
                          "run it as root");
        }
        constexpr std::array<const char*, 4> steps{"index", "download", "unpack", "program"};
        for (std::size_t i = 0; i < steps.size(); ++i) {
            if (progress) {
                progress(fmt::format("{} compiler: {}", to_string(family), steps[i]),
                         static_cast<double>(i) / steps.size());
            }
            const ProcessOutcome outcome =
                run_process({"bash", script, steps[i], to_string(family), folder_, program}, 1800);
            if (outcome.exit_code != 0) {
                throw missing("the compilers could not be set up: " + last_line(outcome.output), steps[i],
                              "check the network and the space on the disk, and run it again");
            }
        }
    }
    return std::strtoll(contents(root / "kit/bytes").c_str(), nullptr, 10);
}

CompiledKernel MesaCompilers::compile(const CompilerGpu& gpu, const std::string& text, const std::string& options) const
{
    const auto place = place_of(gpu.family, folder_, programs_);
    if (!place) {
        throw missing("there is no compiler for " + std::string(gpu.name), folder_, "run texelscope compile --setup");
    }
    const std::string digest =
        sha256(fmt::format("{}\n{}\n{}\n{}\n{}", to_string(gpu.family), gpu.id, place->version, options, text));
    const fs::path kept = fs::path(folder_) / "results" / (digest + ".txt");
    if (fs::exists(kept)) {
        const std::string output = contents(kept);
        return parse_compiler_output(gpu, driver_of(output), output);
    }
    const std::string name = "/tmp/" + digest.substr(0, 16) + "-" + std::to_string(getpid()) + ".cl";
    const std::string file = place->root.string() + name;
    write_file_atomically(file, text);
    Words words{"env"};
    words.insert(words.end(), place->environment.begin(), place->environment.end());
    words.push_back((gpu.family == CompilerFamily::adreno ? "FD_GPU_ID=" : "PAN_GPU_ID=") + std::string(gpu.id));
    words.insert(words.end(), place->enter.begin(), place->enter.end());
    words.insert(words.end(), place->start.begin(), place->start.end());
    words.insert(words.end(), {name, options});
    constexpr double seconds = 300; // Mali's under qemu: 40 s for the first kernel of a GPU, then 3 to 10
    ProcessOutcome outcome = run_process(words, seconds);
    if (gpu.family == CompilerFamily::mali && outcome.exit_code == 0 &&
        outcome.output.find("spills:fills") == std::string::npos) {
        // The driver has it in its own cache, and tells nothing of it again. That cache is there for its built-in functions.
        fs::remove_all(place->root / "kit/cache");
        outcome = run_process(words, seconds);
    }
    fs::remove(file);
    if (outcome.timed_out) {
        throw missing(fmt::format("the compiler took longer than {} s and was ended", seconds), gpu.name);
    }
    if (outcome.exit_code == 1) {
        throw bad_input("it does not compile: " + first_error(outcome.output), gpu.name);
    }
    if (outcome.exit_code != 0) {
        throw missing("the compiler ended early: " + last_line(outcome.output), gpu.name,
                      "run texelscope compile --setup again");
    }
    if (const auto kernels = lines_with(outcome.output, "kernel ").size(); kernels != 1) {
        throw bad_input(fmt::format("it has {} kernels", kernels), gpu.name, "give a file with one");
    }
    const std::string driver = driver_of(outcome.output);
    CompiledKernel kernel = parse_compiler_output(gpu, driver, outcome.output);
    fs::create_directories(kept.parent_path());
    write_file_atomically(kept, std::string(driver_mark) + driver + "\n" + essential_output(gpu, outcome.output));
    return kernel;
}

} // namespace texelscope::devices
