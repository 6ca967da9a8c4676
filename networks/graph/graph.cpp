#include "networks/graph/graph.hpp"

#include <utility>

namespace texelscope::networks {

ValueId Graph::add_value(std::string called, Shape shape)
{
    values.push_back({std::move(called), std::move(shape)});
    return static_cast<ValueId>(values.size() - 1);
}

ValueId Graph::add_constant(std::string called, Shape shape, std::vector<float> numbers)
{
    const ValueId id = add_value(std::move(called), std::move(shape));
    constants.emplace(id, std::move(numbers));
    return id;
}

} // namespace texelscope::networks
