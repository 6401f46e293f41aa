#include <gtest/gtest.h>

#include "http/test_client.h"
#include "http/test_server.h"

namespace turnout::http {
namespace {

class EventsTest : public ::testing::Test {
 protected:
  EventsTest() { server_.start(); }

  TestServer server_;
};

TEST_F(EventsTest, StreamsUntilTheSourceEnds) {
  TestClient client(server_.port());
  client.send(get_request("/events_end"));
  const ReceivedResponse response = client.receive();
  EXPECT_EQ(response.headers.at("content-type"), "text/event-stream");
  EXPECT_EQ(response.headers.at("connection"), "close");
  EXPECT_TRUE(response.complete);
  EXPECT_EQ(response.body, "data: x\n\ndata: x\n\n");
  EXPECT_TRUE(client.at_end());
}

TEST_F(EventsTest, AnswersBeforeTheStreamAreSentFirst) {
  TestClient client(server_.port());
  client.send(get_request("/echo") + get_request("/events_end"));
  EXPECT_EQ(client.receive().body, "GET /echo||");
  EXPECT_EQ(client.receive().body, "data: x\n\ndata: x\n\n");
}

TEST_F(EventsTest, NoticesThatTheClientLeft) {
  auto client = std::make_unique<TestClient>(server_.port());
  client->send(get_request("/events"));
  EXPECT_FALSE(client->receive_some().empty());
  client.reset();
  EXPECT_TRUE(server_.eventually([&] { return server_.counters().connections_open == 0; }));
}

TEST_F(EventsTest, WhatTheClientStillSendsIsDropped) {
  TestClient client(server_.port());
  client.send(get_request("/events") + get_request("/echo"));
  EXPECT_FALSE(client.receive_some().empty());
  client.send(get_request("/echo"));
  client.close();
  EXPECT_TRUE(server_.eventually([&] { return server_.counters().connections_open == 0; }));
  EXPECT_EQ(server_.counters().requests, 1U);
}

TEST_F(EventsTest, ABrokenSourceEndsTheStream) {
  TestClient client(server_.port());
  client.send(get_request("/events_throw"));
  const ReceivedResponse response = client.receive();
  EXPECT_TRUE(response.complete);
  EXPECT_EQ(response.body, "");
}

TEST_F(EventsTest, HeadHasNoStream) {
  TestClient client(server_.port());
  client.send("HEAD /events HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(client.receive(true).headers.at("content-type"), "text/event-stream");
  EXPECT_TRUE(client.at_end());
}

TEST_F(EventsTest, OldClientsGetTheEventsWithoutChunks) {
  TestClient client(server_.port());
  client.send("GET /events_end HTTP/1.0\r\n\r\n");
  std::string all;
  for (std::string piece = client.receive_some(); !piece.empty(); piece = client.receive_some()) {
    all += piece;
  }
  EXPECT_EQ(all.substr(all.find("\r\n\r\n") + 4), "data: x\n\ndata: x\n\n");
}

}  // namespace
}  // namespace turnout::http
