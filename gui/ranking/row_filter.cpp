#include "gui/ranking/row_filter.hpp"

#include "base/error.hpp"
#include "experiments/space/tunable_parameters.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace texelscope::gui {
namespace {

std::vector<std::string> words_of(const std::string& text)
{
    std::istringstream in(text);
    std::vector<std::string> words;
    for (std::string word; in >> word;) {
        std::transform(word.begin(), word.end(), word.begin(),
                       [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
        words.push_back(std::move(word));
    }
    return words;
}

} // namespace

std::vector<std::string> parameter_names(const Operator& op)
{
    Schedule any;
    any.patterns.resize(op.inputs.size());
    std::vector<std::string> names;
    for (const auto& [name, value] : all_parameters(any, op.inputs.size() + 1)) {
        names.push_back(name);
    }
    return names;
}

bool is_condition(const std::string& text, const Operator& op)
{
    for (const char* sign : {"==", "!=", "<", ">"}) {
        if (text.find(sign) != std::string::npos) {
            return true;
        }
    }
    const std::vector<std::string> names = parameter_names(op);
    const std::vector<std::string> words = words_of(text);
    return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
        return std::find(names.begin(), names.end(), word) != names.end();
    });
}

RowFilter row_filter(const std::string& text, const Operator& op)
{
    if (!is_condition(text, op)) {
        return {{}, words_of(text)};
    }
    return {constraints({text}, op), {}};
}

} // namespace texelscope::gui
