#include "config/token_reader.h"

#include <array>
#include <cctype>
#include <functional>

#include "base/text.h"
#include "config/toml_lists.h"

namespace turnout::config {
namespace {

using core::FieldValue;

std::optional<std::string> read_id(const FieldValue& value) {
  const auto* const text = std::get_if<std::string>(&value);
  return text != nullptr && is_id(*text) ? std::optional(*text) : std::nullopt;
}

std::optional<std::string> read_sha256(const FieldValue& value) {
  constexpr std::size_t kHexDigits = 64;
  const auto* const text = std::get_if<std::string>(&value);
  if (text == nullptr || text->size() != kHexDigits) return std::nullopt;
  std::string digits;
  for (const char c : *text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isxdigit(byte) == 0) return std::nullopt;
    digits += static_cast<char>(std::tolower(byte));
  }
  return digits;
}

constexpr core::Field<Token> kTokenTable[] = {
    {"name", "a name: 1 to 64 characters of A-Z a-z 0-9 . _ : -",
     [](Token& token, const FieldValue& value) { return core::store(token.name, read_id(value)); },
     [](const Token& token) { return std::optional<FieldValue>(token.name); }},
    {"sha256", "the SHA-256 of the token, 64 hexadecimal digits",
     [](Token& token, const FieldValue& value) { return core::store(token.sha256, read_sha256(value)); },
     [](const Token& token) { return std::optional<FieldValue>(token.sha256); }},
};

constexpr std::span<const core::Field<Token>> kTokenFields = kTokenTable;

constexpr std::array<std::string_view, 5> kScopes = {"route", "report", "budgets", "read", "admin"};
constexpr std::string_view kScopesExpected = "expected \"route\", \"report\", \"budgets\", \"read\" or \"admin\"";
constexpr std::string_view kIdExpected = "expected the id of a channel: 1 to 64 characters of A-Z a-z 0-9 . _ : -";

/// Calls `read` for every string of the array `name` in `table`, if it is there; false from `read` is a problem.
void for_each_string(Draft& draft, const TomlSource& source, const toml::node* list, const std::string& key,
                     std::string_view expected, const std::function<bool(const std::string&)>& read) {
  if (list == nullptr) return;
  const toml::array* const elements = list->as_array();
  if (elements == nullptr) {
    draft.add_problem(source.place(*list), key, "expected an array of strings, found " + found_text(*list));
    return;
  }
  for (const toml::node& element : *elements) {
    const auto* const text = element.as_string();
    if (text == nullptr || !read(text->get())) {
      draft.add_problem(source.place(element), key, std::string(expected) + ", found " + found_text(element));
    }
  }
}

/// Scopes in the order of the enumeration, each once.
std::vector<Scope> read_scopes(Draft& draft, const TomlSource& source, const toml::node* list, const std::string& key) {
  std::array<bool, kScopes.size()> present{};
  for_each_string(draft, source, list, key, kScopesExpected, [&](const std::string& text) {
    const auto* const found = std::find(kScopes.begin(), kScopes.end(), text);
    if (found == kScopes.end()) return false;
    return present[static_cast<std::size_t>(found - kScopes.begin())] = true;
  });
  std::vector<Scope> scopes;
  for (std::size_t i = 0; i < kScopes.size(); ++i) {
    if (present[i]) scopes.push_back(static_cast<Scope>(i));
  }
  return scopes;
}

/// A secret put in place of its SHA-256 must not be shown.
void hide_value(GivenFields& given) {
  const auto sha256 = given.find("sha256");
  if (sha256 != given.end()) sha256->second.found = "something else";
}

void read_token(Draft& draft, const TomlSource& source, const toml::table& table, const std::string& key) {
  static const auto kNames = field_names(kTokenFields);
  static const std::vector<std::string> kLists = {"scopes", "channels"};
  const std::string prefix = key + ".";
  GivenFields given = collect_fields(draft, source, table, {prefix, kNames, kLists});
  hide_value(given);
  Token token;
  draft.set_fields(token, prefix, kTokenFields, given);
  token.scopes = read_scopes(draft, source, table.get("scopes"), prefix + "scopes");
  for_each_string(draft, source, table.get("channels"), prefix + "channels", kIdExpected, [&](const std::string& id) {
    if (!is_id(id)) return false;
    token.channels.push_back(id);
    return true;
  });
  for (const std::string_view required : {"name", "sha256", "scopes"}) {
    if (!table.contains(required)) draft.add_problem(source.place(table), prefix + std::string(required), "is missing");
  }
  const toml::array* const scopes = table["scopes"].as_array();
  if (scopes != nullptr && scopes->empty()) {
    draft.add_problem(source.place(*scopes), prefix + "scopes", "expected at least one scope");
  }
  draft.settings.server.tokens.push_back(std::move(token));
}

}  // namespace

void read_tokens(Draft& draft, const TomlSource& source, const toml::node& list) {
  draft.settings.server.tokens.clear();
  for_each_table(draft, source, list, "server.tokens",
                 [&](const toml::table& table, const std::string& key) { read_token(draft, source, table, key); });
}

}  // namespace turnout::config
