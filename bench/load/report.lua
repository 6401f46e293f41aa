-- A load of final reports for wrk, each of its own transaction, over twenty providers in turn; every twentieth of a
-- provider is a failure, so that no circuit opens. Every part has a fixed width, so the length never changes.
-- Arguments: a word that no earlier run used. Run it in this folder.

require("common")

local before
local after = {}
local count = 0

function init(arguments)
  for i = 0, 399 do
    local status = math.floor(i / 20) == 19 and "failure" or "success"
    after[i] = string.format('","provider":"provider-%02d","status":"%s","latency_ms":%d}', i % 20 + 1, status, 100 + i)
  end
  local begin = string.format('{"channel":"payments","transaction_id":"%s-%02d-', arguments[1], thread_number)
  before = head_of("/v1/report", #begin + 10 + #after[0]) .. begin
end

function request()
  count = count + 1
  return before .. string.format("%010d", count) .. after[count % 400]
end
