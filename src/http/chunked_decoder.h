#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace turnout::http {

/// Undoes the chunked transfer coding (RFC 9112 section 7.1) one byte after the other, so that it does not matter how
/// the bytes were cut. Chunk extensions and trailers are checked for form and ignored.
class ChunkedDecoder {
 public:
  enum class State {
    more,       ///< everything given was used, and the body goes on
    complete,   ///< the body has ended
    malformed,  ///< the coding is broken
    too_large,  ///< the body is larger than the limit, as soon as a chunk announces it
  };

  struct Progress {
    State state = State::more;
    std::size_t used = 0;  ///< bytes that belong to this body
  };

  /// Most bytes of the line that says the size of a chunk, leading zeros, extensions and CR included.
  static constexpr std::size_t kMaxSizeLine = 256;

  /// Begins a body of at most `body_limit` bytes, with at most `framing_limit` bytes of extensions and trailers.
  void start(std::size_t body_limit, std::size_t framing_limit);

  /// Decodes the next bytes and appends what they hold to `body`. Not to be called after another state than `more`.
  Progress decode(std::string_view bytes, std::string& body);

 private:
  enum class Place {
    size_first,
    size,
    extension,
    size_line_feed,
    data,
    data_return,
    data_line_feed,
    trailer_first,
    trailer,
    trailer_line_feed,
    end_line_feed
  };

  State step(char character);
  State step_size(char character);
  State step_extension(char character);
  State end_size_line();
  State step_trailer(char character);
  State expect(char character, char wanted, Place next);
  State count_framing();

  Place place_ = Place::size_first;
  std::uint64_t remaining_ = 0;  ///< of the chunk, or its size while that is being read
  std::size_t body_left_ = 0;
  std::size_t framing_left_ = 0;
  std::size_t size_line_left_ = 0;
};

}  // namespace turnout::http
