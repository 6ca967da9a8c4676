// Mesa's compilers need their own libraries and a stand-in for the hardware (drm-shim). They lie in
// a folder that is entered as if it were a whole system; Mali's are built for aarch64 and run under
// qemu.

#include "devices/compilers/compiler_place.hpp"

#include "base/error.hpp"
#include "base/file_bytes.hpp"
#include "base/user_cache.hpp"

#include <fmt/format.h>
#include <unistd.h>

namespace texelscope::devices {
namespace {

namespace fs = std::filesystem;

constexpr const char* system_shim = "/usr/lib/x86_64-linux-gnu/libfreedreno_noop_drm_shim.so";

/// Words in front of every command that sees `root` as its whole system.
/// Only root may change the root folder; others do so in a user namespace, in which they are root.
Words enter(const fs::path& root)
{
    return geteuid() == 0 ? Words{"chroot", root} : Words{"unshare", "-r", "chroot", root};
}

CompilerPlace in_folder(CompilerFamily family, const fs::path& root)
{
    const fs::path version = root / "kit/version";
    CompilerPlace place{root, {}, enter(root), {}, {}};
    if (fs::exists(version)) {
        place.version = map_file(version)->view();
    }
    if (family == CompilerFamily::adreno) {
        place.start.insert(place.start.end(),
                           {"/lib64/ld-linux-x86-64.so.2", "--preload", system_shim});
    } else {
        place.start.insert(place.start.end(),
                           {"/kit/qemu-aarch64", "-E",
                            "LD_PRELOAD=/usr/lib/aarch64-linux-gnu/libpanfrost_noop_drm_shim.so"});
        place.built_ins = "kit/built-ins";
    }
    place.start.emplace_back("/kit/texelscope-build-kernel");
    return place;
}

} // namespace

std::string default_compilers_folder()
{
    const auto cache = base::user_cache_folder();
    if (!cache) {
        throw missing("there is no folder for the compilers", "HOME", "set HOME or XDG_CACHE_HOME");
    }
    return *cache + "/compilers";
}

std::optional<CompilerPlace> compiler_place(CompilerFamily family, const fs::path& folder,
                                            const fs::path& programs)
{
    const bool adreno = family == CompilerFamily::adreno;
    const fs::path root = folder / (adreno ? "amd64" : "arm64");
    const fs::path program = programs / "texelscope-build-kernel";
    CompilerPlace place;
    if (fs::exists(root / "kit/bytes")) {
        place = in_folder(family, root);
    } else if (adreno && fs::exists(system_shim) && fs::exists(program)) {
        place.environment = {std::string("LD_PRELOAD=") + system_shim};
        place.start = {program};
        // The library's time of change stands for its version: answers of an older one are not
        // reused.
        place.version =
            fmt::format("system {}", fs::last_write_time(system_shim).time_since_epoch().count());
    } else {
        return std::nullopt;
    }
    const Words environment =
        adreno ? Words{"RUSTICL_ENABLE=freedreno", "MESA_SHADER_CACHE_DISABLE=true",
                       "IR3_SHADER_DEBUG=cs",
                       "TEXELSCOPE_OPENCL=/usr/lib/x86_64-linux-gnu/libOpenCL.so.1"}
               : Words{"RUSTICL_ENABLE=panfrost", "BIFROST_MESA_DEBUG=shaderdb,shaders",
                       "TEXELSCOPE_OPENCL=/usr/lib/aarch64-linux-gnu/libOpenCL.so.1"};
    place.environment.insert(place.environment.end(), environment.begin(), environment.end());
    return place;
}

} // namespace texelscope::devices
