#include "http/test_certificate.h"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdlib.h>

#include <cstdio>
#include <filesystem>

#include "base/assert.h"

namespace turnout::http {
namespace {

X509* self_signed(EVP_PKEY* key) {
  X509* certificate = X509_new();
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_set_pubkey(certificate, key);
  X509_NAME* name = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
  X509_set_issuer_name(certificate, name);
  TURNOUT_ASSERT(X509_sign(certificate, key, EVP_sha256()) != 0);
  return certificate;
}

}  // namespace

TestCertificate::TestCertificate() : folder_((std::filesystem::temp_directory_path() / "turnout_tls_XXXXXX").string()) {
  TURNOUT_ASSERT(::mkdtemp(folder_.data()) != nullptr);
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* certificate = self_signed(key);
  std::FILE* file = std::fopen(certificate_file().c_str(), "w");
  PEM_write_X509(file, certificate);
  std::fclose(file);
  file = std::fopen(key_file().c_str(), "w");
  PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr);
  std::fclose(file);
  X509_free(certificate);
  EVP_PKEY_free(key);
}

TestCertificate::~TestCertificate() { std::filesystem::remove_all(folder_); }

}  // namespace turnout::http
