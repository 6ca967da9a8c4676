#pragma once

// Which folder sees the names of which: what tests/layers demands of includes, in the language. A
// folder is a namespace, and so is each room of the workbench. Names of the folders below it need
// no qualification.

namespace texelscope {
namespace base {}
namespace traces {
using namespace base;
} // namespace traces
namespace sim {
using namespace traces;
} // namespace sim
namespace model {
using namespace sim;
} // namespace model
namespace codegen {
using namespace traces;
} // namespace codegen
namespace devices {
using namespace sim;
using namespace model;
using namespace codegen;
} // namespace devices
namespace networks {
using namespace devices;
} // namespace networks
namespace agent {
using namespace devices;
} // namespace agent
namespace workbench {
namespace plots {
using namespace sim;
} // namespace plots
namespace space {
using namespace devices;
} // namespace space
namespace study {
using namespace space;
} // namespace study
namespace kernel_logs {
using namespace devices;
} // namespace kernel_logs
namespace store {
using namespace kernel_logs;
using namespace study;
} // namespace store
namespace machines {
using namespace store;
} // namespace machines
namespace tuning {
using namespace store;
} // namespace tuning
namespace probes {
using namespace plots;
using namespace tuning;
} // namespace probes
namespace report {
using namespace plots;
using namespace study;
} // namespace report
namespace explain {
using namespace report;
} // namespace explain
namespace phones {
using namespace probes;
using namespace report;
using namespace machines;
} // namespace phones
namespace network_studies {
using namespace plots;
using namespace tuning;
} // namespace network_studies
} // namespace workbench
namespace experiments {
using namespace workbench::machines;
using namespace workbench::probes;
using namespace workbench::report;
using namespace workbench::explain;
using namespace workbench::phones;
using namespace workbench::network_studies;
} // namespace experiments
namespace cli {
using namespace experiments;
using namespace networks;
} // namespace cli
namespace gui {
using namespace experiments;
} // namespace gui
namespace python {
using namespace experiments;
} // namespace python
} // namespace texelscope
