#pragma once

#include "base/layers.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::workbench::explain {

/// A parameter of a kernel as it was declared.
struct KernelParameter {
    std::string name;
    std::string type;    ///< "image2d_t", "float4*", "int"
    std::string address; ///< "global", "constant", "local", "private"
    std::string access;  ///< "read_only" ...; "none" for what is no image

    [[nodiscard]] bool is_image() const { return type.starts_with("image"); }
    /// "read_only image2d_t A".
    [[nodiscard]] std::string declaration() const;
};

struct KernelSignature {
    std::string name;
    std::array<std::int64_t, 3> required_local{}; ///< reqd_work_group_size; 0: none
    std::int64_t local_bytes = 0;                 ///< local memory that its text declares
    std::vector<KernelParameter> parameters;
};

/// What texelscope-run-kernel (traces/capture/run_kernel.c) tells of a program's kernels. Throws
/// bad_input, with the first error of the compiler, where the program could not be built or the
/// launch failed; `where`: the file, for messages. `text`: the program, whose `#line` say which
/// file and line of the user's an error is in.
[[nodiscard]] std::vector<KernelSignature>
parse_signatures(const std::string& answer, const std::string& where, const std::string& text = {});

/// The kernel of that name, or the only one. Throws bad_input, with the names, where there is none.
[[nodiscard]] const KernelSignature& chosen_kernel(const std::vector<KernelSignature>& kernels,
                                                   const std::string& name,
                                                   const std::string& where);

} // namespace texelscope::workbench::explain
