#pragma once

#include "codegen/loop_nest.hpp"
#include "codegen/matmul.hpp"
#include "codegen/schedule.hpp"

#include <string>
#include <variant>
#include <vector>

namespace texelscope {

/// The closed set of operators. An operator is a value with
///   std::string name() const;                       as on the command line
///   std::vector<std::int64_t> shape() const;        as on the command line
///   std::vector<Tensor> inputs() const;  Tensor output() const;
///   LoopNest nest(const Schedule&) const;           throws bad_input, with the reason, for an illegal schedule
///   std::vector<float> reference(inputs) const;     slow, obvious, double accumulation
///   double tolerance() const;                       relative error allowed for float32 accumulation
using Operator = std::variant<MatMul>;

/// From `--op NAME --shape M,N,K`. Throws bad_input for an unknown operator or a shape that it does not take.
[[nodiscard]] Operator parse_operator(const std::string& name, const std::string& shape);

[[nodiscard]] std::string name(const Operator& op);
[[nodiscard]] std::vector<std::int64_t> shape(const Operator& op);
[[nodiscard]] std::string to_string(const Operator& op); ///< "matmul 64,64,64"
[[nodiscard]] std::vector<Tensor> inputs(const Operator& op);
[[nodiscard]] Tensor output(const Operator& op);
[[nodiscard]] LoopNest loop_nest(const Operator& op, const Schedule& schedule);
[[nodiscard]] std::vector<float> reference(const Operator& op, const std::vector<std::vector<float>>& inputs);
[[nodiscard]] double tolerance(const Operator& op);
/// A schedule that is always legal, for starting out.
[[nodiscard]] Schedule default_schedule(const Operator& op);

} // namespace texelscope
