#include "networks/onnx/functions.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>
#include <variant>

namespace texelscope::networks {
namespace {

constexpr std::size_t most_made_nodes = std::size_t{1} << 17;
/// Numbers in attributes, such as weights that each call has again, and letters of names.
constexpr std::size_t most_made_numbers = std::size_t{1} << 26;
constexpr int deepest = 32;

std::size_t numbers_in(const OnnxNode& node)
{
    std::size_t sum = 0;
    for (const auto& [name, value] : node.attributes.all()) {
        if (const auto* const array = std::get_if<Array>(&value)) {
            sum += static_cast<std::size_t>(element_count(array->shape));
        }
    }
    return sum;
}

class FunctionWriter {
public:
    FunctionWriter(OnnxFile& file, const std::vector<OnnxFunction>& functions) : file_(file)
    {
        for (const OnnxFunction& function : functions) {
            functions_.try_emplace({function.domain, function.name, function.overload}, &function);
        }
        for (const auto* const values : {&file.inputs, &file.outputs}) {
            for (const OnnxValue& value : *values) {
                names_.insert(value.name);
            }
        }
        for (const auto& [name, array] : file.constants) {
            names_.insert(name);
        }
        for (const OnnxNode& node : file.nodes) {
            names_.insert(node.outputs.begin(), node.outputs.end());
        }
    }

    void write()
    {
        for (OnnxNode& node : std::exchange(file_.nodes, {})) {
            add(std::move(node), 0);
        }
    }

private:
    void add(OnnxNode node, int depth)
    {
        const auto found = functions_.find({node.domain, node.op, node.overload});
        if (found != functions_.end()) {
            call(node, *found->second, depth);
            return;
        }
        if (depth > 0) {
            count(1, numbers_in(node));
        }
        file_.nodes.push_back(std::move(node));
    }

    void call(const OnnxNode& node, const OnnxFunction& function, int depth)
    {
        if (depth == deepest) {
            throw bad_input("it calls itself", "function '" + function.name + "'");
        }
        count(1, 0);
        if (node.inputs.size() > function.inputs.size() ||
            node.outputs.size() > function.outputs.size()) {
            throw bad_input(fmt::format("it has {} inputs and {} outputs, and is called with {} "
                                        "and {}",
                                        function.inputs.size(), function.outputs.size(),
                                        node.inputs.size(), node.outputs.size()),
                            "function '" + function.name + "'");
        }
        // An output that the call does not want has a name of its own within the call.
        std::map<std::string, std::string> outside;
        for (std::size_t i = 0; i < function.outputs.size(); ++i) {
            if (i < node.outputs.size() && !node.outputs[i].empty()) {
                outside.emplace(function.outputs[i], node.outputs[i]);
            }
        }
        for (std::size_t i = 0; i < function.inputs.size(); ++i) {
            const std::string given = i < node.inputs.size() ? node.inputs[i] : "";
            if (const auto [both, fresh] = outside.emplace(function.inputs[i], given); !fresh) {
                handed_on(given, both->second, node);
                both->second = given;
            }
        }
        const std::string& own = !node.name.empty()     ? node.name
                                 : node.outputs.empty() ? function.name
                                                        : node.outputs.front();
        const auto named = [&](std::string& name) {
            if (!name.empty()) {
                const auto [known, fresh] = outside.emplace(name, "");
                known->second = fresh ? fresh_name(own + "/" + name) : known->second;
                name = known->second;
            }
        };
        for (OnnxNode inner : function.nodes) {
            for (const auto& [name, given_as] : inner.references) {
                for (const Attributes* from : {&node.attributes, &function.defaults.attributes}) {
                    if (from->has(given_as)) {
                        inner.attributes.set(name, from->all().at(given_as));
                        break;
                    }
                }
            }
            inner.references.clear();
            inner.refused = inner.refused.empty() ? node.refused : inner.refused;
            inner.name = inner.name.empty() ? "" : own + "/" + inner.name;
            inner.opset = function.opset != 0 ? function.opset : node.opset;
            std::ranges::for_each(inner.inputs, named);
            std::ranges::for_each(inner.outputs, named);
            add(std::move(inner), depth + 1);
        }
    }

    void count(std::size_t nodes, std::size_t numbers)
    {
        nodes_ += nodes;
        numbers_ += numbers;
        if (nodes_ > most_made_nodes || numbers_ > most_made_numbers) {
            throw bad_input("its functions make more nodes than any network has");
        }
    }

    /// An output of a function that is one of its inputs.
    void handed_on(const std::string& input, const std::string& output, const OnnxNode& node)
    {
        OnnxNode same{.name = output,
                      .op = "Identity",
                      .domain = {},
                      .inputs = {input},
                      .outputs = {output},
                      .attributes = {}};
        same.opset = node.opset;
        file_.nodes.push_back(std::move(same));
    }

    std::string fresh_name(const std::string& wanted)
    {
        count(0, wanted.size());
        std::string name = wanted;
        for (int number = 2; !names_.insert(name).second; ++number) {
            name = fmt::format("{}.{}", wanted, number);
        }
        return name;
    }

    OnnxFile& file_;
    std::map<std::tuple<std::string, std::string, std::string>, const OnnxFunction*> functions_;
    std::set<std::string> names_;
    std::size_t nodes_ = 0; ///< made by functions, and calls
    std::size_t numbers_ = 0;
};

} // namespace

void write_out_functions(OnnxFile& file, const std::vector<OnnxFunction>& functions)
{
    FunctionWriter(file, functions).write();
}

} // namespace texelscope::networks
