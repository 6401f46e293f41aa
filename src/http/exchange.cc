#include "http/exchange.h"

#include <spdlog/spdlog.h>

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

namespace turnout::http {
namespace {

constexpr std::size_t kKeptOutputBytes = 128 * 1024;

}  // namespace

std::string describe(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "not a std::exception";
  }
}

Exchange::Exchange(Handler& handler, std::size_t max_header_bytes, std::string peer_address, bool secure)
    : handler_(handler),
      peer_address_(std::move(peer_address)),
      secure_(secure),
      parser_(max_header_bytes, [&handler](std::string_view method, std::string_view path) {
        return handler.max_body_bytes(method, path);
      }) {}

RequestParser::Step Exchange::next() {
  const RequestParser::Step step = parser_.parse(input_.view());
  if (step == RequestParser::Step::need_more) {
    input_.truncate(parser_.retained());
    if (parser_.wants_continue() && !sent_continue_) {
      output_.append(kContinue);
      sent_continue_ = true;
    }
  }
  return step;
}

void Exchange::begin_answer() {
  request_ = parser_.request(input_.view());
  request_.peer_address = peer_address_;
  request_.secure = secure_;
  response_.reset();
}

void Exchange::fail_answer(const std::exception_ptr& exception) {
  spdlog::error("http: the handler of {} {} threw: {}", request_.method_text, request_.path, describe(exception));
  response_.reset();
  handler_.fill_error(500, "internal_error", "The request could not be handled.", response_);
}

ResponseFraming Exchange::framing(bool keep_alive, std::string_view date_line) const {
  ResponseFraming framing;
  framing.head_only = request_.method == Method::head;
  framing.http_1_0 = is_http_1_0();
  framing.keep_alive = keep_alive;
  framing.date_line = date_line;
  return framing;
}

bool Exchange::end_answer(bool stopping, std::string_view date_line) {
  input_.consume(parser_.consumed());
  const bool keep_alive = parser_.head().keep_alive && !(stopping && input_.empty());
  append_response(response_, framing(keep_alive, date_line), output_);
  parser_.reset();
  sent_continue_ = false;
  return keep_alive;
}

void Exchange::append_failure(const RequestFailure& failure, std::string_view date_line) {
  response_.reset();
  handler_.fill_error(failure.status, failure.code, failure.detail, response_);
  ResponseFraming framing;
  framing.keep_alive = false;
  framing.date_line = date_line;
  append_response(response_, framing, output_);
}

bool Exchange::begin_events(std::string_view date_line) {
  append_event_stream_head(response_, framing(false, date_line), output_);
  return request_.method != Method::head;
}

void Exchange::append_event(std::string_view event) {
  if (is_http_1_0()) {
    output_.append(event);
  } else if (!event.empty()) {  // an empty chunk would end the stream
    append_chunk(event, output_);
  }
}

void Exchange::fail_events(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const boost::system::system_error& error) {
    if (error.code() == boost::asio::error::operation_aborted) {
      return;
    }
  } catch (...) {
  }
  spdlog::error("http: an event source threw: {}", describe(exception));
}

void Exchange::end_events() {
  if (!is_http_1_0()) {
    output_.append(kLastChunk);
  }
}

void Exchange::clear_output() {
  if (output_.capacity() > kKeptOutputBytes) {
    std::string().swap(output_);
  }
  output_.clear();
}

}  // namespace turnout::http
