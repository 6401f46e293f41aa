#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace turnout::api {

/// What a token may be used for.
enum class Scope : std::uint8_t { route, report, budgets, read, admin };

/// One token that may be presented. Only its SHA-256 is known here.
struct Token {
  std::string name;  ///< who it belongs to; author of what is changed with it
  std::array<unsigned char, 32> sha256{};
  std::vector<Scope> scopes;
  std::vector<std::string> channels;  ///< only these; empty: all

  [[nodiscard]] bool has(Scope scope) const;
  [[nodiscard]] bool may_use(std::string_view channel) const;
};

/// Decides who may call. Immutable; thread-safe.
class Access {
 public:
  /// Everybody may do everything: for loopback, or where the operator said so.
  Access() = default;
  /// Only who presents one of these.
  explicit Access(std::vector<Token> tokens) : open_(false), tokens_(std::move(tokens)) {}

  [[nodiscard]] bool open() const { return open_; }

  /// The token that an Authorization header presents, or nothing. Takes the same time whichever token it is compared
  /// with and however much of it fits.
  [[nodiscard]] const Token* authenticate(std::string_view authorization) const;

 private:
  bool open_ = true;
  std::vector<Token> tokens_;
};

}  // namespace turnout::api
