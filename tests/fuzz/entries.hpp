#pragma once

#include "tests/fuzz/mutation.hpp"

#include <span>
#include <string_view>

// What the fuzzers run, and what the tests replay the corpora through: one entry for each reader of
// what a user may have got from elsewhere. readers.txt has the same names, with the source files
// that each is there for.

namespace texelscope::fuzz {

/// Takes any bytes and returns whether they were good input (true) or were refused as bad input
/// (false). Throws std::logic_error where something that holds for all good input does not hold;
/// any other exception is a finding, too.
using Entry = bool (*)(std::string_view input);

struct Reader {
    std::string_view name;
    Entry entry;
    Mutator mutator = nullptr; ///< null: libFuzzer's own
};

/// All of them, by name.
[[nodiscard]] std::span<const Reader> readers();

// Texts of the command line and of files.
bool layout(std::string_view input);
bool schedule(std::string_view input);
bool condition(std::string_view input);
bool diff_condition(std::string_view input);
bool operator_text(std::string_view input);
bool image(std::string_view input);
bool override_text(std::string_view input);
bool parts(std::string_view input);
bool kernel_argument(std::string_view input);

// Documents.
bool profile(std::string_view input);
bool study(std::string_view input);
bool calibration(std::string_view input);
bool json_result(std::string_view input);
bool probe_record(std::string_view input);
bool experiment(std::string_view input);
bool machines(std::string_view input);
bool machine_search(std::string_view input);
bool figures(std::string_view input);

// Arrays and networks.
bool npy(std::string_view input);
bool onnx(std::string_view input);
bool onnx_tensor(std::string_view input);

// Traces and measured walks.
bool native(std::string_view input);
bool csv(std::string_view input);
bool din(std::string_view input);
bool din_binary(std::string_view input);
bool oracle_general(std::string_view input);
bool traceg(std::string_view input);
bool addresses(std::string_view input);
bool spool(std::string_view input);
bool packed(std::string_view input);
bool walks(std::string_view input);
bool latencies(std::string_view input);
bool archprobe(std::string_view input);

// Jobs, and what other programs say.
bool jobs(std::string_view input);
bool result_log(std::string_view input);
bool device_listing(std::string_view input);
bool worker_messages(std::string_view input);
bool checkpoint(std::string_view input);
bool compiler_output(std::string_view input);
bool build_log(std::string_view input);

// Results.
bool store(std::string_view input);
bool kernel_tuner(std::string_view input);
bool t4(std::string_view input);
bool results_csv(std::string_view input);
bool run_results(std::string_view input);
bool autotvm_log(std::string_view input);

} // namespace texelscope::fuzz
