#pragma once

#include <string_view>

#include "api/json_reader.h"

namespace turnout::api {

/// What every call says of its payment.
struct PaymentFields {
  std::string_view channel;
  std::string_view transaction_id;
};

/// The parts that a call may leave out; empty when it does.
struct CustomerFields {
  std::string_view merchant_id;
  std::string_view customer_id;
  std::string_view payment_method;
  std::string_view payment_method_type;
};

inline constexpr std::size_t kMaxTransactionIdBytes = 256;
inline constexpr std::size_t kMaxCustomerIdBytes = 256;
inline constexpr std::size_t kMaxPaymentMethodBytes = 64;

inline PaymentFields read_payment(JsonReader& in) {
  PaymentFields fields;
  fields.channel = in.id("channel");
  fields.transaction_id = in.text("transaction_id", 1, kMaxTransactionIdBytes);
  return fields;
}

inline CustomerFields read_customer(JsonReader& in) {
  CustomerFields fields;
  fields.merchant_id = in.optional_text("merchant_id", 0, kMaxCustomerIdBytes).value_or("");
  fields.customer_id = in.optional_text("customer_id", 0, kMaxCustomerIdBytes).value_or("");
  fields.payment_method = in.optional_text("payment_method", 0, kMaxPaymentMethodBytes).value_or("");
  fields.payment_method_type = in.optional_text("payment_method_type", 0, kMaxPaymentMethodBytes).value_or("");
  return fields;
}

}  // namespace turnout::api
