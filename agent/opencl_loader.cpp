// Defines the OpenCL functions that the program calls: each passes its arguments to the library
// that was loaded. So the same code runs here and in programs that are linked with a loader, and a
// phone needs no library of ours.

#include "agent/opencl_loader.hpp"

#include "base/error.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>

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

/// What dlerror() says, as a part of a line.
std::string linker_said()
{
    const char* const text = dlerror();
    return text == nullptr ? "it cannot be loaded" : text;
}

/// A library that was loaded, and how it gives its functions. Most export them. That of Google's
/// Pixel phones exports two others instead, `void enableOpenCL()`, to be called first, and
/// `void* loadOpenCLPointer(const char* name)`, as TensorFlow Lite's OpenCL loader has them.
class Library {
public:
    explicit Library(void* handle)
        : handle_(handle),
          pointer_of_(reinterpret_cast<PointerOf*>(dlsym(handle, "loadOpenCLPointer")))
    {
        if (pointer_of_ != nullptr) {
            if (auto* const enable = reinterpret_cast<void (*)()>(dlsym(handle, "enableOpenCL"));
                enable != nullptr) {
                enable();
            }
        }
    }

    /// Whether it has the function, which is then in `function`.
    template <class F>
    bool find(const char* name, F*& function) const
    {
        function =
            reinterpret_cast<F*>(pointer_of_ != nullptr ? pointer_of_(name) : dlsym(handle_, name));
        return function != nullptr;
    }

private:
    using PointerOf = void*(const char*);
    void* handle_;
    PointerOf* pointer_of_;
};

/// Nothing where `place` was loaded, else why not.
std::optional<LoadFailure> load(const std::string& place)
{
    void* const handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        return load_failure(place, linker_said());
    }
    const Library library(handle);
    Functions found;
    std::vector<std::string> absent;
#define FORWARD(result, name, parameters, arguments)                                               \
    if (!library.find(#name, found.name)) {                                                        \
        absent.emplace_back(#name);                                                                \
    }
#include "agent/opencl_functions.inc"
#undef FORWARD
    if (!absent.empty()) {
        // It stays loaded: nobody knows what a library that was enabled leaves behind.
        return LoadFailure{LoadFailure::Kind::other,
                           "is no OpenCL 1.2 library, it lacks " + absent.front() +
                               (absent.size() == 1 ? ""
                                                   : " and " + std::to_string(absent.size() - 1) +
                                                         " more functions")};
    }
    functions() = found;
    return std::nullopt;
}

/// The bits of programs that an ELF file is for, 0 where it is none.
int bits_of(std::istream& file)
{
    std::array<char, 5> start{};
    file.read(start.data(), start.size());
    const std::array<char, 4> elf{'\x7f', 'E', 'L', 'F'};
    if (!file || !std::equal(elf.begin(), elf.end(), start.begin())) {
        return 0;
    }
    return start[4] == 1 ? 32 : 64;
}

/// What is wrong with the file of that path; nothing where it seems to be all right.
std::optional<LoadFailure> failure_of_file(const std::string& path)
{
    using Kind = LoadFailure::Kind;
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        if (errno == EACCES || errno == EPERM) {
            return LoadFailure{Kind::denied, "permission denied"};
        }
        return LoadFailure{errno == ENOENT || errno == ENOTDIR ? Kind::absent : Kind::other,
                           std::strerror(errno)};
    }
    constexpr int here = static_cast<int>(sizeof(void*)) * 8;
    if (const int bits = bits_of(file); bits != 0 && bits != here) {
        return LoadFailure{Kind::other_width, "is a library of " + std::to_string(bits) +
                                                  " bits, this agent a program of " +
                                                  std::to_string(here)};
    }
    return std::nullopt;
}

bool contains(const std::string& text, const char* part)
{
    return text.find(part) != std::string::npos;
}

/// What the linker says, without the words that every such message begins with, on one line.
std::string without_start(std::string said, const std::string& place)
{
    for (const std::string& start : {std::string("dlopen failed: "), place + ": "}) {
        if (said.rfind(start, 0) == 0) {
            said.erase(0, start.size());
        }
    }
    std::replace_if(
        said.begin(), said.end(), [](unsigned char c) { return c < ' '; }, ' ');
    return said;
}

