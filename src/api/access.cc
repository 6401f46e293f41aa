#include "api/access.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>

namespace turnout::api {

bool Token::has(Scope scope) const { return std::find(scopes.begin(), scopes.end(), scope) != scopes.end(); }

bool Token::may_use(std::string_view channel) const {
  return channels.empty() || std::find(channels.begin(), channels.end(), channel) != channels.end();
}

const Token* Access::authenticate(std::string_view authorization) const {
  constexpr std::string_view kScheme = "bearer ";
  if (authorization.size() <= kScheme.size()) return nullptr;
  for (std::size_t i = 0; i < kScheme.size(); ++i) {
    const char c = authorization[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != kScheme[i]) return nullptr;
  }
  const std::string_view presented = authorization.substr(kScheme.size());
  std::array<unsigned char, 32> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(presented.data()), presented.size(), digest.data());
  const Token* found = nullptr;
  for (const Token& token : tokens_) {
    if (CRYPTO_memcmp(token.sha256.data(), digest.data(), digest.size()) == 0) found = &token;
  }
  return found;
}

}  // namespace turnout::api
