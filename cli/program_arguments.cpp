#include "cli/program_arguments.hpp"

#include "devices/compilers/program_text.hpp"

namespace texelscope::cli {

CLI::Option* ProgramArguments::add_to(CLI::App& parser, const std::string& about)
{
    CLI::Option* const option = parser.add_option("file", file, about);
    parser.add_option("--options", options,
                      "build options of OpenCL for the file, e.g. \"-DN=4 -cl-fast-relaxed-math\"");
    parser
        .add_option("-D,--define", definitions,
                    "NAME or NAME=VALUE: a macro for the file (repeatable)")
        ->allow_extra_args(false);
    parser
        .add_option("-I,--include", folders,
                    "folder of files that it includes, beside its own (repeatable)")
        ->allow_extra_args(false);
    return option;
}

ProgramSource ProgramArguments::source() const
{
    devices::ProgramOptions given = devices::program_options(options);
    given.folders.insert(given.folders.end(), folders.begin(), folders.end());
    ProgramSource program{devices::program_text(file, given.folders), given.options};
    for (const std::string& definition : definitions) {
        program.options += " -D" + definition;
    }
    if (program.options.find("-cl-std=") == std::string::npos) {
        program.options += " -cl-std=CL1.2";
    }
    program.options += " -w";
    return program;
}

} // namespace texelscope::cli
