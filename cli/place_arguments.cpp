#include "cli/place_arguments.hpp"

#include "base/error.hpp"

#include <utility>

namespace texelscope::cli {

void PlaceArguments::add_to(CLI::App& parser)
{
    parser.add_option("--agent", agent,
                      "program texelscope-agent for the machine of --on; without it the one beside "
                      "this program");
    parser.add_option("--opencl", opencl,
                      "OpenCL library that the agent loads on the machine of --on: a path, or a "
                      "name that is searched for there");
}

void PlaceArguments::refuse(const std::string& why) const
{
    for (const auto& [option, value] :
         {std::pair("--agent", &agent), std::pair("--opencl", &opencl)}) {
        if (!value->empty()) {
            throw bad_input(std::string(option) + " does not apply " + why, {},
                            "leave it out, or name a real device with --on");
        }
    }
}

JobRunnerOptions PlaceArguments::runner_options() const
{
    JobRunnerOptions options;
    options.agent = agent;
    options.opencl = opencl;
    return options;
}

} // namespace texelscope::cli
