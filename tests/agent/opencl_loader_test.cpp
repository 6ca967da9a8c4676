// The agent's loader on libraries that stand in for those of phones. The OpenCL functions that
// this program calls are the loader's own, as in the agent.

#include "agent/opencl_loader.hpp"
#include "base/child_process.hpp"
#include "base/error.hpp"
#include "tests/base/temporary_folder.hpp"

#include <catch2/catch.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

using namespace texelscope;
using namespace texelscope::agent;
using Catch::Matchers::Contains;
using texelscope::base::Error;
using texelscope::test::TemporaryFolder;
using Kind = LoadFailure::Kind;

namespace {

std::string complaint_about(const std::vector<std::string>& places)
{
    try {
        (void)load_opencl(places);
    } catch (const Error& error) {
        CHECK(error.kind() == Error::Kind::missing);
        const std::string line = error.what();
        CHECK(line.find('\n') == std::string::npos);
        return line;
    }
    FAIL("it was loaded");
    return {};
}

/// The start of an ELF file for programs of the other width than this one.
std::string other_width()
{
    return std::string("\x7f"
                       "ELF") +
           (sizeof(void*) == 8 ? '\1' : '\2') + std::string(59, '\0');
}

/// Another user for as long as it lives, where root runs the tests: root may read everything.
class NotRoot {
public:
    NotRoot() : was_root_(geteuid() == 0)
    {
        if (was_root_) {
            REQUIRE(seteuid(65534) == 0);
        }
    }
    ~NotRoot()
    {
        if (was_root_) {
            (void)seteuid(0);
        }
    }
    NotRoot(const NotRoot&) = delete;
    NotRoot& operator=(const NotRoot&) = delete;

private:
    bool was_root_;
};

} // namespace

TEST_CASE("a library that exports OpenCL's functions is loaded, and one of a Pixel, which gives "
          "them by a function of its own")
{
    const std::string place = GENERATE(TEXELSCOPE_BY_NAME, TEXELSCOPE_PIXEL);
    CAPTURE(place);
    CHECK(load_opencl({"/nowhere/libOpenCL.so", place}) == place);
    cl_uint count = 0;
    REQUIRE(clGetPlatformIDs(0, nullptr, &count) == CL_SUCCESS);
    CHECK(count > 0);

    const base::ProcessOutcome list =
        base::run_process({TEXELSCOPE_AGENT, "--list", "--opencl", place});
    CHECK(list.exit_code == 0);
    CHECK_THAT(list.output, Contains("on Portable Computing Language, driver"));
    CHECK_THAT(list.output, Contains("library: " + place));
}

TEST_CASE("a Pixel's library that lacks a function is none, and one that fails leaves those that "
          "were loaded")
{
    REQUIRE(load_opencl({TEXELSCOPE_PIXEL}) == TEXELSCOPE_PIXEL);
    CHECK_THAT(complaint_about({TEXELSCOPE_PIXEL_LACKING}),
               Contains("libOpenCL-lacking.so: is no OpenCL 1.2 library, it lacks clFinish)"));
    cl_uint count = 0;
    CHECK(clGetPlatformIDs(0, nullptr, &count) == CL_SUCCESS);
}

TEST_CASE("names are tried before paths, and what the user names alone")
{
    const std::vector<std::string> places = opencl_places();
    const auto is_path = [](const std::string& place) { return place[0] == '/'; };
    CHECK(std::is_partitioned(places.begin(), places.end(),
                              [&](const std::string& place) { return !is_path(place); }));
    CHECK(places.front() == "libOpenCL.so");
    for (const char* place : {"libOpenCL-pixel.so", "/vendor/lib64/libOpenCL.so",
                              "/system/vendor/lib64/egl/libGLES_mali.so"}) {
        CAPTURE(place);
        CHECK(std::count(places.begin(), places.end(), place) == 1);
    }
    CHECK(opencl_places("x") == std::vector<std::string>{"x"});
    setenv("TEXELSCOPE_OPENCL", "y", 1);
    CHECK(opencl_places() == std::vector<std::string>{"y"});
    CHECK(opencl_places("x") == std::vector<std::string>{"x"});
    unsetenv("TEXELSCOPE_OPENCL");
}

