#include "workbench/network_studies/policies/layout_policy.hpp"

#include "base/error.hpp"
#include "workbench/network_studies/policies/policy_rules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace texelscope::workbench::network_studies {

codegen::TensorLayout laid_out(const LayoutPolicy& policy, const ValueToLay& value)
{
    codegen::TensorLayout layout = policy.layout(value);
    layout.storage = value.plan.layouts[static_cast<std::size_t>(value.value)]->storage;
    return layout;
}

std::span<const LayoutPolicy> layout_policies()
{
    static const std::array rows{mnn_policy(),        mldrift_policy(),  tvm_policy(),
                                 executorch_policy(), tinygrad_policy(), smartmem_policy()};
    return rows;
}

const LayoutPolicy& find_policy(const std::string& key)
{
    const auto found = std::ranges::find(layout_policies(), key, &LayoutPolicy::key);
    if (found == layout_policies().end()) {
        throw bad_input("there is no policy '" + key + "'", "--policy",
                        fmt::format("policies are {}", fmt::join(policy_keys(), ", ")));
    }
    return *found;
}

std::vector<std::string> policy_keys()
{
    std::vector<std::string> keys{"ours"};
    for (const LayoutPolicy& policy : layout_policies()) {
        keys.emplace_back(policy.key);
    }
    return keys;
}

} // namespace texelscope::workbench::network_studies
