#include "config/listen_address.h"

#include <gtest/gtest.h>

namespace turnout::config {
namespace {

TEST(ListenAddress, WhatIsRead) {
  struct Row {
    const char* text;
    ListenAddress expected;
    bool loopback;
  };
  const Row rows[] = {
      {"127.0.0.1:8080", {"127.0.0.1", 8080}, true},
      {"127.255.0.9:1", {"127.255.0.9", 1}, true},
      {"localhost:0", {"127.0.0.1", 0}, true},
      {"0.0.0.0:65535", {"0.0.0.0", 65535}, false},
      {"10.0.0.1:80", {"10.0.0.1", 80}, false},
      {"[::1]:8080", {"::1", 8080}, true},
      {"[::]:8080", {"::", 8080}, false},
      {"[::ffff:127.0.0.1]:80", {"::ffff:127.0.0.1", 80}, true},
      {"[::ffff:10.0.0.1]:80", {"::ffff:10.0.0.1", 80}, false},
      {"[fe80::1]:80", {"fe80::1", 80}, false},
  };
  for (const Row& row : rows) {
    const auto listen = parse_listen_address(row.text);
    ASSERT_TRUE(listen.has_value()) << row.text;
    EXPECT_EQ(*listen, row.expected) << row.text;
    EXPECT_EQ(is_loopback(*listen), row.loopback) << row.text;
    EXPECT_EQ(parse_listen_address(format_listen_address(*listen)), listen) << row.text;
  }
}

TEST(ListenAddress, WhatIsNot) {
  for (const std::string_view text :
       {std::string_view(""), std::string_view(":"), std::string_view(":8080"), std::string_view("8080"),
        std::string_view("127.0.0.1"), std::string_view("127.0.0.1:"), std::string_view("127.0.0.1:65536"),
        std::string_view("127.0.0.1:-1"), std::string_view("127.0.0.1:80 "), std::string_view("127.0.0.1:+80"),
        std::string_view("127.0.0:80"), std::string_view("::1:8080"), std::string_view("[]:80"),
        std::string_view("[::1]"), std::string_view("[::g]:80"), std::string_view("[127.0.0.1]:80"),
        std::string_view("example.com:80"), std::string_view("http://127.0.0.1:80"),
        std::string_view("127.0.0.1\0x:80", 14)}) {
    EXPECT_EQ(parse_listen_address(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace turnout::config
