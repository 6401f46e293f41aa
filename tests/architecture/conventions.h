#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "architecture/layers.h"

namespace turnout::architecture {

/// Every header says `#pragma once`.
Violations check_pragma_once(const std::vector<SourceFile>& files);

/// A header of core/ whose doc comments give a formula (an equals sign and, after it, an operator between spaces) also
/// works an example: the word "Example" in a doc comment.
Violations check_worked_examples(const std::vector<SourceFile>& files);

/// A file that names its interpreter in its first line (#!) can be executed, and no other file can.
Violations check_scripts_are_executable(const std::vector<SourceFile>& files);

/// No marks for work left over, in any file.
Violations check_no_unfinished_marks(const std::vector<SourceFile>& files);

/// No test that is switched off or skips itself.
Violations check_no_skipped_tests(const std::vector<SourceFile>& files);

/// The files of docs/decisions are named 0001-some-title.md, without a gap or a repeated number, and start with a
/// title. A README.md may lie beside them.
Violations check_decisions(const std::vector<SourceFile>& files);

/// Every .cc file of src/ and of tests/ is in compile_commands.json, whose text is given. `root` is the project's
/// folder.
Violations check_everything_is_built(const std::vector<SourceFile>& files, std::string_view root,
                                     std::string_view compile_commands);

/// Reads embedded.txt, which CMake writes: a line has a generated header and the file of the project that it holds.
std::map<std::string, std::string> parse_embedded(std::string_view text);

/// Every file of src/ that is not C++ (Lua, SQL, …) is embedded, and every embedded header is included somewhere in
/// src/. A README.md may lie in any folder.
Violations check_embedded(const std::vector<SourceFile>& files, const std::map<std::string, std::string>& embedded);

}  // namespace turnout::architecture
