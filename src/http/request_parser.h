#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "http/chunked_decoder.h"
#include "http/request.h"
#include "http/request_head.h"

namespace turnout::http {

/// Reads requests out of the bytes of a connection: bytes in, a request or an error out, no socket. The caller keeps
/// the bytes:
///
///     parse(bytes)  need_more  append to bytes.substr(0, retained()) what arrives, and parse again
///                   complete   use request(bytes), drop consumed() bytes, reset()
///                   failed     answer failure(), close
///
/// The outcome does not depend on how the bytes were cut. Not thread-safe.
class RequestParser {
 public:
  enum class Step { need_more, complete, failed };

  /// The largest body for a method and a path, in bytes.
  using BodyLimit = std::function<std::size_t(std::string_view method, std::string_view path)>;

  /// Most empty lines before a request.
  static constexpr std::size_t kMaxEmptyLines = 8;

  RequestParser(std::size_t max_header_bytes, BodyLimit body_limit)
      : max_header_bytes_(max_header_bytes), body_limit_(std::move(body_limit)) {}

  /// `bytes` begins with the first byte of the request and holds all that was retained, at any address.
  Step parse(std::string_view bytes);

  /// After need_more: how many of the bytes must be presented again. Those beyond have been taken over (chunked
  /// bodies).
  [[nodiscard]] std::size_t retained() const noexcept { return retained_; }

  /// After complete: bytes of this request; those beyond belong to the next one.
  [[nodiscard]] std::size_t consumed() const noexcept { return consumed_; }

  /// After complete: views into the same `bytes` that parse() saw, and of the body also into this object.
  [[nodiscard]] Request request(std::string_view bytes) const;

  /// After failed.
  [[nodiscard]] const RequestFailure& failure() const noexcept { return failure_; }

  /// After complete: the head, for the connection's own use.
  [[nodiscard]] const RequestHead& head() const noexcept { return head_; }

  /// After need_more: the client waits for "100 Continue" before it sends the body.
  [[nodiscard]] bool wants_continue() const noexcept { return has_head_ && head_.expects_continue; }

  /// Ready for the next request. Keeps the memory of a small body.
  void reset();

 private:
  Step parse_new_head(std::string_view bytes);
  Step parse_body(std::string_view bytes);
  Step decode_chunks(std::string_view bytes);
  Step need_more(std::size_t retained);
  Step fail(const RequestFailure& failure);

  std::size_t max_header_bytes_;
  BodyLimit body_limit_;
  bool has_head_ = false;
  RequestHead head_;
  std::size_t dropped_ = 0;     ///< bytes of empty lines before the head that need not be presented again
  std::size_t head_begin_ = 0;  ///< empty lines before the head that are among the bytes
  ChunkedDecoder chunks_;
  std::string chunked_body_;
  std::size_t retained_ = 0;
  std::size_t consumed_ = 0;
  RequestFailure failure_;
};

}  // namespace turnout::http
