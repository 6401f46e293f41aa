-- What the loads share. Each thread of wrk has a number, so that no two use the same transaction.

local threads = 0

function setup(thread)
  thread:set("thread_number", threads)
  threads = threads + 1
end

-- The head of a POST whose body has so many bytes.
function head_of(path, length)
  local head = "POST " .. path .. " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
  return head .. "Content-Length: " .. length .. "\r\n\r\n"
end

-- The last line of the output is what the benchmark reads.
function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  print(string.format('{"requests":%d,"duration_us":%d,"failed":%d,"p50_us":%d,"p99_us":%d}', summary.requests,
                      summary.duration, failed, latency:percentile(50), latency:percentile(99)))
end
