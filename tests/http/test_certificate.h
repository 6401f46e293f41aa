#pragma once

#include <string>

namespace turnout::http {

/// A self-signed certificate for localhost and its key, made anew, in files that go with the object.
class TestCertificate {
 public:
  TestCertificate();
  ~TestCertificate();
  TestCertificate(const TestCertificate&) = delete;
  TestCertificate& operator=(const TestCertificate&) = delete;

  [[nodiscard]] std::string certificate_file() const { return folder_ + "/certificate.pem"; }
  [[nodiscard]] std::string key_file() const { return folder_ + "/key.pem"; }

 private:
  std::string folder_;
};

}  // namespace turnout::http
