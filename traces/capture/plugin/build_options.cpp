// Oclgrind 21.10 names the extensions of OpenCL that its compiler has. In OpenCL C 3.0 some of
// these are features of other names, which have to agree; so the compiler refused every program
// that is built with -cl-std=CL3.0. This function takes the place of Oclgrind's, as the library
// that it is in is loaded before: it has the compiler take all extensions and features there.

#include "traces/capture/plugin/next_function.hpp"

#include <oclgrind/Program.h>

#include <list>
#include <string>
#include <utility>

[[gnu::visibility("default")]] bool oclgrind::Program::build(BuildType type, const char* options,
                                                             std::list<Header> headers)
{
    static auto* const original = texelscope::traces::next_function<bool(
        Program*, BuildType, const char*, std::list<Header>)>(
        "_ZN8oclgrind7Program5buildENS0_9BuildTypeEPKcNSt7__cxx114listISt4pairINS4_12basic_stringI"
        "cSt11char_traitsIcESaIcEEEPKS0_ESaISE_EEE");
    std::string all = options != nullptr ? options : "";
    if (all.find("-cl-std=CL3.0") != std::string::npos &&
        all.find("-cl-ext=") == std::string::npos) {
        all += " -cl-ext=+all,-__opencl_c_generic_address_space,-__opencl_c_pipes,-__opencl_c_"
               "device_enqueue";
    }
    return original(this, type, all.c_str(), std::move(headers));
}
