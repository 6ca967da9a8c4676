#include "networks/models/models.hpp"

#include "base/error.hpp"
#include "networks/onnx/read_onnx.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>

namespace texelscope::networks {

const std::vector<BuiltInModel>& built_in_models()
{
    static const std::vector<BuiltInModel> all = [] {
        std::vector<BuiltInModel> models;
        for (auto family : {mobile_models, residual_models, plain_models, concatenating_models,
                            searched_models, transformer_models}) {
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

Graph open_network(const std::string& name_or_file, std::int64_t batch, std::uint64_t seed,
                   const std::map<std::string, Shape>& shapes)
{
    if (const BuiltInModel* const built_in = find_model(name_or_file)) {
        if (!shapes.empty()) {
            throw bad_input("shapes are given to ONNX files, and it is a built-in network",
                            name_or_file, "leave out --shape, or give --batch");
        }
        return built_in->make(batch, seed);
    }
    if (!std::filesystem::exists(name_or_file)) {
        std::string names;
        for (const BuiltInModel& each : built_in_models()) {
            names += (names.empty() ? "" : ", ") + each.name;
        }
        throw bad_input("there is no such file, and no built-in network of that name", name_or_file,
                        "networks are " + names);
    }
    OnnxOptions options;
    options.batch = batch;
    options.shapes = shapes;
    return read_onnx(name_or_file, options);
}

} // namespace texelscope::networks
