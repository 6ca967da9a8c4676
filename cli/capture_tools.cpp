#include "cli/capture_tools.hpp"

#include "base/error.hpp"
#include "base/program_folder.hpp"
#include "traces/capture/capture_program.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

namespace texelscope::cli {
namespace {

namespace fs = std::filesystem;

std::string environment_value(const char* name)
{
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

} // namespace

std::string oclgrind_program(const std::string& asker)
{
    const std::string given = environment_value("TEXELSCOPE_OCLGRIND");
    const auto found = find_program(given.empty() ? "oclgrind" : given);
    if (!found) {
        throw missing(
            "Oclgrind is not there", given.empty() ? asker : "TEXELSCOPE_OCLGRIND=" + given,
            given.empty()
                ? "install the package oclgrind, or name the program in TEXELSCOPE_OCLGRIND"
                : "name the program oclgrind");
    }
    return *found;
}

/// The plugin lies beside this program, in the folder it was built in as well as where it was
/// installed; TEXELSCOPE_CAPTURE_PLUGIN names another one.
std::string plugin_library()
{
    const std::string given = environment_value("TEXELSCOPE_CAPTURE_PLUGIN");
    std::error_code error;
    const fs::path path =
        given.empty() ? fs::path(program_folder()) / TEXELSCOPE_CAPTURE_LIBRARY : fs::path(given);
    if (!fs::is_regular_file(path, error)) {
        throw missing("the capture plugin is not there", path.lexically_normal().string(),
                      "install liboclgrind-dev, then configure and build Texelscope again");
    }
    return fs::canonical(path).string();
}

std::string run_kernel_program()
{
    const fs::path path =
        (fs::path(base::program_folder()) / TEXELSCOPE_CAPTURE_LIBRARY).parent_path() /
        "texelscope-run-kernel";
    std::error_code error;
    if (!fs::is_regular_file(path, error)) {
        throw missing("the program that launches kernels is not there",
                      path.lexically_normal().string(),
                      "install liboclgrind-dev, then configure and build Texelscope again");
    }
    return fs::canonical(path).string();
}

void add_subgroup_size(CLI::App& parser, int& size)
{
    parser.add_option_function<int>(
        "--subgroup-size",
        [&size](int given) {
            constexpr int most = 128; // work-items that a ballot holds
            if (given < 1 || given > most || (given & (given - 1)) != 0) {
                throw bad_input(fmt::format("{} is no size of a sub-group", given),
                                "--subgroup-size",
                                "use a power of two from 1 to 128, as the device has it");
            }
            size = given;
        },
        "let the program use sub-groups of that many work-items");
}

} // namespace texelscope::cli
