#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "http/request.h"

namespace turnout::http {

/// A part of the bytes of a request, kept as a place instead of a view because the buffer may move while the body
/// arrives.
struct Slice {
  std::size_t offset = 0;
  std::size_t size = 0;

  [[nodiscard]] std::string_view of(std::string_view bytes) const noexcept { return bytes.substr(offset, size); }
  friend bool operator==(const Slice&, const Slice&) = default;
};

/// Why a request cannot be served: the answer to give before closing. The texts are literals.
struct RequestFailure {
  int status = 400;
  std::string_view code;    ///< stable word
  std::string_view detail;  ///< one sentence

  friend bool operator==(const RequestFailure&, const RequestFailure&) = default;
};

/// The request line and headers of one request. Slices count from the first byte given to parse_head.
struct RequestHead {
  Method method = Method::other;
  Slice method_text;
  Slice path;
  Slice query;
  Slice fields;
  Slice host;
  Slice content_type;
  Slice authorization;
  std::size_t size = 0;              ///< bytes up to and with the empty line
  std::uint64_t content_length = 0;  ///< 0 when chunked
  int version = 11;                  ///< 10 or 11
  bool chunked = false;
  bool keep_alive = true;
  bool expects_continue = false;

  friend bool operator==(const RequestHead&, const RequestHead&) = default;
};

/// More bytes decide.
struct Incomplete {
  friend bool operator==(const Incomplete&, const Incomplete&) = default;
};

using HeadOutcome = std::variant<Incomplete, RequestHead, RequestFailure>;

/// Reads the head at the start of `bytes`, which may go on with a body. Pure: the outcome for a longer text is the same
/// as for its beginning, unless that was Incomplete. A head of more than `limit` bytes is 414 (request line) or 431.
/// Stricter than RFC 9112 asks where leniency has been used to smuggle requests: no folded lines, no bare CR or LF, one
/// Host, one length.
HeadOutcome parse_head(std::string_view bytes, std::size_t limit);

}  // namespace turnout::http
