#include "experiments/h200_tuning.hpp"

#include "experiments/results_csv.hpp"
#include "traces/file_stream.hpp"

#include <iterator>
#include <sstream>
#include <string>
#include <utility>

// The assembler takes the files in as they are: as a string in C++ they would take the compiler minutes.
// NOLINTBEGIN
asm(R"(
    .pushsection .rodata
    .globl texelscope_h200_small, texelscope_h200_small_end, texelscope_h200_large, texelscope_h200_large_end
texelscope_h200_small:
    .incbin ")" TEXELSCOPE_MEASUREMENTS R"(/h200-tuning.csv.zst"
texelscope_h200_small_end:
texelscope_h200_large:
    .incbin ")" TEXELSCOPE_MEASUREMENTS R"(/h200-tuning-large.csv.zst"
texelscope_h200_large_end:
    .popsection
)");
extern "C" const char texelscope_h200_small[], texelscope_h200_small_end[];
extern "C" const char texelscope_h200_large[], texelscope_h200_large_end[];
// NOLINTEND

namespace texelscope {
namespace {

struct Packed {
    std::string name;
    const char* begin;
    const char* end;
};

std::string unpacked(const Packed& file)
{
    std::istringstream packed(std::string(file.begin, file.end));
    std::string text;
    read_stream(packed, file.name, [&](std::istream& in) { text.assign(std::istreambuf_iterator<char>(in), {}); });
    return text;
}

} // namespace

std::vector<StoredResult> h200_tuning()
{
    const std::vector<Packed> files{{"h200-tuning.csv.zst", texelscope_h200_small, texelscope_h200_small_end},
                                    {"h200-tuning-large.csv.zst", texelscope_h200_large, texelscope_h200_large_end}};
    std::vector<StoredResult> results;
    for (const Packed& file : files) {
        for (StoredResult& result : parse_results_csv(unpacked(file), file.name)) {
            if (result.status == ResultStatus::ok) {
                results.push_back(std::move(result));
            }
        }
    }
    return results;
}

} // namespace texelscope
