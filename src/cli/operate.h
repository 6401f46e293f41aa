#pragma once

#include <iosfwd>
#include <string>

namespace turnout::cli {

/// What the operator's commands take.
struct OperateOptions {
  std::string server = "http://127.0.0.1:8080";
  std::string token;
  std::string channel;  ///< empty: every channel
  std::string provider;
  std::string reason;
  std::string author;
  std::string lasts;  ///< of an opening, a duration; empty: until told otherwise
  bool json = false;
};

/// `turnout providers`: the providers of a running server as a table, or as the server answers. 0 done, 1 failed.
int show_providers(const OperateOptions& options, std::ostream& out, std::ostream& err);

/// `turnout open`, `turnout close`: 0 done, 1 failed, 2 for a duration that is none.
int order_circuit(const OperateOptions& options, const std::string& action, std::ostream& out, std::ostream& err);

}  // namespace turnout::cli
