#pragma once

#include <string>
#include <vector>

namespace texelscope::agent {

/// Where OpenCL libraries are looked for, in this order: `named` alone where it is not empty, else
/// TEXELSCOPE_OPENCL alone where it is set, else names that the system's own search may find, then
/// the places where vendors of phones put theirs.
[[nodiscard]] std::vector<std::string> opencl_places(const std::string& named = {});

/// Loads the first of `places` that is an OpenCL 1.2 library, which all OpenCL functions of this
/// program then call until it ends. Returns its place. Throws missing, saying for each place why
/// not. Call it before any OpenCL function.
std::string load_opencl(const std::vector<std::string>& places);

/// Why a library could not be loaded.
struct LoadFailure {
    enum class Kind {
        absent,      ///< there is no such file
        denied,      ///< no permission to read it
        other_width, ///< it is for programs of 32 bits and this is one of 64, or the reverse
        closed,      ///< Android's linker does not open it for this program
        other,       ///< what `reason` says
    };
    Kind kind = Kind::other;
    std::string reason; ///< part of a line
};

/// What is wrong with a place that dlopen() did not load, from the file itself and from what
/// dlerror() said: on glibc, musl and Android it says it in other words.
[[nodiscard]] LoadFailure load_failure(const std::string& place, const std::string& said);

} // namespace texelscope::agent
