#include "gui/study/study_files.hpp"

#include "base/atomic_file.hpp"
#include "gui/study/study_form.hpp"
#include "gui/widgets/file_kind.hpp"
#include "gui/widgets/window_settings.hpp"

#include <QAction>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <utility>

namespace texelscope::gui {
namespace {

constexpr qsizetype most_recent = 8;
constexpr const char* recent_key = "files/recent";

} // namespace

StudyFiles::StudyFiles(QWidget* window, std::function<StudyForm()> present, bool remember)
    : QObject(window), window_(window), present_(std::move(present)), remember_(remember)
{
    read_recent();
}

void StudyFiles::add_to(QMenu& menu)
{
    const auto add = [&](const QString& text, const QKeySequence& keys, void (StudyFiles::*slot)()) {
        QAction* entry = menu.addAction(text);
        entry->setShortcut(keys);
        connect(entry, &QAction::triggered, this, slot);
    };
    add(tr("&Open…"), QKeySequence::Open, &StudyFiles::ask_and_open);
    recent_menu_ = menu.addMenu(tr("Open &recent"));
    recent_menu_->setObjectName("recent_menu");
    connect(&menu, &QMenu::aboutToShow, this, [this] {
        read_recent();
        show_recent();
    });
    add(tr("&Save study"), QKeySequence::Save, &StudyFiles::save_or_ask);
    add(tr("Save study &as…"), QKeySequence(tr("Ctrl+Shift+S")), &StudyFiles::ask_and_save);
    menu.addSeparator();
    show_recent();
}

void StudyFiles::open(const QString& path)
{
    const QString absolute = QFileInfo(path).absoluteFilePath();
    if (!QFileInfo::exists(path) && recent_.contains(absolute)) {
        forget(absolute);
        emit failed(tr("%1: the file is not there any more; it was taken off the recent files").arg(path));
        return;
    }
    try {
        const FileKind kind = file_kind(path.toStdString());
        StudyForm form;
        if (kind == FileKind::study || kind == FileKind::profile) {
            form = gui::opened(path.toStdString(), present_());
        }
        remember(path);
        switch (kind) {
        case FileKind::study:
            path_ = path;
            return emit opened(form);
        case FileKind::profile:
            return emit opened(form);
        case FileKind::trace:
            return emit trace_opened(absolute);
        case FileKind::store:
            return emit store_opened(absolute);
        case FileKind::report:
            return emit report_opened(absolute);
        }
    } catch (const std::exception& error) {
        emit failed(error.what());
    }
}

void StudyFiles::save(const QString& path)
{
    try {
        write_file_atomically(path.toStdString(), to_xml(present_()));
        path_ = path;
        remember(path);
        emit saved(path);
    } catch (const std::exception& error) {
        emit failed(error.what());
    }
}

void StudyFiles::ask_and_open()
{
    const QString path = QFileDialog::getOpenFileName(window_, tr("Open a study, profile, trace, store or report"),
                                                      QFileInfo(path_).path(),
                                                      tr("All files (*);;Studies and profiles (*.xml);;"
                                                         "Traces (*.tst *.csv *.csv.gz *.csv.zst);;"
                                                         "Stores of results (*.db *.sqlite);;Reports (*.html)"));
    if (!path.isEmpty()) {
        open(path);
    }
}

void StudyFiles::save_or_ask()
{
    path_.isEmpty() ? ask_and_save() : save(path_);
}

void StudyFiles::ask_and_save()
{
    QString path = QFileDialog::getSaveFileName(
        window_, tr("Save the study"), path_.isEmpty() ? QStringLiteral("study.xml") : path_, tr("Studies (*.xml)"));
    if (path.isEmpty()) {
        return;
    }
    if (!path.endsWith(".xml")) { // or it could not be opened again
        path += ".xml";
    }
    save(path);
}

void StudyFiles::read_recent()
{
    if (remember_) {
        recent_ = window_settings().value(recent_key).toStringList();
    }
}

void StudyFiles::forget(const QString& absolute)
{
    recent_.removeAll(absolute);
    if (remember_) {
        window_settings().setValue(recent_key, recent_);
    }
    show_recent();
}

void StudyFiles::remember(const QString& path)
{
    read_recent();
    const QString absolute = QFileInfo(path).absoluteFilePath();
    recent_.removeAll(absolute);
    recent_.prepend(absolute);
    recent_.resize(std::min(recent_.size(), most_recent));
    if (remember_) {
        window_settings().setValue(recent_key, recent_);
    }
    show_recent();
}

void StudyFiles::show_recent()
{
    if (recent_menu_ == nullptr) {
        return;
    }
    recent_menu_->clear();
    recent_menu_->setEnabled(!recent_.isEmpty());
    for (const QString& path : recent_) {
        connect(recent_menu_->addAction(path), &QAction::triggered, this, [this, path] { open(path); });
    }
}

} // namespace texelscope::gui
