#include "networks/models/models.hpp"

#include <algorithm>
#include <iterator>

namespace texelscope::networks {

const std::vector<BuiltInModel>& built_in_models()
{
    static const std::vector<BuiltInModel> all = [] {
        std::vector<BuiltInModel> models;
        for (auto family : {mobile_models, residual_models, plain_models, concatenating_models, searched_models,
                            transformer_models}) {
            std::ranges::move(family(), std::back_inserter(models));
        }
        return models;
    }();
    return all;
}

const BuiltInModel* find_model(const std::string& name)
{
    const auto found = std::ranges::find(built_in_models(), name, &BuiltInModel::name);
    return found == built_in_models().end() ? nullptr : &*found;
}

} // namespace texelscope::networks
