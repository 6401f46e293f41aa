-- A load of route calls for wrk, each with its own transaction. Every part has a fixed width, so the length never changes.
-- Arguments: a word that no earlier run used.

local threads = 0

function setup(thread)
  thread:set("thread_number", threads)
  threads = threads + 1
end

local before, after
local count = 0

function init(arguments)
  before = string.format('{"channel":"payments","transaction_id":"%s-%02d-', arguments[1], thread_number)
  after = '","merchant_id":"m1","customer_id":"cust42","payment_method":"INTERAC","payment_method_type":"RTP",' ..
          '"amount":1999,"currency":"CAD"}'
  local length = #before + 10 + #after
  before = "POST /v1/route HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " .. length ..
           "\r\n\r\n" .. before
end

function request()
  count = count + 1
  return before .. string.format("%010d", count) .. after
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format('{"requests":%d,"duration_us":%d,"failed":%d,"p50_us":%d,"p99_us":%d}', summary.requests, summary.duration,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout, latency:percentile(50), latency:percentile(99)))
end
