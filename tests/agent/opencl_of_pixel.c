// Stands in for libOpenCL-pixel.so of Google's phones: it exports no OpenCL function, but two others. enableOpenCL() has to be
// called first; then loadOpenCLPointer() gives each function by its name, here that of the system's OpenCL loader. LACKS: one that
// it does not have.
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

static void* library;

__attribute__((visibility("default"))) void enableOpenCL(void)
{
    library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
}

__attribute__((visibility("default"))) void* loadOpenCLPointer(const char* name)
{
    return library == NULL || strcmp(name, LACKS) == 0 ? NULL : dlsym(library, name);
}
