#include "workbench/study/judge.hpp"

namespace texelscope::workbench::study {

std::string to_string(Judge judge)
{
    return judge == Judge::model ? "model" : judge == Judge::simulator ? "simulator" : "device";
}

std::string time_word(Judge judge)
{
    return judge == Judge::model       ? "predicted"
           : judge == Judge::simulator ? "simulated"
                                       : "measured";
}

} // namespace texelscope::workbench::study
