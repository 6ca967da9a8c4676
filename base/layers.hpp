#pragma once

// Which folder sees the names of which: what tests/layers demands of includes, in the language. A folder is a namespace, and
// names of the folders below it need no qualification.

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
namespace experiments {
using namespace devices;
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
