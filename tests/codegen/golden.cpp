#include "tests/codegen/golden.hpp"

#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/operators/operator.hpp"
#include "codegen/text/kernel_source.hpp"

#include <fstream>
#include <sstream>

namespace texelscope::test {
using namespace codegen;

std::vector<GoldenKernel> golden_kernels(const std::string& folder)
{
    const std::string path = folder + "/configurations.txt";
    std::ifstream lines(path);
    std::vector<GoldenKernel> kernels;
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line.front() == '#') {
            continue;
        }
        std::istringstream words(line);
        std::string name;
        std::string op;
        std::string shape;
        std::string padding;
        std::string configuration;
        if (!(words >> name >> op >> shape >> padding >> configuration)) {
            throw bad_input("'" + line + "' is not five words", path,
                            "write name operator shape padding configuration");
        }
        const Operator parsed = parse_operator(op, shape, padding == "-" ? "" : padding);
        kernels.push_back({name, opencl_text(loop_nest(parsed, parse_schedule(configuration)),
                                             TexelBackend::native)});
    }
    return kernels;
}

} // namespace texelscope::test
