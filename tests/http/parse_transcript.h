#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/request_parser.h"

namespace turnout::http {

/// Everything a parser said about the bytes of a connection, one line for each request or error.
using Transcript = std::vector<std::string>;

/// Feeds a parser as a connection does: what is retained is presented again, at another address.
class TranscriptReader {
 public:
  explicit TranscriptReader(std::size_t max_header_bytes = 8192, std::size_t max_body_bytes = 65536)
      : parser_(max_header_bytes, [max_body_bytes](std::string_view, std::string_view) { return max_body_bytes; }) {}

  void feed(std::string_view piece) {
    if (failed_) {
      return;
    }
    bytes_ = bytes_ + std::string(piece);
    for (;;) {
      switch (parser_.parse(bytes_)) {
        case RequestParser::Step::need_more:
          bytes_ = bytes_.substr(0, parser_.retained());
          return;
        case RequestParser::Step::failed:
          transcript_.push_back(std::to_string(parser_.failure().status) + " " + std::string(parser_.failure().detail));
          failed_ = true;
          return;
        case RequestParser::Step::complete:
          transcript_.push_back(describe(parser_.request(bytes_)));
          bytes_ = bytes_.substr(parser_.consumed());
          parser_.reset();
      }
    }
  }

  [[nodiscard]] const Transcript& transcript() const { return transcript_; }
  [[nodiscard]] bool wants_continue() const { return parser_.wants_continue(); }

 private:
  std::string describe(const Request& request) const {
    std::string text;
    for (const std::string_view part : {request.method_text, request.path, request.query, request.host,
                                        request.content_type, request.authorization, request.body}) {
      text.append(part).append("|");
    }
    return text + (parser_.head().keep_alive ? "keep" : "close");
  }

  RequestParser parser_;
  std::string bytes_;
  Transcript transcript_;
  bool failed_ = false;
};

inline Transcript read_whole(std::string_view bytes) {
  TranscriptReader reader;
  reader.feed(bytes);
  return reader.transcript();
}

inline Transcript read_cut(std::string_view bytes, std::size_t cut) {
  TranscriptReader reader;
  reader.feed(bytes.substr(0, cut));
  reader.feed(bytes.substr(cut));
  return reader.transcript();
}

inline Transcript read_in_pieces(std::string_view bytes, std::size_t size) {
  TranscriptReader reader;
  for (std::size_t begin = 0; begin < bytes.size(); begin += size) {
    reader.feed(bytes.substr(begin, size));
  }
  return reader.transcript();
}

}  // namespace turnout::http
