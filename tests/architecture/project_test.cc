// Holds the project itself to the rules.

#include <gtest/gtest.h>

#include <algorithm>

#include "architecture/conventions.h"
#include "architecture/layers.h"
#include "architecture/sizes.h"
#include "architecture/source_file.h"

namespace turnout::architecture {
namespace {

const std::filesystem::path kRoot = TURNOUT_SOURCE_DIR;
const std::filesystem::path kBuild = TURNOUT_BUILD_DIR;

/// One violation a line, so that a failure names them all.
std::string listed(const Violations& violations) {
  std::string text;
  for (const std::string& violation : violations) text += violation + "\n";
  return text;
}

std::vector<SourceFile> read_folders(const std::vector<std::string_view>& folders) {
  std::vector<SourceFile> files;
  for (const std::string_view folder : folders) {
    std::ranges::move(read_folder(kRoot, folder), std::back_inserter(files));
  }
  return files;
}

const std::vector<SourceFile>& sources() {
  static const std::vector<SourceFile> files = read_folders({"src"});
  return files;
}

const std::vector<SourceFile>& sources_and_tests() {
  static const std::vector<SourceFile> files = read_folders({"src", "tests"});
  return files;
}

std::vector<Layer> layers() { return parse_layers(read_text(kBuild / "layers.txt")); }

std::map<std::string, std::string> embedded() { return parse_embedded(read_text(kBuild / "embedded.txt")); }

TEST(Project, IsFound) {
  EXPECT_FALSE(sources().empty());
  EXPECT_FALSE(layers().empty());
}

TEST(Project, LayersIncludeOnlyWhatTheyDeclare) {
  std::set<std::string> generated;
  for (const auto& [header, file] : embedded()) generated.insert(header);
  EXPECT_EQ(listed(check_layers(sources(), layers(), generated)), "");
  EXPECT_EQ(listed(check_layer_order(layers())), "");
}

TEST(Project, OnlyTheOutermostLayersNameABackend) { EXPECT_EQ(listed(check_backend_users(layers())), ""); }

TEST(Project, OnlyHttpUsesBeast) { EXPECT_EQ(listed(check_beast_users(sources())), ""); }

TEST(Project, CoreIsPure) { EXPECT_EQ(listed(check_core_is_pure(sources())), ""); }

TEST(Project, FilesAndFunctionsAreSmall) {
  EXPECT_EQ(listed(check_file_sizes(sources())), "");
  EXPECT_EQ(listed(check_function_sizes(sources())), "");
}

TEST(Project, HeadersAreIncludedOnce) { EXPECT_EQ(listed(check_pragma_once(sources_and_tests())), ""); }

TEST(Project, FormulasHaveWorkedExamples) { EXPECT_EQ(listed(check_worked_examples(sources())), ""); }

TEST(Project, ScriptsAreExecutable) {
  EXPECT_EQ(listed(check_scripts_are_executable(read_folders({"src", "tests", "bench", "cmake", "scripts", "docs"}))),
            "");
}

TEST(Project, NothingIsLeftUnfinished) {
  const auto files = read_folders({"src", "tests", "bench", "cmake", "scripts", "deploy", "docs"});
  EXPECT_EQ(listed(check_no_unfinished_marks(files)), "");
}

TEST(Project, NoTestIsSwitchedOff) { EXPECT_EQ(listed(check_no_skipped_tests(read_folders({"tests"}))), ""); }

TEST(Project, DecisionsAreNumberedAndTitled) {
  EXPECT_EQ(listed(check_decisions(read_folders({"docs/decisions"}))), "");
}

TEST(Project, EveryFileIsBuilt) {
  const std::string commands = read_text(kBuild / "compile_commands.json");
  EXPECT_EQ(listed(check_everything_is_built(sources_and_tests(), kRoot.string(), commands)), "");
}

TEST(Project, EmbeddedFilesAreUsed) { EXPECT_EQ(listed(check_embedded(sources(), embedded())), ""); }

}  // namespace
}  // namespace turnout::architecture
