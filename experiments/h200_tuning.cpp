#include "experiments/h200_tuning.hpp"

#include "experiments/results_csv.hpp"
#include "traces/file_stream.hpp"

#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

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

H200Tuning h200_tuning()
{
    const auto results_of = [](const Packed& file) {
        std::vector<StoredResult> results = parse_results_csv(unpacked(file), file.name);
        std::erase_if(results, [](const StoredResult& result) { return result.status != ResultStatus::ok; });
        return results;
    };
    const auto shape_of = [](const StoredResult& result) {
        return std::tuple(result.op, result.shape, result.padding);
    };
    H200Tuning tuning{results_of({"h200-tuning.csv.zst", texelscope_h200_small, texelscope_h200_small_end}),
                      results_of({"h200-tuning-large.csv.zst", texelscope_h200_large, texelscope_h200_large_end})};
    std::set<std::tuple<std::string, std::string, std::string>> seen;
    for (const StoredResult& result : tuning.identified_on) {
        seen.insert(shape_of(result));
    }
    std::erase_if(tuning.others, [&](const StoredResult& result) { return seen.contains(shape_of(result)); });
    return tuning;
}

} // namespace texelscope
