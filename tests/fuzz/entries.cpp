#include "tests/fuzz/entries.hpp"

#include <array>

namespace texelscope::fuzz {

std::span<const Reader> readers()
{
    static constexpr auto all = std::to_array<Reader>({
        {"addresses", addresses},
        {"archprobe", archprobe},
        {"autotvm_log", autotvm_log},
        {"build_log", build_log},
        {"calibration", calibration},
        {"checkpoint", checkpoint, mutate_record},
        {"compiler_output", compiler_output},
        {"condition", condition},
        {"csv", csv},
        {"diff_condition", diff_condition},
        {"device_listing", device_listing, mutate_record},
        {"din", din},
        {"din_binary", din_binary, mutate_din_records},
        {"experiment", experiment},
        {"figures", figures},
        {"image", image},
        {"jobs", jobs, mutate_record},
        {"json_result", json_result},
        {"kernel_argument", kernel_argument},
        {"kernel_tuner", kernel_tuner},
        {"latencies", latencies},
        {"layout", layout},
        {"machine_search", machine_search},
        {"machines", machines},
        {"native", native, mutate_native},
        {"npy", npy, mutate_npy},
        {"onnx", onnx, mutate_protobuf},
        {"onnx_tensor", onnx_tensor, mutate_protobuf},
        {"operator", operator_text},
        {"oracle_general", oracle_general, mutate_oracle_records},
        {"override", override_text},
        {"packed", packed, mutate_packed},
        {"parts", parts},
        {"probe_record", probe_record},
        {"profile", profile},
        {"result_log", result_log, mutate_record},
        {"results_csv", results_csv},
        {"run_results", run_results},
        {"schedule", schedule},
        {"spool", spool, mutate_spool},
        {"store", store, mutate_store},
        {"study", study},
        {"t4", t4},
        {"traceg", traceg},
        {"walks", walks},
        {"worker_messages", worker_messages},
    });
    return all;
}

} // namespace texelscope::fuzz
