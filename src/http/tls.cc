#include "http/tls.h"

#include <openssl/ssl.h>

#include <string>

namespace turnout::http {
namespace {

Error file_error(std::string_view what, const std::string& file, const boost::system::error_code& error) {
  return Error{Error::Code::invalid, std::string(what) + " " + file + ": " + error.message()};
}

}  // namespace

Result<std::shared_ptr<boost::asio::ssl::context>> load_tls(const TlsOptions& options) {
  namespace ssl = boost::asio::ssl;
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  SSL_CTX* native = context->native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  // A client must not make the server spend a handshake again and again on one connection.
  SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION);
  // Idle connections give their 34 KiB of record buffers back.
  SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);
  boost::system::error_code error;
  // Without this OpenSSL asks the terminal for the password of an encrypted key.
  context->set_password_callback([](std::size_t, ssl::context::password_purpose) { return std::string(); }, error);
  context->use_certificate_chain_file(options.certificate_file, error);
  if (error) {
    return file_error("cannot use the certificate file", options.certificate_file, error);
  }
  context->use_private_key_file(options.key_file, ssl::context::pem, error);
  if (error) {
    return file_error("cannot use the key file", options.key_file, error);
  }
  if (SSL_CTX_check_private_key(native) != 1) {
    return Error{Error::Code::invalid, "the key file " + options.key_file +
                                           " does not belong to the certificate file " + options.certificate_file};
  }
  return context;
}

}  // namespace turnout::http
