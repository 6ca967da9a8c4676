#include "gui/start/shipped_file.hpp"

#include "base/error.hpp"

#include <QCoreApplication>
#include <filesystem>

namespace texelscope::gui {

std::string shipped_file(const std::string& name, const std::string& program_folder,
                         const std::string& sources)
{
    namespace fs = std::filesystem;
    // An installed program lies in bin/ beside share/.
    const fs::path installed = fs::path(program_folder).parent_path() / "share/texelscope" / name;
    const fs::path source = fs::path(sources) / "experiments" / name;
    std::error_code none;
    for (const fs::path& path : {installed, source}) {
        if (fs::is_regular_file(path, none)) {
            return path.string();
        }
    }
    throw missing("a file that comes with the program is not there: " + name,
                  installed.string() + ", " + source.string(),
                  "install the program again, or keep the sources where it was built from");
}

std::string shipped_file(const std::string& name)
{
    return shipped_file(name, QCoreApplication::applicationDirPath().toStdString(),
                        TEXELSCOPE_SOURCE);
}

} // namespace texelscope::gui
