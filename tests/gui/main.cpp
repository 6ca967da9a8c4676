#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include <QApplication>

int main(int argc, char** argv)
{
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) {
        // also where the tests are only listed, which the build does
        qputenv("QT_QPA_PLATFORM", "offscreen");
    }
#if defined(__SANITIZE_ADDRESS__)
    // The window's tests run kernels on PoCL alone: Mesa's drivers, which the loader would load as
    // well, leak as they start.
    qputenv("OCL_ICD_VENDORS", "/etc/OpenCL/vendors/pocl.icd");
#endif
    int qt_argc = 1; // the arguments are Catch2's
    QApplication application(qt_argc, argv);
    return Catch::Session().run(argc, argv);
}
