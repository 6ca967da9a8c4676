#pragma once

#include "tests/base/temporary_folder.hpp"
#include "tests/devices/kept_compilation.hpp"

#include <QByteArray>
#include <QtGlobal>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

namespace texelscope::test {

/// A variable of the environment that has another value as long as this lives.
class ChangedVariable {
public:
    ChangedVariable(const char* name, const std::string& value)
        : name_(name), before_(qgetenv(name)), was_set_(qEnvironmentVariableIsSet(name))
    {
        qputenv(name, QByteArray::fromStdString(value));
    }
    ~ChangedVariable() { was_set_ ? qputenv(name_, before_) : qunsetenv(name_); }
    ChangedVariable(const ChangedVariable&) = delete;
    ChangedVariable& operator=(const ChangedVariable&) = delete;

private:
    const char* name_;
    QByteArray before_;
    bool was_set_;
};

/// Stands for the compiler for Adreno, where the window looks for it: answers each kernel with what
/// a real one printed about one. It is a script in the place of the command that enters the
/// compiler's folder.
class FakeCompiler {
public:
    FakeCompiler()
    {
        const std::filesystem::path kit = folder_.file("cache/texelscope/compilers/amd64/kit");
        std::filesystem::create_directories(kit);
        std::filesystem::create_directories(kit.parent_path() / "tmp");
        std::ofstream(kit / "bytes") << "1\n";
        std::ofstream(kit / "version") << "26.1.6\n";
        std::ofstream(kit / "source") << base::sha256(devices::build_kernel_c());
        print("matmul-adreno-740");
    }

    /// What it says of kernels from now on, as tests/data/compilers has it.
    void print(const std::string& name)
    {
        const std::string text = printed_by_compiler(name);
        const std::string printed =
            folder_.write("printed", text.substr(text.find('\n') + 1)); // without the driver's line
        write_script("echo 'driver 26.1.6'\nn=0\n"
                     "for word; do case $word in *.cl) echo file $n; cat " +
                     printed + "; n=$((n + 1));; esac; done\necho end\n");
    }
    /// From now on it refuses every kernel.
    void refuse()
    {
        write_script("echo 'driver 26.1.6'\nn=0\n"
                     "for word; do case $word in *.cl) echo file $n; echo 'failed -11'; echo "
                     "'error: no such type'; "
                     "n=$((n + 1));; esac; done\necho end\n");
    }
    /// From now on it does not come to an end.
    void hang() { write_script("echo $$ > " + folder_.file("process") + "\nexec sleep 600\n"); }
    /// Whether one that hangs is still there; nothing before it has begun.
    [[nodiscard]] bool hangs() const
    {
        pid_t process = 0;
        std::ifstream(folder_.file("process")) >> process;
        return process > 0 && kill(process, 0) == 0;
    }

private:
    void write_script(const std::string& lines)
    {
        const std::string script = folder_.write("env", "#!/bin/sh\n" + lines);
        std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    }

    TemporaryFolder folder_;
    ChangedVariable cache_{"XDG_CACHE_HOME", folder_.file("cache")};
    ChangedVariable path_{"PATH", folder_.file("") + ":" + qgetenv("PATH").toStdString()};
};

/// Where no compilers are.
class NoCompilers {
    TemporaryFolder folder_;
    ChangedVariable cache_{"XDG_CACHE_HOME", folder_.file("cache")};
};

} // namespace texelscope::test
