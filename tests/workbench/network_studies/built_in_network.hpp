#pragma once

#include "networks/models/models.hpp"
#include "networks/passes/simplify.hpp"

#include <string>

namespace texelscope::test {

/// A built-in network as the planner gets it.
inline networks::Graph built_in_network(const std::string& name)
{
    return networks::simplified(networks::find_model(name)->make(1, 7));
}

} // namespace texelscope::test
