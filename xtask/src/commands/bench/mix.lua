-- One report of Alertmanager with each request: of twenty, sixteen repeat an open alert, three open one, and one ends one of these.
-- Each thread counts in a range of its own, and each run in another.
local threads = 0

function setup(thread)
   threads = threads + 1
   thread:set("number", threads)
end

function init(args)
   math.randomseed(number)
   count = 0
   opened = 0
   ended = 0
   prefix = string.format("%s-%d-", args[1], number)
   repeated = tonumber(args[3])
   wrk.method = "POST"
   wrk.headers["Content-Type"] = "application/json"
   wrk.headers["Authorization"] = "Bearer " .. args[2]
end

local function report(status, instance, fingerprint, ends)
   return '{"version":"4","groupKey":"{}:{}","status":"' .. status .. '","receiver":"x","groupLabels":{},"commonLabels":{},'
      .. '"commonAnnotations":{},"externalURL":"http://am.example.com","truncatedAlerts":0,"alerts":[{"status":"' .. status
      .. '","labels":{"alertname":"HighMemory","instance":"node-' .. instance .. '","job":"node","severity":"critical",'
      .. '"team":"payments"},"annotations":{"summary":"High memory","description":"The node uses more memory than it should."},'
      .. '"startsAt":"2024-05-01T12:00:00.123Z","endsAt":"' .. ends .. '",'
      .. '"generatorURL":"http://prometheus.example.com/graph?g0.expr=up","fingerprint":"' .. fingerprint .. '"}]}'
end

function request()
   local place = count % 20
   count = count + 1
   local body
   if place == 19 then
      ended = ended + 1
      body = report("resolved", prefix .. ended, prefix .. ended, "2024-05-01T13:00:00Z")
   elseif place % 6 == 5 then
      opened = opened + 1
      body = report("firing", prefix .. opened, prefix .. opened, "0001-01-01T00:00:00Z")
   else
      local one = math.random(0, repeated - 1)
      body = report("firing", one, string.format("%016x", one), "0001-01-01T00:00:00Z")
   end
   return wrk.format(nil, nil, nil, body)
end
