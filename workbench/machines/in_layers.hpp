#pragma once
#include "base/layers.hpp"
namespace texelscope {
namespace workbench::machines {
using namespace store;
} // namespace workbench::machines
namespace experiments {
using namespace workbench::machines;
} // namespace experiments
} // namespace texelscope
