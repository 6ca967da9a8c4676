#pragma once

#include "devices/jobs/job.hpp"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace texelscope::test {
using namespace devices;

/// Bytes of a job or a result in the form of the files, which holds everything that they are.
[[nodiscard]] std::string bytes_of(const std::vector<Job>& jobs);
[[nodiscard]] std::string bytes_of(const JobResult& result);

/// Any job that check_job() takes; few could run.
/// Three launches of two kernels over buffers of 64 numbers: the second and third read what those
/// before them write. stepped_output() is what comes of it.
[[nodiscard]] Job stepped_job(std::uint32_t seed);
/// A sum that goes on from run to run, a + sum of 64 numbers, and changes places with another
/// memory; in every second run twice of it is written beside it. Three rounds of numbers are fed in
/// turn, seven runs are made.
[[nodiscard]] Job going_on_job(std::uint32_t seed);
[[nodiscard]] std::vector<std::byte> stepped_output(const Job& job);
[[nodiscard]] Job random_job(std::mt19937& random);
[[nodiscard]] JobResult random_result(std::mt19937& random);

/// Every work-item adds to a buffer what it gets out of an image of each type of texel, a buffer,
/// local memory and two numbers; its outputs are the buffer and a written image. All values are
/// random.
[[nodiscard]] Job mixed_job(std::uint32_t seed);
/// What its outputs have to be, bit by bit: computed on the host.
[[nodiscard]] std::vector<std::vector<std::byte>> mixed_outputs(const Job& job);

/// Fills a buffer of one int with `value`.
[[nodiscard]] Job fill_job(std::int32_t value);
/// Copies the memory of an argument, which is its output.
[[nodiscard]] Job copy_job_of(JobWork work, JobArgument argument);
/// Writes where no memory is.
[[nodiscard]] Job crashing_job();
/// Never ends.
[[nodiscard]] Job hanging_job(double timeout_seconds);

/// The int that a result's only output holds.
[[nodiscard]] std::int32_t int_of(const JobResult& result);

} // namespace texelscope::test
