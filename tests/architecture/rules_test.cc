// Every rule is shown something that keeps it and something that breaks it: a rule that cannot fail checks nothing.

#include <gtest/gtest.h>

#include "architecture/conventions.h"
#include "architecture/layers.h"
#include "architecture/sizes.h"
#include "architecture/source_file.h"

namespace turnout::architecture {
namespace {

std::string repeat(std::string_view line, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += line;
  return text;
}

const std::vector<Layer>& some_layers() {
  static const std::vector<Layer> layers = parse_layers(
      "base base \n"
      "core core base\n"
      "store store base;core\n"
      "store_file store/file base;core;store\n"
      "http http base\n");
  return layers;
}

Violations layer_violations(const SourceFile& file) {
  const std::vector<SourceFile> files = {
      file, {"src/base/text.h", ""}, {"src/core/decide.h", ""}, {"src/store/file/file.h", ""}};
  return check_layers(files, some_layers(), {"core/generated.h"});
}

TEST(Includes, AreReadWithTheirLineAndKind) {
  const auto includes = includes_of({"src/core/a.h", "#pragma once\n#include <vector>\n\n#include \"base/text.h\"\n"});
  ASSERT_EQ(includes.size(), 2U);
  EXPECT_EQ(includes[0].target, "vector");
  EXPECT_FALSE(includes[0].quoted);
  EXPECT_EQ(includes[1].target, "base/text.h");
  EXPECT_TRUE(includes[1].quoted);
  EXPECT_EQ(includes[1].line, 4U);
}

TEST(CodeOnly, BlanksEverythingThatIsNotCode) {
  struct Case {
    std::string text;
    std::string code;
  };
  const std::vector<Case> cases = {
      {"int a; // x{\nint b;", "int a;      \nint b;"},
      {"a /* {\n } */ b", "a     \n      b"},
      {R"(f("{\"}", '{');)", "f(      ,    );"},
      {"R\"x({)\"})x\" y", "            y"},
      {"1'000'000 {", "1'000'000 {"},
      {"  #define A {\\\n  }\nb", "              \n   \nb"},
  };
  for (const auto& [text, code] : cases) EXPECT_EQ(code_only(text), code) << text;
}

TEST(HasWord, NeedsWordBoundaries) {
  EXPECT_TRUE(has_word("a cout b", "cout"));
  EXPECT_TRUE(has_word("scout cout", "cout"));
  EXPECT_FALSE(has_word("scout couts my_cout", "cout"));
}

TEST(Layers, AllowsOwnLayerAndDeclaredOnes) {
  EXPECT_EQ(layer_violations({"src/core/a.cc", "#include \"core/decide.h\"\n#include \"base/text.h\"\n"}),
            Violations{});
  EXPECT_EQ(layer_violations({"src/core/a.cc", "#include \"core/generated.h\"\n"}), Violations{});
  EXPECT_EQ(layer_violations({"src/store/file/a.cc", "#include \"core/decide.h\"\n"}), Violations{});
}

TEST(Layers, RefusesOthers) {
  EXPECT_EQ(layer_violations({"src/base/a.h", "#include \"core/decide.h\"\n"}),
            Violations{"src/base/a.h:1 includes core/decide.h, but base does not depend on core"});
  EXPECT_EQ(layer_violations({"src/store/a.h", "#include \"store/file/file.h\"\n"}),
            Violations{"src/store/a.h:1 includes store/file/file.h, but store does not depend on store_file"});
  EXPECT_EQ(layer_violations({"src/core/a.h", "#include \"core/missing.h\"\n"}),
            Violations{"src/core/a.h:1 includes core/missing.h, which does not exist"});
  EXPECT_EQ(layer_violations({"src/extra/a.h", ""}), Violations{"src/extra/a.h belongs to no layer"});
}

TEST(LayerOrder, RefusesACycle) {
  EXPECT_EQ(check_layer_order(some_layers()), Violations{});
  EXPECT_EQ(check_layer_order(parse_layers("a a b\nb b a\n")),
            Violations{"a depends on b, which does not come before it"});
}

TEST(BackendUsers, AreOnlyThoseThatWireOneUp) {
  EXPECT_EQ(check_backend_users(parse_layers("store_file store/file \ncli cli store_file\nsim sim store_file\n")),
            Violations{});
  EXPECT_EQ(check_backend_users(parse_layers("store_file store/file \nstore_redis store/redis store_file\n")),
            Violations{});
  EXPECT_EQ(check_backend_users(parse_layers("store_file store/file \nengine engine store_file\n")),
            Violations{"engine depends on the backend store_file"});
}

TEST(BeastUsers, AreOnlyInHttp) {
  const std::string text = "#include <boost/beast/http.hpp>\n";
  EXPECT_EQ(check_beast_users({{"src/http/a.cc", text}}), Violations{});
  EXPECT_EQ(check_beast_users({{"src/api/a.cc", text}}), Violations{"src/api/a.cc:1 includes boost/beast/http.hpp"});
}

TEST(CoreIsPure, AllowsTheStandardLibraryAndBase) {
  EXPECT_EQ(check_core_is_pure({{"src/core/a.h", "#include <vector>\n#include \"base/time.h\"\n// cout\n"}}),
            Violations{});
  EXPECT_EQ(check_core_is_pure({{"src/engine/a.h", "#include <chrono>\n"}}), Violations{});
}

TEST(CoreIsPure, RefusesTheOutsideWorld) {
  const std::vector<std::string> bad = {"#include <chrono>\n",
                                        "#include <thread>\n",
                                        "#include <mutex>\n",
                                        "#include <iostream>\n",
                                        "#include <random>\n",
                                        "#include <boost/json.hpp>\n",
                                        "#include <sys/types.h>\n",
                                        "#include \"store/ledger.h\"\n",
                                        "#include \"base/awaitable.h\"\n",
                                        "#include \"base/random.h\"\n",
                                        "auto x = std::random_device{}();\n"};
  for (const std::string& text : bad) EXPECT_EQ(check_core_is_pure({{"src/core/a.h", text}}).size(), 1U) << text;
}

TEST(FileSizes, AreLowerInCore) {
  const std::string at_core_limit = repeat("\n", kMaxCoreFileLines);
  const std::string at_limit = repeat("\n", kMaxFileLines);
  EXPECT_EQ(
      check_file_sizes({{"src/core/a.cc", at_core_limit}, {"src/api/a.cc", at_limit}, {"tests/a.cc", at_limit + "\n"}}),
      Violations{});
  EXPECT_EQ(check_file_sizes({{"src/core/a.cc", at_core_limit + "\n"}}).size(), 1U);
  EXPECT_EQ(check_file_sizes({{"src/api/a.cc", at_limit + "\n"}}).size(), 1U);
}

TEST(Functions, AreFoundInNamespacesAndTypes) {
  const auto functions = functions_of(
      "namespace a {\n"
      "struct B {\n"
      "  int c = f({1, 2});\n"
      "  B() : d_{1}, e_(2) {\n"
      "    g([] { return 1; });\n"
      "  }\n"
      "};\n"
      "int h()\n"
      "{ if (x) { y(); }\n"
      "}\n"
      "}\n");
  // The first is the brace of d_, on one line: harmless.
  ASSERT_EQ(functions.size(), 3U);
  EXPECT_EQ(functions[1].line, 4U);
  EXPECT_EQ(functions[1].length, 3U);
  EXPECT_EQ(functions[2].line, 9U);
  EXPECT_EQ(functions[2].length, 2U);
}

TEST(FunctionSizes, HaveALimit) {
  const std::string at_limit = "void f() {\n" + repeat("  g();\n", kMaxFunctionLines - 2) + "}\n";
  const std::string over_limit = "void f() {\n" + repeat("  g();\n", kMaxFunctionLines - 1) + "}\n";
  EXPECT_EQ(check_function_sizes({{"src/api/a.cc", at_limit}, {"tests/a_test.cc", over_limit}}), Violations{});
  EXPECT_EQ(check_function_sizes({{"src/api/a.cc", over_limit}}),
            Violations{"src/api/a.cc:1 starts a function of 81 lines, more than 80"});
}

TEST(PragmaOnce, IsTheFirstLineOfAHeader) {
  EXPECT_EQ(check_pragma_once({{"src/a.h", "#pragma once\n"}, {"src/a.cc", ""}}), Violations{});
  EXPECT_EQ(check_pragma_once({{"src/a.h", "#ifndef A\n"}}), Violations{"src/a.h does not start with #pragma once"});
}

TEST(ScriptsAreExecutable, AndNothingElseIs) {
  EXPECT_EQ(check_scripts_are_executable({{"a.py", "#!/usr/bin/env python3\n", true}, {"b.py", "import os\n", false}}),
            Violations{});
  EXPECT_EQ(check_scripts_are_executable({{"a.py", "#!/usr/bin/env python3\n", false}}),
            Violations{"a.py has a #! line and is not executable"});
  EXPECT_EQ(check_scripts_are_executable({{"b.py", "import os\n", true}}),
            Violations{"b.py is executable without a #! line"});
}

TEST(WorkedExamples, AreNeededBesideAFormula) {
  const std::string formula = "/// weight = rate * penalty\n";
  EXPECT_EQ(check_worked_examples({{"src/core/a.h", formula + "/// Example: 0.5 * 0.5 is 0.25.\n"}}), Violations{});
  EXPECT_EQ(check_worked_examples({{"src/core/a.h", "int a = 2 * 3;  /// the size\n"}}), Violations{});
  EXPECT_EQ(check_worked_examples({{"src/api/a.h", formula}, {"src/core/a.cc", formula}}), Violations{});
  EXPECT_EQ(check_worked_examples({{"src/core/a.h", formula}}),
            Violations{"src/core/a.h gives a formula without a worked example"});
}

TEST(UnfinishedMarks, AreFound) {
  EXPECT_EQ(check_no_unfinished_marks({{"src/a.h", "// a list of what to do\n"}}), Violations{});
  EXPECT_EQ(check_no_unfinished_marks({{"src/a.h", std::string("// TO") + "DO(me): more\n"}}).size(), 1U);
  EXPECT_EQ(check_no_unfinished_marks({{"run", std::string("# FIX") + "ME\n"}}).size(), 1U);
}

TEST(SkippedTests, AreFound) {
  EXPECT_EQ(check_no_skipped_tests({{"tests/a_test.cc", "TEST(A, B) {}\n"}}), Violations{});
  EXPECT_EQ(check_no_skipped_tests({{"tests/a_test.cc", std::string("TEST(A, DIS") + "ABLED_B) {}\n"}}).size(), 1U);
  EXPECT_EQ(check_no_skipped_tests({{"tests/a_test.cc", std::string("GTEST_") + "SKIP();\n"}}).size(), 1U);
}

TEST(Decisions, AreNumberedAndTitled) {
  const auto with = [](const std::string& name, const std::string& text) {
    return check_decisions({{"docs/decisions/0001-first.md", "# First\n"}, {"docs/decisions/" + name, text}}).size();
  };
  EXPECT_EQ(with("0002-second.md", "# Second\n"), 0U);
  EXPECT_EQ(with("README.md", ""), 0U);
  EXPECT_EQ(with("0001-again.md", "# Again\n"), 1U);
  EXPECT_EQ(with("0003-gap.md", "# Gap\n"), 1U);
  EXPECT_EQ(with("0002-second.md", "Second\n"), 1U);
  EXPECT_EQ(with("0002-second.md", "# \n"), 1U);
  EXPECT_EQ(with("second.md", "# Second\n"), 1U);
  EXPECT_EQ(with("02-second.md", "# Second\n"), 1U);
}

TEST(EverythingIsBuilt, ComparesWithTheCompileCommands) {
  const std::string commands = R"([{ "file": "/p/src/a.cc" }, { "file": "/p/tests/a_test.cc" }])";
  EXPECT_EQ(check_everything_is_built({{"src/a.cc", ""}, {"src/a.h", ""}, {"tests/a_test.cc", ""}}, "/p", commands),
            Violations{});
  EXPECT_EQ(check_everything_is_built({{"tests/b_test.cc", ""}}, "/p", commands),
            Violations{"tests/b_test.cc is not built"});
}

TEST(Embedded, FilesAndHeadersGoTogether) {
  const auto embedded = parse_embedded("api/page.h web/page.html\nstore/commit.h src/store/commit.lua\n");
  const SourceFile user = {"src/api/a.cc", "#include \"api/page.h\"\n#include \"store/commit.h\"\n"};
  EXPECT_EQ(check_embedded({user, {"src/store/commit.lua", ""}, {"src/store/README.md", ""}}, embedded), Violations{});
  EXPECT_EQ(check_embedded({user, {"src/store/other.lua", ""}}, embedded),
            Violations{"src/store/other.lua is neither C++ nor embedded"});
  EXPECT_EQ(check_embedded({{"src/api/a.cc", "#include \"api/page.h\"\n"}}, embedded),
            Violations{"store/commit.h, made of src/store/commit.lua, is included nowhere"});
}

}  // namespace
}  // namespace turnout::architecture
