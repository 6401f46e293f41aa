-- A load of route calls for wrk, each of its own transaction. Every part has a fixed width: the length never changes.
-- Arguments: a word that no earlier run used. Run it in this folder.

require("common")

local before
local after = '","merchant_id":"m1","customer_id":"cust42","payment_method":"INTERAC","payment_method_type":"RTP",' ..
              '"amount":1999,"currency":"CAD"}'
local count = 0

function init(arguments)
  local begin = string.format('{"channel":"payments","transaction_id":"%s-%02d-', arguments[1], thread_number)
  before = head_of("/v1/route", #begin + 10 + #after) .. begin
end

function request()
  count = count + 1
  return before .. string.format("%010d", count) .. after
end
