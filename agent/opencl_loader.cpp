// Defines the OpenCL functions that the program calls: each passes its arguments to the library
// that was loaded. So the same code runs here and in programs that are linked with a loader, and a
// phone needs no library of ours.

#include "agent/opencl_loader.hpp"

#include "base/error.hpp"

#include <dlfcn.h>

#include <cstdlib>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

namespace texelscope::agent {
namespace {

/// The functions of the loaded library. OpenCL's functions take no state along, so there is one for
/// the whole program.
struct Functions {
#define FORWARD(result, name, parameters, arguments) decltype(&::name) name = nullptr;
#include "agent/opencl_functions.inc"
#undef FORWARD
};

Functions& functions()
{
    static Functions loaded;
    return loaded;
}

/// Whether the library has the function.
template <class F>
bool find(void* library, const char* name, F*& function)
{
    function = reinterpret_cast<F*>(dlsym(library, name));
    return function != nullptr;
}

/// Empty where `place` was loaded, else why not.
std::string load(const std::string& place, Functions& found)
{
    void* const library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const char* const reason = dlerror();
        return reason == nullptr ? "cannot be loaded" : reason;
    }
    std::string absent;
#define FORWARD(result, name, parameters, arguments)                                               \
    absent += find(library, #name, found.name) ? "" : " " #name;
#include "agent/opencl_functions.inc"
#undef FORWARD
    if (!absent.empty()) {
        dlclose(library);
        return place + " is no OpenCL 1.2 library, it lacks" + absent;
    }
    return {};
}

} // namespace

std::vector<std::string> opencl_places()
{
    if (const char* const place = std::getenv("TEXELSCOPE_OPENCL");
        place != nullptr && *place != '\0') {
        return {place};
    }
    std::vector<std::string> places{"libOpenCL.so", "libOpenCL.so.1"};
    for (const char* const folder : {"/vendor/lib64/", "/system/vendor/lib64/", "/system/lib64/",
                                     "/vendor/lib/", "/system/vendor/lib/", "/system/lib/"}) {
        for (const char* const name :
             {"libOpenCL.so", "egl/libGLES_mali.so", "libGLES_mali.so", "libPVROCL.so"}) {
            places.push_back(std::string(folder) + name);
        }
    }
    return places;
}

std::string load_opencl(const std::vector<std::string>& places)
{
    std::string reasons;
    for (const std::string& place : places) {
        const std::string reason = load(place, functions());
        if (reason.empty()) {
            return place;
        }
        // Most places are not there on most machines; one that is there and does not load is worth
        // telling.
        const bool only_absent = reason.find("No such file") != std::string::npos ||
                                 reason.find("not found") != std::string::npos;
        if (!only_absent || places.size() == 1) {
            reasons += (reasons.empty() ? "" : ", ") + reason;
        }
    }
    throw missing("no OpenCL library could be loaded" +
                      (reasons.empty() ? reasons : " (" + reasons + ")"),
                  {}, "install a driver, or name its library in TEXELSCOPE_OPENCL");
}

} // namespace texelscope::agent

// ---- OpenCL's functions, by their own names ----

#define FORWARD(result, name, parameters, arguments)                                               \
    extern "C" CL_API_ENTRY result CL_API_CALL name parameters                                     \
    {                                                                                              \
        return texelscope::agent::functions().name arguments;                                      \
    }
#include "agent/opencl_functions.inc"
#undef FORWARD
