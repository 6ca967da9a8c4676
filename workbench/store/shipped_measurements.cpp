#include "workbench/store/shipped_measurements.hpp"

#include "base/csv.hpp"
#include "base/file_bytes.hpp"
#include "traces/native/file_stream.hpp"
#include "workbench/store/results_csv.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

// The assembler embeds the files as they are. As strings in C++, the large ones would take the
// compiler minutes.
#define TEXELSCOPE_EMBED(name, file)                                                               \
    asm(".pushsection .rodata\n"                                                                   \
        ".globl texelscope_" #name ", texelscope_" #name "_end\ntexelscope_" #name ":\n"           \
        ".incbin \"" TEXELSCOPE_MEASUREMENTS "/" file "\"\ntexelscope_" #name "_end:\n"            \
        ".popsection\n");                                                                          \
    extern "C" const char texelscope_##name[], texelscope_##name##_end[];                          \
    std::string_view name()                                                                        \
    {                                                                                              \
        return {texelscope_##name,                                                                 \
                static_cast<std::size_t>(texelscope_##name##_end - texelscope_##name)};            \
    }

namespace texelscope::workbench::store {

TEXELSCOPE_EMBED(h200_local_blocks, "h200-local-blocks.jsonl")
TEXELSCOPE_EMBED(training_steps, "training-steps.csv")

namespace {

TEXELSCOPE_EMBED(h200_tuning_packed, "h200-tuning.csv.zst")
TEXELSCOPE_EMBED(h200_tuning_large_packed, "h200-tuning-large.csv.zst")
TEXELSCOPE_EMBED(h200_dense_packed, "h200-dense.csv.zst")
TEXELSCOPE_EMBED(h100_tuning_packed, "h100-tuning.csv.zst")
TEXELSCOPE_EMBED(h100_tuning_large_packed, "h100-tuning-large.csv.zst")
TEXELSCOPE_EMBED(h100_parts_packed, "h100-parts.csv.zst")
TEXELSCOPE_EMBED(kernel_tuner_searches_text, "kernel-tuner-searches.csv")
TEXELSCOPE_EMBED(mesa_registers_packed, "mesa-registers.csv.zst")

std::string unpacked(std::string_view packed, const std::string& name)
{
    std::istringstream in{std::string(packed)};
    std::string text;
    read_stream(in, name, [&](std::istream& out) { text = base::rest_of(out); });
    return text;
}

std::vector<StoredResult> ran_of(std::string_view packed, const std::string& name)
{
    std::vector<StoredResult> results = parse_results_csv(unpacked(packed, name), name);
    std::erase_if(results,
                  [](const StoredResult& result) { return result.status != RunStatus::ok; });
    return results;
}

/// Shapes of the second list that are in the first as well are left out, so that the others are
/// shapes on which nothing was identified.
TuningMeasurements measurements(std::vector<StoredResult> small, std::vector<StoredResult> large)
{
    const auto shape_of = [](const StoredResult& result) {
        return std::tuple(result.op, result.shape, result.padding);
    };
    TuningMeasurements tuning{std::move(small), std::move(large)};
    std::set<std::tuple<std::string, std::string, std::string>> seen;
    for (const StoredResult& result : tuning.identified_on) {
        seen.insert(shape_of(result));
    }
    std::erase_if(tuning.others,
                  [&](const StoredResult& result) { return seen.contains(shape_of(result)); });
    return tuning;
}

} // namespace

std::vector<CompiledRow> compiled_kernels()
{
    const std::string name = "mesa-registers.csv.zst";
    const std::vector<std::vector<std::string>> lines =
        base::parse_csv(unpacked(mesa_registers_packed(), name), name);
    const auto column = [&](const char* title) {
        return static_cast<std::size_t>(std::find(lines[0].begin(), lines[0].end(), title) -
                                        lines[0].begin());
    };
    const std::size_t gpu = column("gpu"), op = column("op"), shape = column("shape"),
                      padding = column("padding"), config = column("config"),
                      registers = column("registers");
    std::vector<CompiledRow> rows;
    for (std::size_t i = 1; i < lines.size(); ++i) {
        const std::vector<std::string>& line = lines[i];
        rows.push_back({line.at(gpu), line.at(op), line.at(shape), line.at(padding),
                        line.at(config), std::stoi(line.at(registers))});
    }
    return rows;
}

TuningMeasurements h200_tuning()
{
    return measurements(ran_of(h200_tuning_packed(), "h200-tuning.csv.zst"),
                        ran_of(h200_tuning_large_packed(), "h200-tuning-large.csv.zst"));
}

TuningMeasurements h100_tuning()
{
    return measurements(ran_of(h100_tuning_packed(), "h100-tuning.csv.zst"),
                        ran_of(h100_tuning_large_packed(), "h100-tuning-large.csv.zst"));
}

std::vector<StoredResult> h200_dense()
{
    const std::string name = "h200-dense.csv.zst";
    return parse_results_csv(unpacked(h200_dense_packed(), name), name);
}

std::vector<KernelTunerSearch> kernel_tuner_searches()
{
    std::vector<KernelTunerSearch> searches;
    const std::vector<std::vector<std::string>> lines =
        base::parse_csv(kernel_tuner_searches_text(), "kernel-tuner-searches.csv");
    for (std::size_t i = 1; i < lines.size(); ++i) {
        const std::vector<std::string>& line = lines[i];
        KernelTunerSearch& search =
            searches.emplace_back(KernelTunerSearch{line.at(0),
                                                    line.at(1),
                                                    line.at(2),
                                                    std::stoi(line.at(3)),
                                                    line.at(4),
                                                    line.at(5).empty() ? 0 : std::stod(line.at(5)),
                                                    {}});
        if (!line.at(6).empty()) {
            search.value = std::stod(line.at(6));
        }
    }
    return searches;
}

std::vector<StoredResult> h100_parts()
{
    return ran_of(h100_parts_packed(), "h100-parts.csv.zst");
}

std::optional<TuningMeasurements> tuning_of(const std::string& profile)
{
    return profile == "nvidia-h100"   ? std::optional(h100_tuning())
           : profile == "nvidia-h200" ? std::optional(h200_tuning())
                                      : std::nullopt;
}

} // namespace texelscope::workbench::store
