#include "http/request_parser.h"

#include "base/assert.h"

namespace turnout::http {
namespace {

constexpr std::size_t kKeptBodyBytes = 64 * 1024;

constexpr RequestFailure kBodyTooLarge{413, "body_too_large", "The body is larger than this path accepts."};
constexpr RequestFailure kEmptyLines{400, "malformed_request", "There are too many empty lines before the request."};
constexpr RequestFailure kBadChunks{400, "malformed_request", "The chunked coding of the body is broken."};

}  // namespace

RequestParser::Step RequestParser::parse(std::string_view bytes) {
  if (!has_head_) {
    return parse_new_head(bytes);
  }
  return head_.chunked ? decode_chunks(bytes) : parse_body(bytes);
}

RequestParser::Step RequestParser::parse_new_head(std::string_view bytes) {
  // Some clients send an empty line after a body (RFC 9112 section 2.2).
  std::size_t begin = 0;
  while (bytes.substr(begin, 2) == "\r\n") {
    begin += 2;
  }
  if (dropped_ + begin > kMaxEmptyLines * 2) {
    return fail(kEmptyLines);
  }
  const std::string_view rest = bytes.substr(begin);
  if (rest.empty() || rest == "\r") {
    dropped_ += begin;
    return need_more(rest.size());
  }
  HeadOutcome outcome = parse_head(rest, max_header_bytes_);
  if (const auto* failure = std::get_if<RequestFailure>(&outcome)) {
    return fail(*failure);
  }
  const auto* head = std::get_if<RequestHead>(&outcome);
  if (head == nullptr) {
    return need_more(bytes.size());
  }
  head_ = *head;
  head_begin_ = begin;
  has_head_ = true;
  const std::size_t limit = body_limit_(head_.method_text.of(rest), head_.path.of(rest));
  if (head_.content_length > limit) {
    return fail(kBodyTooLarge);
  }
  if (head_.chunked) {
    chunks_.start(limit, max_header_bytes_);
    return decode_chunks(bytes);
  }
  return parse_body(bytes);
}

RequestParser::Step RequestParser::parse_body(std::string_view bytes) {
  const std::size_t size = head_begin_ + head_.size + static_cast<std::size_t>(head_.content_length);
  if (bytes.size() < size) {
    return need_more(bytes.size());
  }
  consumed_ = size;
  return Step::complete;
}

RequestParser::Step RequestParser::decode_chunks(std::string_view bytes) {
  const std::size_t head_end = head_begin_ + head_.size;
  const ChunkedDecoder::Progress progress = chunks_.decode(bytes.substr(head_end), chunked_body_);
  switch (progress.state) {
    case ChunkedDecoder::State::more:
      return need_more(head_end);
    case ChunkedDecoder::State::complete:
      consumed_ = head_end + progress.used;
      return Step::complete;
    case ChunkedDecoder::State::malformed:
      return fail(kBadChunks);
    case ChunkedDecoder::State::too_large:
      break;
  }
  return fail(kBodyTooLarge);
}

RequestParser::Step RequestParser::need_more(std::size_t retained) {
  retained_ = retained;
  return Step::need_more;
}

RequestParser::Step RequestParser::fail(const RequestFailure& failure) {
  failure_ = failure;
  return Step::failed;
}

Request RequestParser::request(std::string_view bytes) const {
  TURNOUT_ASSERT(has_head_);
  const std::string_view head = bytes.substr(head_begin_, head_.size);
  Request request;
  request.method = head_.method;
  request.method_text = head_.method_text.of(head);
  request.path = head_.path.of(head);
  request.query = head_.query.of(head);
  request.fields = head_.fields.of(head);
  request.host = head_.host.of(head);
  request.content_type = head_.content_type.of(head);
  request.authorization = head_.authorization.of(head);
  request.body = head_.chunked ? std::string_view(chunked_body_)
                               : bytes.substr(head_begin_ + head_.size, static_cast<std::size_t>(head_.content_length));
  return request;
}

void RequestParser::reset() {
  has_head_ = false;
  dropped_ = 0;
  if (chunked_body_.capacity() > kKeptBodyBytes) {
    std::string().swap(chunked_body_);
  }
  chunked_body_.clear();
}

}  // namespace turnout::http
