#include "http/client.h"

#include <openssl/ssl.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <exception>
#include <optional>
#include <utility>

namespace turnout::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;

struct Url {
  bool secure = false;
  std::string host;
  std::string port;
};

std::optional<Url> parse_url(std::string_view text) {
  Url url;
  if (text.starts_with("https://")) {
    url.secure = true;
    text.remove_prefix(8);
  } else if (text.starts_with("http://")) {
    text.remove_prefix(7);
  } else {
    return std::nullopt;
  }
  if (text.ends_with('/')) text.remove_suffix(1);
  const std::size_t bracket = text.rfind(']');
  const std::size_t colon = text.rfind(':');
  const bool has_port = colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
  url.host = text.substr(0, has_port ? colon : text.size());
  url.port = has_port ? std::string(text.substr(colon + 1)) : url.secure ? "443" : "80";
  if (url.host.starts_with('[') && url.host.ends_with(']')) url.host = url.host.substr(1, url.host.size() - 2);
  const bool valid = !url.host.empty() && !url.port.empty() && url.host.find_first_of("/?#@ ") == std::string::npos;
  return valid ? std::optional(url) : std::nullopt;
}

beast::http::request<beast::http::string_body> message_of(const ClientRequest& request, const Url& url) {
  beast::http::request<beast::http::string_body> message;
  message.version(11);
  message.method_string(request.method);
  message.target(request.target);
  message.set(beast::http::field::host, url.host.find(':') == std::string::npos ? url.host : "[" + url.host + "]");
  message.set(beast::http::field::connection, "close");
  if (!request.bearer.empty()) message.set(beast::http::field::authorization, "Bearer " + request.bearer);
  if (!request.body.empty()) message.set(beast::http::field::content_type, "application/json");
  message.body() = request.body;
  message.prepare_payload();
  return message;
}

/// Beast's timeouts only hold for asynchronous operations, so each step is started and run to its end.
class Exchange {
 public:
  explicit Exchange(DurationMs timeout_ms) : stream_(context_) {
    stream_.expires_after(std::chrono::milliseconds(timeout_ms));
  }

  ClientResponse run(const ClientRequest& request, const Url& url) {
    asio::ip::tcp::resolver resolver(context_);
    const auto endpoints = resolver.resolve(url.host, url.port);
    step([&](auto done) {
      stream_.async_connect(endpoints, [done](beast::error_code error, const auto&) { done(error); });
    });
    const auto message = message_of(request, url);
    return url.secure ? over_tls(message, url) : over(stream_, message);
  }

 private:
  template <class Start>
  void step(Start start) {
    beast::error_code result;
    start([&result](beast::error_code error) { result = error; });
    context_.restart();
    context_.run();
    if (result) throw boost::system::system_error(result);
  }

  template <class Stream>
  ClientResponse over(Stream& stream, const beast::http::request<beast::http::string_body>& message) {
    step([&](auto done) {
      beast::http::async_write(stream, message, [done](beast::error_code e, std::size_t) { done(e); });
    });
    beast::flat_buffer buffer;
    beast::http::response_parser<beast::http::string_body> parser;
    parser.body_limit(64 << 20);
    step([&](auto done) {
      beast::http::async_read(stream, buffer, parser, [done](beast::error_code e, std::size_t) { done(e); });
    });
    return {static_cast<int>(parser.get().result_int()), std::move(parser.get().body())};
  }

  ClientResponse over_tls(const beast::http::request<beast::http::string_body>& message, const Url& url) {
    asio::ssl::context tls(asio::ssl::context::tls_client);
    tls.set_default_verify_paths();
    asio::ssl::stream<beast::tcp_stream&> secure(stream_, tls);
    secure.set_verify_mode(asio::ssl::verify_peer);
    secure.set_verify_callback(asio::ssl::host_name_verification(url.host));
    SSL_set_tlsext_host_name(secure.native_handle(), url.host.c_str());
    step([&](auto done) { secure.async_handshake(asio::ssl::stream_base::client, done); });
    return over(secure, message);
  }

  asio::io_context context_;
  beast::tcp_stream stream_;
};

}  // namespace

Result<ClientResponse> send(const ClientRequest& request) {
  const auto url = parse_url(request.url);
  if (!url) {
    return Error{Error::Code::invalid, "expected a URL such as http://127.0.0.1:8080, found \"" + request.url + "\""};
  }
  try {
    return Exchange(request.timeout_ms).run(request, *url);
  } catch (const boost::system::system_error& error) {
    return Error{Error::Code::unavailable, request.url + ": " + error.code().message()};
  } catch (const std::exception& error) {
    return Error{Error::Code::unavailable, request.url + ": " + error.what()};
  }
}

}  // namespace turnout::http