/// The places that are not there, as names and folders: "not there: libOpenCL.so, ...; nor any in
/// /vendor/lib64, ...". Empty where there are none.
std::string absent_text(const std::vector<std::string>& absent)
{
    std::string names;
    std::string folders;
    std::string last;
    for (const std::string& place : absent) {
        const std::size_t slash = place.rfind('/');
        const bool alone = slash == std::string::npos || absent.size() == 1;
        std::string& list = alone ? names : folders;
        const std::string text = alone ? place : place.substr(0, slash);
        if (alone || text != last) {
            list += (list.empty() ? "" : ", ") + text;
        }
        last = text;
    }
    return (names.empty() ? "" : "not there: " + names) +
           (folders.empty() ? "" : (names.empty() ? "" : "; ") + ("nothing more in " + folders));
}

const char* remedy_for(LoadFailure::Kind kind)
{
    switch (kind) {
    case LoadFailure::Kind::other_width:
        return "build an agent of as many bits and give it with --agent";
    case LoadFailure::Kind::closed:
        return "name the library's whole path with --opencl: its folder is then searched as well";
    case LoadFailure::Kind::denied:
        return "make it readable there, or name another with --opencl";
    default:
        return "install a driver, or name its library with --opencl";
    }
}

} // namespace

LoadFailure load_failure(const std::string& place, const std::string& said)
{
    using Kind = LoadFailure::Kind;
    if (place.find('/') != std::string::npos) {
        if (auto failure = failure_of_file(place)) {
            return *failure;
        }
    }
    if (contains(said, "not accessible for")) { // Android 7 and later
        return {Kind::closed, "Android's linker does not open it for this program"};
    }
    if (contains(said, "ermission denied")) {
        return {Kind::denied, "permission denied"};
    }
    if (contains(said, "wrong ELF class") || contains(said, "-bit instead of ")) {
        return {Kind::other_width, without_start(said, place)};
    }
    // A library that it needs may be the one that is absent, which is worth telling: Android says
    // "library "X" not found: needed by Y", glibc and musl begin with the one that is absent.
    const bool other_is_absent = contains(said, "needed by") || !contains(said, place.c_str());
    if (!other_is_absent && (contains(said, "No such file") || contains(said, "not found"))) {
        return {Kind::absent, "not there"};
    }
    return {Kind::other, without_start(said, place)};
}

std::vector<std::string> opencl_places(const std::string& named)
{
    if (!named.empty()) {
        return {named};
    }
    if (const char* const place = std::getenv("TEXELSCOPE_OPENCL");
        place != nullptr && *place != '\0') {
        return {place};
    }
    // Names first: Android's linker opens a vendor's library for a program only by its name, where
    // the vendor lists it in public.libraries.txt.
    std::vector<std::string> places{"libOpenCL.so",     "libOpenCL.so.1",  "libOpenCL-pixel.so",
                                    "libOpenCL-car.so", "libGLES_mali.so", "libmali.so",
                                    "libPVROCL.so"};
    for (const char* const folder :
         {"/vendor/lib64/", "/odm/lib64/", "/system/vendor/lib64/", "/system/lib64/",
          "/vendor/lib/", "/odm/lib/", "/system/vendor/lib/", "/system/lib/"}) {
        for (const char* const name :
             {"libOpenCL.so", "libOpenCL-pixel.so", "libOpenCL-car.so", "libGLES_mali.so",
              "libmali.so", "libPVROCL.so", "egl/libGLES_mali.so"}) {
            places.push_back(std::string(folder) + name);
        }
    }
    return places;
}

std::string load_opencl(const std::vector<std::string>& places)
{
    std::vector<std::string> absent;
    std::string reasons;
    auto worst = LoadFailure::Kind::absent;
    for (const std::string& place : places) {
        const std::optional<LoadFailure> failure = load(place);
        if (!failure) {
            return place;
        }
        if (failure->kind == LoadFailure::Kind::absent) {
            absent.push_back(place);
            continue;
        }
        // What to do goes by the first library that is there.
        worst = reasons.empty() ? failure->kind : worst;
        reasons += (reasons.empty() ? "" : "; ") + place + ": " + failure->reason;
    }
    const std::string not_there = absent_text(absent);
    throw missing("no OpenCL library could be loaded (" + reasons +
                      (reasons.empty() || not_there.empty() ? "" : "; ") + not_there + ")",
                  {}, remedy_for(worst));
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
