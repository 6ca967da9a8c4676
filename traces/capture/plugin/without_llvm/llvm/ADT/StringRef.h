#pragma once

// Stands in for LLVM's header of that name, which Oclgrind's Kernel.h includes: the plugin calls nothing that returns a
// StringRef, so a declaration is enough, and LLVM's headers need not be installed.
namespace llvm {
class StringRef;
}
