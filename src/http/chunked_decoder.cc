#include "http/chunked_decoder.h"

#include <algorithm>

#include "base/assert.h"

namespace turnout::http {
namespace {

/// Larger than any limit on a body, small enough that four more bits fit.
constexpr std::uint64_t kMaxChunk = std::uint64_t{1} << 48;

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_control(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }

}  // namespace

void ChunkedDecoder::start(std::size_t body_limit, std::size_t framing_limit) {
  place_ = Place::size_first;
  remaining_ = 0;
  body_left_ = body_limit;
  framing_left_ = framing_limit;
}

ChunkedDecoder::Progress ChunkedDecoder::decode(std::string_view bytes, std::string& body) {
  std::size_t used = 0;
  while (used < bytes.size()) {
    if (place_ == Place::data) {
      const std::string_view part = bytes.substr(used, remaining_);
      body.append(part);
      used += part.size();
      remaining_ -= part.size();
      if (remaining_ == 0) {
        place_ = Place::data_return;
      }
      continue;
    }
    const State state = step(bytes[used++]);
    if (state != State::more) {
      return {state, used};
    }
  }
  return {State::more, used};
}

ChunkedDecoder::State ChunkedDecoder::step(char character) {
  switch (place_) {
    case Place::size_first:
      size_line_left_ = kMaxSizeLine;
      return step_size(character);
    case Place::size:
      return step_size(character);
    case Place::extension:
      return step_extension(character);
    case Place::size_line_feed:
      return character == '\n' ? end_size_line() : State::malformed;
    case Place::data_return:
      return expect(character, '\r', Place::data_line_feed);
    case Place::data_line_feed:
      return expect(character, '\n', Place::size_first);
    case Place::end_line_feed:
      return character == '\n' ? State::complete : State::malformed;
    case Place::data:
    case Place::trailer_first:
    case Place::trailer:
    case Place::trailer_line_feed:
      break;
  }
  return step_trailer(character);
}

ChunkedDecoder::State ChunkedDecoder::step_size(char character) {
  if (size_line_left_-- == 0) {
    return State::malformed;
  }
  const int digit = hex_value(character);
  if (digit >= 0) {
    remaining_ = remaining_ * 16 + static_cast<std::uint64_t>(digit);
    place_ = Place::size;
    return remaining_ > kMaxChunk ? State::too_large : State::more;
  }
  if (place_ == Place::size_first) {
    return State::malformed;
  }
  if (character == ';' || character == ' ' || character == '\t') {
    place_ = Place::extension;
    return count_framing();
  }
  return expect(character, '\r', Place::size_line_feed);
}

ChunkedDecoder::State ChunkedDecoder::step_extension(char character) {
  if (size_line_left_-- == 0) {
    return State::malformed;
  }
  if (character == '\r') {
    place_ = Place::size_line_feed;
    return State::more;
  }
  return is_control(character) ? State::malformed : count_framing();
}

ChunkedDecoder::State ChunkedDecoder::end_size_line() {
  if (remaining_ > body_left_) {
    return State::too_large;
  }
  body_left_ -= static_cast<std::size_t>(remaining_);
  place_ = remaining_ == 0 ? Place::trailer_first : Place::data;
  return State::more;
}

ChunkedDecoder::State ChunkedDecoder::step_trailer(char character) {
  TURNOUT_ASSERT(place_ != Place::data);
  if (place_ == Place::trailer_line_feed) {
    return expect(character, '\n', Place::trailer_first);
  }
  if (character == '\r') {
    place_ = place_ == Place::trailer_first ? Place::end_line_feed : Place::trailer_line_feed;
    return State::more;
  }
  place_ = Place::trailer;
  return is_control(character) ? State::malformed : count_framing();
}

ChunkedDecoder::State ChunkedDecoder::expect(char character, char wanted, Place next) {
  if (character != wanted) {
    return State::malformed;
  }
  place_ = next;
  return State::more;
}

ChunkedDecoder::State ChunkedDecoder::count_framing() {
  if (framing_left_ == 0) {
    return State::malformed;
  }
  --framing_left_;
  return State::more;
}

}  // namespace turnout::http
