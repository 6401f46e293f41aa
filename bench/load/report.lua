-- A load of final reports for wrk, each of its own transaction, over twenty providers in turn; every twentieth of a provider is
-- a failure, so that no circuit opens. Every part has a fixed width, so the length never changes.
-- Arguments: a word that no earlier run used.

local threads = 0

function setup(thread)
  thread:set("thread_number", threads)
  threads = threads + 1
end

local before
local count = 0
local middles = {}

function init(arguments)
  before = string.format('{"channel":"payments","transaction_id":"%s-%02d-', arguments[1], thread_number)
  local length = #before + 10
  for i = 0, 399 do
    local status = math.floor(i / 20) == 19 and "failure" or "success"
    middles[i] = string.format('","provider":"provider-%02d","status":"%s","latency_ms":%03d}', i % 20 + 1, status, 100 + i * 2)
  end
  length = length + #middles[0]
  before = "POST /v1/report HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " .. length ..
           "\r\n\r\n" .. before
end

function request()
  count = count + 1
  return before .. string.format("%010d", count) .. middles[count % 400]
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format('{"requests":%d,"duration_us":%d,"failed":%d,"p50_us":%d,"p99_us":%d}', summary.requests, summary.duration,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout, latency:percentile(50), latency:percentile(99)))
end
