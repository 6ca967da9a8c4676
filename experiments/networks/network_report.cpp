#include "experiments/networks/network_report.hpp"
namespace texelscope::experiments {
std::string network_report(const JudgedNetwork& network) { return network.profile; }
}
