#pragma once

#include "base/error.hpp"
#include "devices/targets/target.hpp"

#include <utility>

namespace texelscope::test {
using namespace devices;

/// A target that can do nothing: what tests of probes make theirs of.
class BareTarget : public Target {
public:
    explicit BareTarget(TargetInfo info) : info_(std::move(info)) {}

    [[nodiscard]] const TargetInfo& info() const override { return info_; }
    [[nodiscard]] std::vector<double> chase(const Chase&, int) override { fail(); }
    [[nodiscard]] std::vector<double> walk(const Walk&, int) override { fail(); }
    [[nodiscard]] std::vector<double> run(const ReadKernel&, int) override { fail(); }
    [[nodiscard]] std::vector<double> run(const Arithmetic&, int) override { fail(); }
    [[nodiscard]] std::vector<double> run(const Stream&, int) override { fail(); }
    [[nodiscard]] std::vector<double> run(const StorePattern&, int) override { fail(); }
    [[nodiscard]] std::vector<std::int32_t> arrival_order(const Dim3&) override { fail(); }
    [[nodiscard]] std::vector<double> copy(const Transfer&, int) override { fail(); }
    [[nodiscard]] std::vector<double> launch_overhead(int) override { fail(); }
    [[nodiscard]] Conditions conditions() override { fail(); }

private:
    [[noreturn]] void fail() const { throw missing("this target cannot do that", info_.name); }

    TargetInfo info_;
};

} // namespace texelscope::test