TEST_CASE("where nothing can be loaded, one line says of each place why")
{
    const TemporaryFolder folder;
    const std::string narrow = folder.write("libOpenCL.so", other_width());
    const std::string text = folder.write("libmali.so", "no library");
    const std::string line =
        complaint_about({"libnowhere.so", "libnot-there.so", "/nowhere/a/libOpenCL.so",
                         "/nowhere/a/libmali.so", "/nowhere/b/libOpenCL.so", narrow, text});
    CHECK_THAT(line, Contains("no OpenCL library could be loaded (" + narrow));
    CHECK_THAT(line, Contains(sizeof(void*) == 8
                                  ? "is a library of 32 bits, this agent a program of 64"
                                  : "is a library of 64 bits, this agent a program of 32"));
    CHECK_THAT(line, Contains(text + ": "));
    CHECK_THAT(line, Contains("; not there: libnowhere.so, libnot-there.so; "
                              "nothing more in /nowhere/a, /nowhere/b);"));
    CHECK_THAT(line, Contains("build an agent of as many bits and give it with --agent"));
}

TEST_CASE("no OpenCL at all, a library that may not be read, and one that Android's linker does "
          "not open: each has its line")
{
    CHECK(complaint_about({"libnowhere.so"}) ==
          "no OpenCL library could be loaded (not there: libnowhere.so); install a driver, or name "
          "its library with --opencl");
    CHECK(complaint_about({"/nowhere/libOpenCL.so"}) ==
          "no OpenCL library could be loaded (not there: /nowhere/libOpenCL.so); install a driver, "
          "or name its library with --opencl");

    const TemporaryFolder folder;
    const std::string closed = folder.write("libOpenCL.so", other_width());
    REQUIRE(chmod(closed.c_str(), 0) == 0);
    {
        const NotRoot other;
        CHECK(complaint_about({closed}) ==
              "no OpenCL library could be loaded (" + closed +
                  ": permission denied); make it readable there, or name another with --opencl");
    }
}

TEST_CASE("what glibc, musl and Android say of a library is understood")
{
    const auto kind_of = [](const std::string& place, const std::string& said) {
        return load_failure(place, said).kind;
    };
    const std::string name = "libOpenCL.so";
    CHECK(kind_of(name, "libOpenCL.so: cannot open shared object file: No such file or "
                        "directory") == Kind::absent);
    CHECK(kind_of(name, "Error loading shared library libOpenCL.so: No such file or directory") ==
          Kind::absent);
    CHECK(kind_of(name, "dlopen failed: library \"libOpenCL.so\" not found") == Kind::absent);

    // Not the library, but one that it needs.
    const LoadFailure needed = load_failure(
        name, "dlopen failed: library \"libc++.so\" not found: needed by /vendor/lib64/libOpenCL.so"
              " in namespace (default)");
    CHECK(needed.kind == Kind::other);
    CHECK(needed.reason.rfind("library \"libc++.so\" not found: needed by", 0) == 0);
    CHECK(kind_of(name, "libllvm.so: cannot open shared object file: No such file or directory") ==
          Kind::other);

    const std::string path = TEXELSCOPE_BY_NAME; // a file that is there
    const std::string refused = "dlopen failed: library \"" + path +
                                "\" needed or dlopened by "
                                "\"/data/local/tmp/texelscope/texelscope-agent\" is not accessible "
                                "for the namespace \"(default)\"";
    CHECK(kind_of(path, refused) == Kind::closed);
    CHECK(kind_of(name, "dlopen failed: \"/vendor/lib/libOpenCL.so\" is 32-bit instead of "
                        "64-bit") == Kind::other_width);
    CHECK(kind_of(name, "libOpenCL.so: wrong ELF class: ELFCLASS32") == Kind::other_width);
    CHECK(kind_of(name, "dlopen failed: couldn't map \"libOpenCL.so\": Permission denied") ==
          Kind::denied);
    CHECK(load_failure(path, path + ": a\nb").reason == "a b");
}
