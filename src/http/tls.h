#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>

#include "base/result.h"
#include "http/options.h"

namespace turnout::http {

/// The context of a TLS 1.2 and 1.3 server with that certificate and key. The error names the file and the reason. The
/// result may be shared between threads.
Result<std::shared_ptr<boost::asio::ssl::context>> load_tls(const TlsOptions& options);

}  // namespace turnout::http
