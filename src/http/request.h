#pragma once

#include <string_view>

namespace turnout::http {

/// The methods an API distinguishes; any other token is `other`, spelt in Request::method_text.
enum class Method { get, head, post, put, patch, delete_, options, other };

/// One complete request. Every view is valid until the handler that was given it finishes. Text is as the client sent
/// it: nothing is percent-decoded. A header the client did not send is an empty view.
struct Request {
  Method method = Method::other;
  std::string_view method_text;
  std::string_view
      path;  ///< begins with '/', or is "*" (OPTIONS only); scheme and host of an absolute target are cut off
  std::string_view query;   ///< after the first '?', without it
  std::string_view fields;  ///< all header lines, each with its CRLF; for header()
  std::string_view host;
  std::string_view content_type;
  std::string_view authorization;
  std::string_view body;
  std::string_view peer_address;  ///< numeric, without the port
  bool secure = false;            ///< came over TLS

  /// The value of the first header of that name (case-insensitive), empty when there is none. Searches the whole head,
  /// so it is for headers that are seldom wanted.
  [[nodiscard]] std::string_view header(std::string_view name) const noexcept;
};

}  // namespace turnout::http
